"""Input on a real desktop: every character and every target arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from cua.evaluation.desktop.programs import describe_missing
from cua.evaluation.testbed import Computer

from .input_tasks import (
    RANGE,
    double_click,
    drag_box,
    random_text,
    shoot,
    turn_wheel,
    type_into_browser,
)
from .real_desktop import TERMINAL, desktop

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(bool(describe_missing()), reason=describe_missing()),
]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def there() -> AsyncIterator[Computer]:
    """A terminal behind a browser with the shooting range."""
    async with desktop(TERMINAL, RANGE) as computer:
        yield computer


async def test_every_character_reaches_the_browser(there: Computer) -> None:
    typed = await type_into_browser(there, random_text(600))
    assert len(set(typed.wanted)) == 95
    assert typed.arrived == typed.wanted


async def test_every_target_is_hit(there: Computer) -> None:
    result = await shoot(there, 60)
    assert (result["hits"], result["misses"]) == (60, 0)


async def test_a_drag_goes_as_far_as_it_should(there: Computer) -> None:
    assert await drag_box(there, 200, -60) == (200, -60)
    assert await drag_box(there, -37, 111) == (-37, 111)


async def test_every_notch_of_the_wheel_is_counted(there: Computer) -> None:
    assert await turn_wheel(there, 10) == 10
    assert await turn_wheel(there, -3) == -3


async def test_two_clicks_are_a_double_click(there: Computer) -> None:
    assert await double_click(there) == 1
