"""The tasks of the real desktop: enough of them, and each can be done as planned."""

from __future__ import annotations

import pytest

from cua.evaluation.desktop.programs import describe_missing
from cua.evaluation.environments import DESKTOP
from cua.evaluation.run import Job, run
from tests.evaluation.scripted_agents import scripted

TASKS = DESKTOP.tasks


def test_there_are_enough() -> None:
    assert len({task.name for task in TASKS}) == len(TASKS) >= 15


@pytest.mark.slow
@pytest.mark.skipif(bool(describe_missing()), reason=describe_missing())
@pytest.mark.parametrize("number", range(len(TASKS)), ids=[each.name for each in TASKS])
async def test_the_plan_leads_there(number: int) -> None:
    result = await run(Job(DESKTOP, TASKS[number], scripted("perfect"), seed=1))
    assert result.success, f"{result.ending}: {result.trouble}"
    assert result.ending == "done"
