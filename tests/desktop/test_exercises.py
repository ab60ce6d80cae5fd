"""The tasks of the real desktop: enough of them, and each can be done as planned."""

from __future__ import annotations

import pytest

from cua.evaluation.desktop.programs import wanted
from cua.evaluation.pilots import scripted
from cua.evaluation.run import run
from cua.evaluation.worlds import DESKTOP

EXERCISES = DESKTOP.exercises


def test_there_are_enough() -> None:
    assert len({exercise.name for exercise in EXERCISES}) == len(EXERCISES) >= 15


@pytest.mark.slow
@pytest.mark.skipif(bool(wanted()), reason=wanted())
@pytest.mark.parametrize("number", range(len(EXERCISES)), ids=[each.name for each in EXERCISES])
async def test_the_plan_leads_there(number: int) -> None:
    result = await run(DESKTOP, EXERCISES[number], scripted("perfect"), seed=1)
    assert result.success, f"{result.ending}: {result.trouble}"
    assert result.ending == "done"
