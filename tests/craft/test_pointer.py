"""A computer that ignores the absolute pointer: seen on the screen, and worked around."""

from __future__ import annotations

import pytest

from cua import calibrate
from cua.craft import Craft, pointer
from cua.hid import Hands
from cua.hid.pointing import Mouse
from cua.hid.reports import Endpoint
from cua.hid.target import Target
from cua.types import Done, Frame
from tests.craft.test_effect import pointer as arrow
from tests.craft.test_effect import screen
from tests.craft.test_eyes import Desk
from tests.rooms import StillScreen
from tests.test_calibrate import SIZE, Desktop

CRAFT = Craft(check_done=False, unstick=False, fresh_eyes=False, stale=False)
CLICKS = ("mouse 0.3 0.3 1", "mouse 0.7 0.6 1")


class Firmware(Desktop):
    """It knows only the relative mouse."""

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        if endpoint == "mouse":
            await super().write(endpoint, report)


class Eyes(StillScreen):
    def __init__(self, desktop: Desktop) -> None:
        super().__init__()
        self.desktop = desktop

    async def still(self, since: float, quiet: float, patience: float) -> Frame:
        return await self.desktop.still(since, quiet, patience)


async def test_two_clicks_of_which_nothing_is_seen_are_told() -> None:
    desk = Desk([screen()], *CLICKS, "Done", craft=CRAFT)
    assert isinstance(await desk.run(), Done)
    assert desk.model.heard().endswith(pointer.KEYBOARD)
    assert pointer.KEYBOARD not in desk.model.heard(1)


@pytest.mark.parametrize("second", ["mouse 0.3 0.3 1", "keyboard ENTER", "mouse 0 0 1"])
async def test_a_pointer_that_need_not_have_moved_is_not_dead(second: str) -> None:
    desk = Desk([screen()], CLICKS[0], second, "Done", craft=CRAFT)
    await desk.run()
    assert pointer.KEYBOARD not in desk.model.heard()


async def test_a_pointer_that_is_seen_is_not_dead() -> None:
    frames = [screen(), screen(), screen(arrow), screen(arrow), screen()]
    desk = Desk(frames, *CLICKS, "Done", craft=CRAFT)
    await desk.run()
    assert pointer.KEYBOARD not in desk.model.heard()


async def test_the_other_mouse_is_measured_and_used() -> None:
    desktop = Firmware(0.8)
    hands = Hands(desktop)

    async def other_mouse() -> bool:
        gain = await calibrate.gain(desktop, hands)
        hands.target = Target(mouse=Mouse(*SIZE, gain))
        return True

    replies = *CLICKS, "mouse 0.5 0.5 1", "Done"
    desk = Desk(
        [], *replies, craft=CRAFT, screen=Eyes(desktop), hands=hands, other_mouse=other_mouse
    )
    assert isinstance(await desk.run(), Done)
    assert pointer.CLICK_AGAIN in desk.model.heard(2)
    assert desktop.x == pytest.approx(640, abs=8)
    assert desktop.y == pytest.approx(360, abs=8)
