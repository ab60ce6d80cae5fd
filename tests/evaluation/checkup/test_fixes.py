"""Every wrong way of counting under every kind of dialect: the fix has to be the right one."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest

from cua.app.factory import make_sent_size
from cua.dialects import registry
from cua.dialects.coordinates import fit_size
from cua.evaluation.checkup.clicks import count_hits
from cua.evaluation.checkup.model_under_test import RequestSettings
from tests.evaluation.checkup.run_checkup import run_checkup
from tests.evaluation.checkup.scripted_models import (
    SCREEN,
    WRITERS,
    Counting,
    Seer,
    Size,
    fractions,
    pixels,
    thousandths,
)


def resize(factor: int, most: int, sent: Size) -> tuple[float, float]:
    return fit_size(*sent, factor, most)


def within(widest: int, sent: Size) -> tuple[float, float]:
    scale = min(1.0, widest / sent[0])
    return round(sent[0] * scale), round(sent[1] * scale)


by_28, by_32 = partial(resize, 28, 16384), partial(resize, 32, 16384)
capped = partial(resize, 28, 1280)
within_1024, within_1111 = partial(within, 1024), partial(within, 1111)
COUNTINGS = (fractions, thousandths, pixels, by_28)
FULL_HD = (1920, 1080)


def can_read(settings: RequestSettings, counting: Counting, screen: Size = SCREEN) -> bool:
    """Whether a dialect reads numbers as the model means them."""
    dialect = registry.create(settings.dialect)
    sent = make_sent_size(dialect, settings.screenshot_width)(*screen)
    full = counting(sent)
    return full == (
        sent
        if dialect.coordinate_space is None
        else (dialect.coordinate_space.width, dialect.coordinate_space.height)
    )


@pytest.mark.parametrize(
    ("dialect", "counting"),
    [
        *product(["kvm", "qwen3_vl", "qwen25_vl", "claude"], COUNTINGS),
        *product(["json", "ui_tars_15", "kimi"], [pixels]),  # each counts as one of those above
    ],
)
async def test_the_fix_has_the_coordinate_system_of_the_model(
    dialect: str, counting: Counting
) -> None:
    report = await run_checkup(Seer(counting), dialect)
    if can_read(RequestSettings(dialect), counting):
        assert report.fit is None
        assert count_hits(report.clicks) == 12
        return
    assert report.verdict() != "ready"
    assert report.fix
    assert report.fix.is_proven, report.reasons()
    assert can_read(report.fix.settings, counting)


@pytest.mark.parametrize(
    ("dialect", "counting", "native", "fix"),
    [
        ("kvm", thousandths, "qwen3_vl", "qwen3_vl"),
        ("kvm", by_28, "qwen25_vl", "qwen25_vl"),
        ("qwen3_vl", by_28, "qwen25_vl", "qwen25_vl"),
        ("qwen25_vl", thousandths, "qwen3_vl", "qwen3_vl"),
        ("ui_tars", by_28, "ui_tars_15", "ui_tars_15"),
        ("ui_tars_15", thousandths, "ui_tars", "ui_tars"),
        ("opencua", fractions, "kimi", "kimi"),
        ("kimi", by_28, "opencua", "opencua"),
        ("json", fractions, "kvm", "kvm"),
        ("json", by_28, "ui_tars_15", "ui_tars_15"),
        ("qwen3_vl", thousandths, "glm_v", "glm_v"),
        ("gemini", by_28, "holo15", "holo15"),
    ],
)
async def test_a_model_that_knows_only_its_own_language(
    dialect: str, counting: Counting, native: str, fix: str
) -> None:
    report = await run_checkup(Seer(counting, WRITERS[native]), dialect)
    assert report.fix
    assert report.fix.settings.dialect == fix
    assert report.fix.is_proven


async def test_the_name_decides_among_dialects_that_count_alike() -> None:
    report = await run_checkup(Seer(thousandths), "kvm", model_name="zai-org/GLM-4.6V")
    assert report.fix
    assert report.fix.changes == {"dialect": "glm_v"}


@pytest.mark.parametrize(
    ("dialect", "width", "counting", "screen"),
    [
        ("qwen25_vl", 0, capped, FULL_HD),
        ("qwen3_vl", 0, capped, FULL_HD),
        ("claude", 0, by_32, SCREEN),
        ("qwen25_vl", 0, by_32, SCREEN),
        ("openai_computer", 0, within_1024, SCREEN),
        ("json", 0, within_1024, FULL_HD),
        ("qwen3_vl", 0, within_1111, SCREEN),
        ("claude", 800, lambda _: FULL_HD, FULL_HD),
        ("qwen3_vl", 1024, lambda _: (640, 360), SCREEN),
    ],
)
async def test_pixels_of_another_size_are_fixed_by_the_width(
    dialect: str, width: int, counting: Counting, screen: Size
) -> None:
    report = await run_checkup(Seer(counting, screen=screen), dialect, width)
    assert report.fit
    assert report.fix
    assert report.fix.is_proven, report.reasons()
    assert not report.setting
    assert can_read(report.fix.settings, counting, screen)


async def test_a_stretched_picture_has_no_fix_and_that_is_said() -> None:
    report = await run_checkup(Seer(lambda _: (1024, 768)), "qwen3_vl")
    assert report.fix is None
    assert "pixels of a 1024×768 screenshot" in report.reasons()[1]
    assert "No action format uses these coordinates" in report.reasons()[2]
    assert report.setting == "dialect"
