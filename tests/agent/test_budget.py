"""What a run may spend, and how it comes to an end."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.agent.budget import MILLION, Budget, Meter
from cua.agent.checks.options import CheckOptions
from cua.safety.approval import AllowAll, Approvals, Policy
from cua.types import Ask, Done, Keypress, OutOfBudget, Reply, Task, Usage
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import screen
from tests.support.fakes import ScriptedModel

PLAIN = CheckOptions(completion=False, loop_detection=False, screen_changes=False)


def make_run(budget: Budget, *replies: str) -> AgentRun:
    made = AgentRun([screen()], *replies, options=PLAIN)
    made.agent.budget = budget
    return made


async def test_rounds_end_with_what_the_model_said_last() -> None:
    at = make_run(Budget(rounds=2), "# half is done\nsleep 0", "# two files are left\nsleep 0")
    ending = await at.run()
    assert ending == OutOfBudget("2 model replies (MAX_ROUNDS)", "two files are left Carried out.")


async def test_a_pause_grants_no_time() -> None:
    at = make_run(Budget(minutes=0.5 / 60), "hang", "hang")
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(at.run(), 0.4)
    assert isinstance(await asyncio.wait_for(at.run(), 0.4), OutOfBudget)


async def test_the_model_is_told_when_few_replies_are_left_and_at_the_last() -> None:
    at = make_run(Budget(rounds=5), *["sleep 0"] * 5)
    await at.run()
    heard = [at.model.request_text(n) for n in range(5)]
    assert ["3 replies left" in words for words in heard] == [False, False, True, False, False]
    assert ["your last reply" in words for words in heard] == [False] * 4 + [True]


async def test_the_first_reply_of_another_budget_is_told_that_there_is_one() -> None:
    for budget, words in ((Budget(rounds=5), "Replies left: 5."), (Budget(tokens=60), "")):
        at = make_run(budget, *["sleep 0"] * 2, "Done")
        at.task.used = Usage(is_renewed=True)
        await at.run()
        heard = [at.model.request_text(n) for n in range(2)]
        assert [f"allowed more for this task. {words}".strip() in each for each in heard] == [
            True,
            False,
        ]


async def test_tokens_end_it_and_are_told_once_before() -> None:
    at = make_run(Budget(tokens=60), *["sleep 0"] * 20)  # 12 each
    ending = await at.run()
    assert isinstance(ending, OutOfBudget)
    assert ending.limit == "60 tokens (Max tokens)"
    assert len(at.model.requests) == 5
    heard = ["nearly spent" in at.model.request_text(n) for n in range(5)]
    assert heard == [False] * 4 + [True]
    assert isinstance(await at.run(), OutOfBudget)
    assert len(at.model.requests) == 5, "another run alone grants nothing"


async def test_that_a_limit_is_near_is_told_once_for_each_budget() -> None:
    at = make_run(Budget(tokens=100), *["sleep 0"] * 7, *["$ Which one?"] * 3)  # 12 each
    for is_told in (True, False, True):
        assert isinstance(await at.run(), Ask)
        assert ("nearly spent" in at.model.request_text()) == is_told
        if not is_told:
            at.task.used = Usage(is_renewed=True, rounds=1, tokens_in=84)


async def test_money_ends_it() -> None:
    budget = Budget(money=0.05, price_in=1000.0, price_out=5000.0)  # 0.02 each
    ending = await make_run(budget, *["sleep 0"] * 9).run()
    assert ending == OutOfBudget("a cost of 0.05 (Max cost)", "Carried out.")


class Uncounted(ScriptedModel):
    """As of a server that does not report tokens."""

    async def complete(self, *request: Any) -> Reply:
        return replace(await super().complete(*request), tokens_in=0, tokens_out=0)


@pytest.mark.parametrize(
    ("budget", "count"), [(Budget(tokens=60), 1), (Budget(money=1.0), 1), (Budget(rounds=9), 0)]
)
async def test_a_limit_that_cannot_be_measured_is_told_once(budget: Budget, count: int) -> None:
    at = make_run(budget)
    at.agent.model = Uncounted("sleep 0", "$ Which one?", "sleep 0", "Done")
    assert isinstance(await at.run(), Ask)
    assert isinstance(await at.run(), Done)
    notes = [each.data for each in at.log.in_memory_since(0) if each.kind == "log"]
    assert [each["level"] for each in notes] == ["warning"] * count
    assert all("no token counts" in each["text"] and each["aloud"] for each in notes)


async def test_a_cost_without_prices_is_told_once() -> None:
    at = make_run(Budget(money=1.0), "sleep 0", "sleep 0", "Done")
    assert isinstance(await at.run(), Done)
    [note] = [each.data for each in at.log.in_memory_since(0) if each.kind == "log"]
    assert "Both prices are 0" in note["text"]
    assert note["aloud"]


async def test_minutes_end_it() -> None:
    at = make_run(Budget(minutes=1e-9), "sleep 0")
    ending = await at.run()
    assert isinstance(ending, OutOfBudget)
    assert ending.limit == "1e-09 minutes (Max minutes)"
    assert at.model.requests == []


async def test_minutes_end_it_while_the_model_still_thinks_and_it_goes_on_from_there() -> None:
    at = make_run(Budget(minutes=1 / 60), "# half is done\nsleep 0", "hang", "Done")
    ending = await at.run()
    assert isinstance(ending, OutOfBudget)
    assert ending.summary == "half is done Carried out."
    at.agent.budget = Budget(minutes=5)
    assert isinstance(await at.run(), Done)
    assert "You were interrupted before you answered." in at.model.request_text()


async def test_minutes_end_it_in_the_middle_of_an_action_but_not_while_the_person_is_asked() -> (
    None
):
    async def answer(_: str) -> bool:
        await asyncio.sleep(1.2)
        return True

    at = make_run(Budget(minutes=1 / 60), "keyboard A", "sleep 60", "Done")
    at.agent.gate = gate = Approvals(at.log, lambda: Policy("always"))
    gate.has_page, gate.ask_externally = False, answer
    await gate.find_manual_risk(Keypress(keys=("A",)))  # the first use of the rules takes time
    assert isinstance(await at.run(), OutOfBudget)
    assert gate.waited_s >= 1.2
    took = [event.data["seconds"] for event in at.log.in_memory_since(0) if event.kind == "step"]
    assert took[0] < 1.2, "nor is it the time of a step"
    at.agent.budget = Budget(minutes=5)
    assert isinstance(await at.run(), Done)
    assert "You were interrupted at action 1" in at.model.request_text()


async def test_no_limit_is_none() -> None:
    at = make_run(Budget(), *["sleep 0"] * 60, "Done")
    assert isinstance(await at.run(), Done)
    assert "left" not in at.model.request_text()


amounts = st.integers(1, 10_000)


@given(st.lists(st.tuples(amounts, amounts), max_size=30), st.integers(1, 200_000))
def test_it_stops_at_the_first_reply_that_reaches_a_limit(
    replies: list[tuple[int, int]], most: int
) -> None:
    task, spent = Task("do it"), 0
    meter = Meter(Budget(tokens=most), task, AllowAll())
    for read, written in replies:
        assert (meter.find_limit() is not None) == (spent >= most)
        task.used.tokens_in += read
        task.used.tokens_out += written
        spent += read + written


@given(st.integers(1, 50))
def test_rounds_are_counted_exactly(rounds: int) -> None:
    task = Task("do it")
    meter = Meter(Budget(rounds=rounds), task, AllowAll())
    for _ in range(rounds):
        assert meter.find_limit() is None
        task.used.rounds += 1
    assert meter.find_limit() is not None


@pytest.mark.parametrize(("read", "written", "cost"), [(MILLION, 0, 2.0), (0, MILLION // 2, 5.0)])
def test_prices_are_per_million(read: int, written: int, cost: float) -> None:
    assert Budget(price_in=2.0, price_out=10.0).cost(read, written) == cost
