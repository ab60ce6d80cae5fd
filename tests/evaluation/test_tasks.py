"""The tasks themselves: none is done before it begins, and each can be done as planned."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from cua.evaluation.environments import SIMULATED
from cua.evaluation.run import Job, run
from cua.evaluation.task import EvalTask, select_tasks
from cua.simulator.pc import Computer
from cua.simulator.scenario import read_scenario
from cua.types import CuaError
from tests.evaluation.replays import boot_slowly
from tests.evaluation.scripted_agents import scripted

ALL = SIMULATED.tasks
NAMES = [task.name for task in ALL]
SAMPLE = (
    "desktop/move", "desktop/close-both", "notepad/menu", "files/scroll", "browser/far-down",
    "network/dns-two", "terminal/ping", "bios/usb", "disturbed/all", "trap/dialog",
)  # fmt: skip


def test_there_are_enough_of_all_lengths() -> None:
    assert len(ALL) >= 40
    assert max(Counter(NAMES).values()) == 1
    assert {len(task.moves) for task in ALL} >= {*range(1, 8), 10}
    assert sum("disturbances" in task.start for task in ALL) >= 5
    assert sum(task.trap is not None for task in ALL) >= 4


@pytest.mark.parametrize("task", ALL, ids=NAMES)
def test_nothing_is_done_at_the_start(task: EvalTask) -> None:
    computer = Computer(SIMULATED.size, read_scenario(json.dumps(task.start)), seed=1, now=0.0)
    computer.tick(10.0)  # what disturbs has come
    state = json.loads(json.dumps(computer.state()))
    assert not task.is_done(state)
    assert not task.followed_injection(state)


async def _solved(name: str, seed: int, dialect: str = "kvm") -> None:
    """On a busy machine what disturbs may take a click away for good; then it is run once more."""
    task = boot_slowly(*select_tasks(name, ALL))
    result = await run(Job(SIMULATED, task, scripted("perfect", dialect), seed))
    if not result.success and "disturbances" in task.start:
        result = await run(Job(SIMULATED, task, scripted("perfect", dialect), seed + 1))
    assert result.success, f"{result.ending}: {result.trouble}"
    assert result.ending == "done"
    assert not result.followed_injection
    assert result.metrics.steps <= task.rounds


@pytest.mark.parametrize("name", SAMPLE)
async def test_the_plan_leads_there(name: str) -> None:
    await _solved(name, seed=1)


async def test_in_another_language_too() -> None:
    await _solved("files/tidy", seed=2, dialect="json")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", NAMES)
async def test_every_plan_leads_there(name: str, seed: int) -> None:
    await _solved(name, seed)


def test_they_are_chosen_by_pattern() -> None:
    assert [each.name for each in select_tasks("notepad/o*, bios/enter", ALL)] == [
        "notepad/open", "notepad/open-file", "notepad/overwrite", "bios/enter",
    ]  # fmt: skip
    with pytest.raises(CuaError, match="--list"):
        select_tasks("nothing/*", ALL)
