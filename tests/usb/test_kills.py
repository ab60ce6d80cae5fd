"""A few of what `python -m tests.usb.kills` does hundreds of."""

from __future__ import annotations

import pytest

from tests.usb.kills import KINDS, toll


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_stays_down(kind: str) -> None:
    result = toll(kind, 5)
    assert result.stuck == []
    assert result.held > 0
    if kind != "kill-writer":  # where nothing was lost, the action goes on with its successor
        assert max(result.more) <= 1
