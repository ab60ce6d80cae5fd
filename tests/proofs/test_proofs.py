"""The commands work: the same as they do a thousand times, a few."""

from __future__ import annotations

import pytest

from cua.hid.reports import Endpoint

from . import __main__ as proofs
from .faults.kinds.kind import set_up_nothing
from .faults.matrix import find_kind, find_phase, run_cells
from .faults.rules import find_unintended
from .host_pauses import host_pauses

SAMPLE = [
    ("stream: is dropped once", "settling"),
    ("model: 503 Unavailable", "asking"),
    ("keyboard and mouse: gone and back again", "typing"),
    ("page: vanishes", "dragging"),
]


def test_stops(capsys: pytest.CaptureFixture[str]) -> None:
    proofs.stops(4)
    assert "4 stops" in capsys.readouterr().out


def test_pages_that_leave(capsys: pytest.CaptureFixture[str]) -> None:
    proofs.pages(2)
    assert "hidden 1 times" in capsys.readouterr().out


def test_host_pauses(capsys: pytest.CaptureFixture[str]) -> None:
    host_pauses(2)
    assert "nothing stayed down" in capsys.readouterr().out


async def test_faults() -> None:
    cells = [(find_kind(kind), find_phase(phase)) for kind, phase in SAMPLE]
    outcomes = await run_cells(cells, set_up_nothing)
    assert {phase: outcome.wrong for phase, outcome in outcomes.items()} == {
        phase: [] for _, phase in SAMPLE
    }


A, F5, SHIFT = (bytes([held, 0, key, 0, 0, 0, 0, 0]) for held, key in ((0, 4), (0, 62), (2, 0)))
CLICK, WHEEL = bytes([1, 0, 64, 0, 64, 0]), bytes([0, 0, 64, 0, 64, 1])


@pytest.mark.parametrize(
    ("endpoint", "report", "words"),
    [
        ("keyboard", A, "typed 'a'"),
        ("keyboard", SHIFT, "left down"),
        ("pointer", CLICK, "clicked"),
        ("pointer", WHEEL, "wheel 1"),
        ("keyboard", F5, "pressed ['f5']"),
    ],
)
def test_what_no_phase_has_planned_is_found(endpoint: Endpoint, report: bytes, words: str) -> None:
    assert words in "; ".join(find_unintended([(endpoint, report)], find_phase("asking")))
