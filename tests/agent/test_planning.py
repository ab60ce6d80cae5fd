"""Plan first: a plan is written, approved, followed and marked; nothing is done before."""

from __future__ import annotations

import asyncio
import json

import pytest

from cua.agent.budget import Budget
from cua.agent.planning import PlannedDialect, parse_items
from cua.dialects import registry
from cua.types import Busy, Frame, Plan, Reply, Type
from tests.dialects.test_round_trip import FAMILIES
from tests.support.scripted_session import ScriptedSession
from tests.support.waiting import until

PLAN = "Here it is:\n1. Open the menu\n2) **Click** Save\n"


class Planning(ScriptedSession):
    async def propose(self, text: str = "save it", plan: bool = True) -> str:
        await self.session.send(text, plan=plan)
        await self.session.wait_ended()
        return self.status()

    async def start(self, *items: str) -> str:
        await self.session.approve_plan(items, self.proposal())
        await self.session.wait_ended()
        return self.status()

    def proposal(self) -> int:
        events = self.log.in_memory_since(0)
        return max((each.seq for each in events if each.kind == "plan"), default=1)


async def test_nothing_is_done_before_the_plan_is_approved() -> None:
    scripted = Planning(PLAN, "Plan: 1\nkeyboard TAB", "# Plan: 2\nkeyboard ENTER", "Plan: 9\nDone")
    assert await scripted.propose() == "asking"
    assert scripted.device.reports == []
    (plan,) = scripted.facts("plan")
    assert plan["items"] == ["Open the menu", "Click Save"]
    assert not plan["approved"]
    assert plan["tokens"] == 12
    (request,) = scripted.model.requests
    assert [each.role for each in request] == ["system", "user"]
    assert "You operate a computer." not in str(request[0].parts[0])
    assert request[1].parts[0] == "save it"
    assert isinstance(request[1].parts[1], Frame)
    assert await scripted.start("Click Save", " ", "Close\nit") == "done"
    assert scripted.facts("plan")[1] == {"items": ["Click Save", "Close it"], "approved": True}
    words = [str(each[1].parts[0]) for each in scripted.model.requests[1:]]
    assert words == [words[0]] * 3
    assert words[0].startswith("save it\n\nThe person approved this plan:\n1. Click Save\n2. Close")
    assert scripted.facts("plan_item") == [{"step": 1, "item": 1}, {"step": 2, "item": 2}]
    assert "Plan: 1" in str(scripted.model.requests[-1][2].parts[0]), "what it said is sent back"


async def test_a_plan_that_cannot_be_read_is_asked_for_once_more_then_the_person_is_asked() -> None:
    scripted = Planning("mouse 0.5 0.5 1", "I cannot.", "Done")
    assert await scripted.propose() == "asking"
    assert "not understood as a plan" in scripted.model.request_text(1)
    (question,) = scripted.facts("question")
    assert "could not be read. The model said: “I cannot”. Write your own" in str(question["text"])
    assert scripted.device.reports == []
    assert await scripted.start() == "done"  # without a plan
    assert "plan" not in scripted.model.request_text()


async def test_a_pause_or_words_of_the_person_lead_to_another_plan() -> None:
    scripted = Planning("hang", "<think>1. no</think>\n1. Save", "1. Copy\n2. Save", "Done")
    await scripted.session.send("save it", plan=True)
    await until(lambda: bool(scripted.model.requests))
    await scripted.session.pause()
    with pytest.raises(Busy, match="no plan"):
        await scripted.session.approve_plan(["Save"], scripted.proposal())
    assert await scripted.propose("") == "asking"
    first = scripted.proposal()
    edited = ["Save\nit", " ", "Close"]
    await scripted.session.edit_plan(edited, first)
    assert scripted.facts("plan_edited") == [{"items": edited, "proposal": first}]
    assert await scripted.propose("copy it first") == "asking"
    for outdated in (scripted.session.approve_plan, scripted.session.edit_plan):
        with pytest.raises(Busy, match="no plan"):
            await outdated(["Save"], first)
    assert (
        "The person says: copy it first\nThe plan so far:\n1. Save it\n2. Close"
        in scripted.model.request_text()
    )
    await scripted.session.stop()
    with pytest.raises(Busy, match="Stopped"):
        await scripted.session.approve_plan(["Save"], scripted.proposal())
    await scripted.session.resume()
    assert await scripted.start("Copy", "Save") == "done"
    assert "The person says: copy it first" in scripted.model.request_text()
    with pytest.raises(Busy, match="no plan"):
        await scripted.session.approve_plan(["Save"], scripted.proposal())


async def test_minutes_end_a_planner_that_hangs_and_a_resume_asks_it_again() -> None:
    scripted = Planning("hang", PLAN)
    scripted.budget = Budget(minutes=0.5 / 60)
    assert await asyncio.wait_for(scripted.propose(), 5) == "paused"
    assert "minutes (Max minutes)" in str(scripted.facts("status")[-1]["reason"])
    assert await scripted.propose("") == "asking"
    assert scripted.facts("plan")[-1]["items"] == ["Open the menu", "Click Save"]


async def test_of_a_new_plan_that_cannot_be_read_the_former_one_stays() -> None:
    scripted = Planning("1. Copy\n2. Save", "No.", "I cannot help.\nSorry.", "1. Look", "Done")
    assert await scripted.propose() == "asking"
    assert await scripted.propose("print it too") == "asking"
    words = scripted.facts("question")[-1]["text"]
    assert "could not be read. The model said: “I cannot help”. The steps below are" in str(words)
    assert scripted.facts("plan")[-1]["items"] == ["Copy", "Save"]
    assert await scripted.propose("look first") == "asking"
    assert "The plan so far:\n1. Copy\n2. Save" in scripted.model.request_text()


@pytest.mark.parametrize("name", [*FAMILIES, "kvm"])
def test_the_line_that_names_an_item_is_no_action_in_any_dialect(name: str) -> None:
    """Nor is a text that is typed taken for such a line."""
    action = Type(text="Plan: 2" if name == "kvm" else "a\nPlan: 2\nb")
    write, (width, height), _ = FAMILIES.get(name, (lambda *_: "typestr Plan: 2", (1, 1), ""))
    text = write(action, lambda at: [at.x * width, at.y * height])
    dialect = PlannedDialect(registry.create(name), Plan(("one", "two", "three"), approved=True))
    for mark, item in (("Plan: 3\n", 3), ("**Plan:** 3 of 3\r\n\n", 3), ("", 0)):
        parsed = dialect.parse(Reply(mark + text), (1280, 720))
        assert (parsed.actions, parsed.plan_item) == ((action,), item)


def test_an_item_is_found_behind_reasoning() -> None:
    dialect = PlannedDialect(registry.create("json"), Plan(("one",), approved=True))
    text = '<think>Plan: 7</think>\nPlan: 1\n{"action": {"kind": "wait", "seconds": 1}}'
    assert dialect.parse(Reply(text), (1280, 720)).plan_item == 1


@pytest.mark.parametrize(
    ("thought", "left"),
    [
        ("Plan: 2\nI wait.", "I wait."),
        ("**Plan: 2 of 3**\n\nI wait.", "I wait."),
        ("Plan: 2. I wait.", "I wait."),
        ("(Plan: 2) I wait.", "I wait."),
        ("Plan: 2 - I wait.", "I wait."),
        ("计划：2。我等一下。", "我等一下。"),
        ("Plan: 2", ""),
        ("Plan: 2 files are left.", "Plan: 2 files are left."),
        ("Plan: 2-3 files are left.", "Plan: 2-3 files are left."),
        ("I wait, as plan: 2 says.", "I wait, as plan: 2 says."),
    ],
)
def test_the_mark_before_a_thought_is_not_shown(thought: str, left: str) -> None:
    plan = Plan(("one", "two", "three"), approved=True)
    for name, text in (
        ("json", json.dumps({"thought": thought, "action": {"kind": "wait", "seconds": 1}})),
        ("ui_tars", f"Thought: {thought}\nAction: wait()"),
    ):
        parsed = PlannedDialect(registry.create(name), plan).parse(Reply(text), (1280, 720))
        assert (parsed.thought, parsed.plan_item) == (left, 2)


def test_the_items_of_a_plan_are_read_whatever_stands_around_them() -> None:
    text = "# Plan\n\n**1.** Open it\n   - a detail\nStep 2: Save\n３、存\n- no number\n10: end"
    assert parse_items(text) == ("Open it", "Save", "存", "end")
    assert parse_items("12.5 GB are free. 1 file") == ()
