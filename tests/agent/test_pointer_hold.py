"""A button held by hand: it goes where the finger goes, and however that ends, it is up."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from cua.agent.manual_control import BUTTON_HELD, BUTTON_RELEASED, TAKEOVER_OFF
from cua.agent.pointer_hold import PAGE_LOST, SILENCE_TIMEOUT_S, PointerHold
from cua.agent.session import CUT_OFF, TOOK_OVER, TURN_ENDED
from cua.hid.input_profile import InputProfile
from cua.hid.inputs import HidInputs
from cua.hid.pointing import Mouse
from cua.hid.reports import Endpoint
from cua.hid.writer.packets import LEASE_S
from cua.types import Busy, Click, DeviceError, Drag, Point, Type
from cua.web.session_ownership import Person, SessionOwnership
from tests.support.devices import Halting, Recorder, interpret
from tests.support.finger import A, B, C, Finger, Leap
from tests.support.scripted_session import ScriptedSession
from tests.support.waiting import until


async def test_a_held_button_follows_the_position_until_it_is_released() -> None:
    finger = Finger(ScriptedSession())
    await finger.press(A)
    assert finger.down == ["left"]
    assert finger.at == (256, 216)
    await finger.go(B)
    await until(lambda: finger.at == (768, 432))
    assert finger.down == ["left"]
    await finger.go(C, over=True)
    assert finger.down == []
    assert finger.at == (384, 576)


@pytest.mark.parametrize("mouse", [None, Mouse(1280, 720)])
async def test_a_hold_released_at_once_is_a_drag(mouse: Mouse | None) -> None:
    scripted, target = ScriptedSession(), InputProfile(mouse=mouse)
    scripted.inputs = HidInputs(scripted.device, target)
    finger = Finger(scripted)
    await finger.press(A)
    await finger.go(B, over=True)
    drag = Recorder()
    await HidInputs(drag, target).perform(Drag(path=(A, B)))
    assert moving(finger.recorder.reports) == moving(drag.reports)


def moving(reports: list[tuple[Endpoint, bytes]]) -> list[tuple[Endpoint, bytes]]:
    """Without what only says again that the button is down."""
    still = (("mouse", bytes([1, 0, 0, 0])), reports[0])
    return [now for before, now in pairwise(reports) if now != before and now not in still]


async def test_only_the_latest_position_counts() -> None:
    finger = Finger(ScriptedSession())
    await finger.press(A)
    for n in range(100):
        await finger.go(Point(x=n / 100, y=(n * 37 % 100) / 100))
    await finger.go(B, over=True)
    rows = interpret(finger.recorder.reports).path
    assert len(rows) < 100
    assert finger.at == (768, 432)


async def test_a_hold_is_told_as_one_drag() -> None:
    scripted = ScriptedSession("hang", "Done")
    await scripted.session.send("do it")
    await until(lambda: len(scripted.model.requests) == 1)
    finger = Finger(scripted)
    await finger.press(A)
    assert scripted.status() == "paused"
    assert scripted.log.in_memory_since(0)[-1].data["reason"] == TOOK_OVER
    await finger.go(C)
    await finger.go(B, over=True)
    await scripted.session.send("go on")
    await scripted.session.wait_ended()
    deed = "Drag from (256, 216) to (767, 431) with the left button"
    assert f"by hand: {deed}." in scripted.model.request_text()
    assert [each["words"] for each in scripted.facts("by_hand")] == [deed]


async def test_a_hold_is_reported_to_the_approval_rules() -> None:
    scripted, done = ScriptedSession(), []
    scripted.inputs = HidInputs(
        scripted.device, on_performed=lambda action, sure: done.append((action, sure))
    )
    finger = Finger(scripted)
    await finger.press(A)
    await finger.go(B, over=True)
    assert done == [(Drag(path=(A, B)), True)]


async def test_a_hold_needs_the_setting_and_an_attending_page() -> None:
    finger = Finger(ScriptedSession())
    finger.scripted.session.check_attended = refuse_absent
    with pytest.raises(Busy, match="No page is open"):
        await finger.press()
    finger.allowed = False
    with pytest.raises(Busy, match=TAKEOVER_OFF):
        await finger.press()
    assert finger.recorder.reports == []


def refuse_absent() -> None:
    raise Busy("No page is open.")


async def test_no_other_manual_input_is_accepted_during_a_hold() -> None:
    finger = Finger(ScriptedSession())
    await finger.press()
    for other in (
        finger.manual_control.take_over(),
        finger.manual_control.perform(Click(at=A)),
        finger.manual_control.press_button(A, "left"),
    ):
        with pytest.raises(Busy, match=BUTTON_HELD):
            await other
    assert finger.down == ["left"]
    await finger.go(B, over=True)


async def test_a_task_that_begins_releases_the_button() -> None:
    scripted = ScriptedSession("Done")
    finger = Finger(scripted)
    await finger.press()
    await scripted.session.send("do it")
    assert finger.down == []
    await scripted.session.wait_ended()
    assert scripted.status() == "done"


async def test_a_position_for_another_hold_is_refused() -> None:
    finger = Finger(ScriptedSession())
    with pytest.raises(Busy, match=BUTTON_RELEASED):
        await finger.go(B)
    await finger.press()
    finger.number += 1
    with pytest.raises(Busy, match=BUTTON_RELEASED):
        await finger.go(B)
    assert finger.at == (256, 216)
    await finger.manual_control.release()


async def test_a_queued_hold_is_not_pressed_for_a_page_that_has_gone() -> None:
    """Behind a long text, for instance."""
    scripted = ScriptedSession()
    scripted.device = device = Halting(most=21)
    scripted.inputs = HidInputs(device)
    finger = Finger(scripted)
    text = asyncio.ensure_future(finger.manual_control.perform(Type(text="x" * 1000)))
    await device.full.wait()
    press = asyncio.ensure_future(finger.press())
    await asyncio.sleep(0)
    press.cancel()
    await asyncio.wait([press])
    device.most = 10_000
    await scripted.session.pause()
    await asyncio.wait([text])
    await asyncio.sleep(0.1)
    assert interpret(device.reports).presses == []


async def left(finger: Finger) -> None:
    ownership = SessionOwnership(finger.scripted.session, exclusive=True, grace=60)
    page_lease = await ownership.claim("", Person("ada"))
    await finger.press()
    await ownership.release(page_lease)


async def hidden(finger: Finger) -> None:
    ownership = SessionOwnership(finger.scripted.session, exclusive=False, grace=60)
    page_lease = await ownership.claim("", Person("ada"))
    await finger.press()
    ownership.renew(page_lease, visible=False)


async def displaced(finger: Finger) -> None:
    ownership = SessionOwnership(finger.scripted.session, exclusive=True, grace=60)
    await ownership.claim("", Person("ada"))
    await finger.press()
    await ownership.claim("", Person("ben"), displace=True)
    assert finger.down == []


async def forbidden(finger: Finger) -> None:
    await finger.press()
    finger.allowed = False
    with pytest.raises(Busy, match=TAKEOVER_OFF):
        await finger.go(B)
    assert finger.down == []


async def abandoned(finger: Finger) -> None:
    await finger.press()
    finger.scripted.session.check_attended = refuse_absent
    with pytest.raises(Busy, match="No page is open"):
        await finger.go(B)
    assert finger.down == []


async def silent(finger: Finger) -> None:
    await finger.press()
    await asyncio.sleep(SILENCE_TIMEOUT_S / 2)
    assert finger.down == ["left"]
    await finger.go(B)
    await asyncio.sleep(SILENCE_TIMEOUT_S / 2)
    assert finger.down == ["left"]


def ended(end: Callable[[Finger], Awaitable[None]]) -> Callable[[Finger], Awaitable[None]]:
    """All is up when it returns."""

    async def press_and_end(finger: Finger) -> None:
        await finger.press()
        await finger.go(B)
        await end(finger)
        assert finger.down == []

    return press_and_end


ENDINGS: dict[str, tuple[str, Callable[[Finger], Awaitable[None]]]] = {
    "stop": (CUT_OFF, ended(lambda finger: finger.scripted.session.stop())),
    "pause": (CUT_OFF, ended(lambda finger: finger.scripted.session.pause())),
    "reset": (CUT_OFF, ended(lambda finger: finger.scripted.session.reset())),
    "let go": (CUT_OFF, ended(lambda finger: finger.manual_control.release())),
    "the page goes": (CUT_OFF, left),
    "the page hides": (CUT_OFF, hidden),
    "another person": (CUT_OFF, displaced),
    "no longer allowed": (TAKEOVER_OFF, forbidden),
    "no page open": ("No page is open", abandoned),
    "silence": (PAGE_LOST, silent),
}


@pytest.mark.parametrize("how", ENDINGS)
async def test_however_a_hold_ends_the_button_is_released(how: str) -> None:
    words, end = ENDINGS[how]
    scripted = ScriptedSession()
    finger = Finger(scripted)
    await end(finger)
    await until(lambda: not finger.manual_control.is_holding)
    assert finger.down == []
    reports = len(finger.recorder.reports)
    with pytest.raises(Busy, match=words):
        await finger.go(C)
    await asyncio.sleep(0.1)
    assert finger.recorder.reports[reports:] == []
    if how == "stop":
        with pytest.raises(Busy, match=TURN_ENDED):
            await finger.press()
    elif not finger.allowed or finger.scripted.session.check_attended is refuse_absent:
        return
    else:
        await finger.press()
        await finger.go(B, over=True)
    assert finger.down == []


async def test_a_cancelled_hold_is_told_as_far_as_it_went() -> None:
    scripted = ScriptedSession("hang", "Done")
    await scripted.session.send("do it")
    finger = Finger(scripted)
    await finger.press(A)
    await finger.go(B)
    await until(lambda: finger.at == (768, 432))
    await finger.manual_control.release()
    assert scripted.session.task
    assert "Drag from (256, 216) to (767, 431)" in scripted.session.task.by_hand


async def test_a_device_error_during_a_hold_is_raised_by_the_next_position() -> None:
    scripted = ScriptedSession()
    scripted.device = device = Failing()
    scripted.inputs = HidInputs(device)
    finger = Finger(scripted)
    await finger.press()
    device.fails = True
    await until(lambda: not finger.manual_control.is_holding)
    assert finger.down == []
    with pytest.raises(DeviceError, match="asleep"):
        await finger.go(B)


class Failing(Recorder):
    fails = False

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        if self.fails:
            raise DeviceError("The computer is asleep.")
        await super().write(endpoint, report)


class Timed(Recorder):
    """Keeps the loop's time of each report too."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        self.times.append(asyncio.get_running_loop().time())
        await super().write(endpoint, report)


@pytest.mark.parametrize("mouse", [None, Mouse(1280, 720)])
def test_a_hold_renews_the_writers_lease(mouse: Mouse | None) -> None:
    """A finger that rests sends nothing to the computer by itself, and the lease is short.

    On a clock of its own: a stall of this process would rightly end the lease of a real writer.
    """
    device = Timed()

    async def rest() -> None:
        scripted = ScriptedSession()
        scripted.device = device
        scripted.inputs = HidInputs(device, InputProfile(mouse=mouse))
        finger = Finger(scripted)
        await finger.press()
        for _ in range(5):
            await asyncio.sleep(LEASE_S)
            await finger.go(A)
            assert finger.down == ["left"]
        await finger.go(B, over=True)

    with contextlib.closing(Leap()) as loop:
        loop.run_until_complete(rest())
    result = interpret(device.reports)
    assert len(result.presses) == len(result.releases) == 1
    assert device.times[-1] - device.times[0] > 5 * LEASE_S
    assert max(after - before for before, after in pairwise(device.times)) < LEASE_S / 2


async def test_positions_below_a_mouse_step_keep_the_hold() -> None:
    device = Recorder()
    inputs, held = HidInputs(device, InputProfile(mouse=Mouse(1280, 720, 8.0))), PointerHold(A)
    holding = asyncio.create_task(inputs.hold_button("left", held.follow()))
    await held.pressed
    before = len(device.reports)
    for n in range(5):
        held.move(Point(x=A.x + n * 1e-5, y=A.y))
        await asyncio.sleep(0.01)
    assert len(device.reports) >= before + 5
    holding.cancel()
    await asyncio.wait([holding])
    assert interpret(device.reports).down == []
