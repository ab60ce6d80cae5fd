"""Which way of counting clicks fit, for models that point less well than scripts do."""

from __future__ import annotations

import random
import statistics

import pytest

from cua.evaluation.checkup.coordinate_systems import Fit, find_fit, is_better
from cua.evaluation.checkup.targets import Target, place_targets

Size = tuple[int, int]
HD, FULL_HD = (1280, 720), (1920, 1080)
CAPPED = (1316, 728)
"""What a server makes of 1920x1080 that takes at most 1280 tiles of 28 pixels."""


def shaky(
    chance: random.Random, asked: list[Target], screen: Size, full: Size, sigma: float
) -> list[tuple[float, float]]:
    """Clicks that are some pixels beside, counted up to `full`."""
    raws: list[tuple[float, float]] = []
    for target in asked:
        at = target.middle(screen)
        x, y = at.x * screen[0] + chance.gauss(0, sigma), at.y * screen[1] + chance.gauss(0, sigma)
        raws.append((round(x / screen[0] * full[0]), round(y / screen[1] * full[1])))
    return raws


def found(
    seed: int, screen: Size, counts: Size, read: Size, sigma: float
) -> tuple[Fit | None, bool]:
    """The best fit, and whether it is better than reading the clicks up to `read`."""
    chance = random.Random(seed)
    asked = place_targets(seed, screen)
    raws = shaky(chance, asked, screen, counts, sigma)
    places = [(x / read[0] * screen[0], y / read[1] * screen[1]) for x, y in raws]
    pairs = list(zip(asked, places, strict=True))
    hits = sum(target.contains(*place) for target, place in pairs)
    distance_px = statistics.median(target.distance_px(*place) for target, place in pairs)
    best = find_fit(raws, asked, screen, screen)
    return best, best is not None and is_better(best, hits, distance_px)


@pytest.mark.parametrize("sigma", [0, 4, 8, 16])
@pytest.mark.parametrize(("screen", "full"), [(HD, HD), (HD, (1000, 1000)), (FULL_HD, FULL_HD)])
def test_a_shaky_hand_is_no_other_way_of_counting(screen: Size, full: Size, sigma: float) -> None:
    assert not any(found(seed, screen, full, full, sigma)[1] for seed in range(40))


@pytest.mark.parametrize("sigma", [0, 4, 8])
@pytest.mark.parametrize(
    ("screen", "counts", "read"),
    [(HD, (1000, 1000), HD), (FULL_HD, CAPPED, FULL_HD), (FULL_HD, FULL_HD, CAPPED)],
)
def test_the_way_is_found_through_the_noise(
    screen: Size, counts: Size, read: Size, sigma: float
) -> None:
    for seed in range(40):
        best, is_better = found(seed, screen, counts, read, sigma)
        assert best
        assert is_better
        assert abs(best.system.width - counts[0]) <= 0.02 * counts[0]
        assert abs(best.system.height - counts[1]) <= 0.02 * counts[1]


def test_an_unheard_of_size_is_measured() -> None:
    best, is_better = found(1, HD, (1111, 625), HD, 1)
    assert is_better
    assert best
    assert abs(best.system.width - 1111) < 12
    assert best.system.sent_size
    assert best.system.sent_size(5, 5) == (round(best.system.width), round(best.system.height))
