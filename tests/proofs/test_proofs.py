"""The commands work: the same as they do a thousand times, a few."""

from __future__ import annotations

import pytest

from . import __main__ as proofs


def test_stops(capsys: pytest.CaptureFixture[str]) -> None:
    proofs.stops(4)
    assert "4 stops" in capsys.readouterr().out


def test_pages_that_leave(capsys: pytest.CaptureFixture[str]) -> None:
    proofs.pages(2)
    assert "hidden 1 times" in capsys.readouterr().out
