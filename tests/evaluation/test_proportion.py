"""Intervals: Wilson's, against the published ones and against what they promise."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.evaluation.proportion import Proportion


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(10, 10, 0.722, 1.0), (0, 10, 0.0, 0.278), (15, 100, 0.093, 0.233), (1, 2, 0.095, 0.905)],
)
def test_known_values(hits: int, of: int, low: float, high: float) -> None:
    assert Proportion(hits, of).interval() == pytest.approx((low, high), abs=0.001)


@given(st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_share_lies_within(counts: tuple[int, int]) -> None:
    low, high = Proportion(*counts).interval()
    assert 0 <= low <= Proportion(*counts).value + 1e-9
    assert Proportion(*counts).value - 1e-9 <= high <= 1


def test_it_holds_nineteen_times_in_twenty() -> None:
    dice, true, held = random.Random(1), 0.8, 0
    for _ in range(2000):
        low, high = Proportion(sum(dice.random() < true for _ in range(60)), 60).interval()
        held += low <= true <= high
    assert held / 2000 > 0.93


def test_nothing_is_known_of_no_runs() -> None:
    assert Proportion(0, 0).interval() == (0.0, 1.0)
