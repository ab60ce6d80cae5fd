"""Whatever ends an action, nothing stays pressed and nothing follows."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest

from cua.hid.action_to_reports import MIN_DRAG_STEPS
from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.hid.reports import Endpoint
from cua.simulator.usbhost import UsbHost
from cua.types import (
    ActionError,
    Click,
    DeviceError,
    Drag,
    InputReleased,
    Keypress,
    KvmAction,
    ManualAction,
    Move,
    Point,
    Power,
    Scroll,
    Type,
    Wait,
)
from tests.support.devices import Fifos, Recorder, interpret

A, B = Point(x=0.2, y=0.3), Point(x=0.8, y=0.6)
ACTIONS: list[ManualAction] = [
    Move(at=A),
    Click(at=A, count=3),
    Click(at=A, button="right", keys=("ctrl",)),
    Drag(path=(A, B)),
    Scroll(at=A, dy=3),
    Scroll(at=A, dx=-2),
    Type(text="Hello, World"),
    Keypress(keys=("ctrl", "alt", "t"), count=2),
]


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.kind)
async def test_cancelled_at_every_report_nothing_is_held_and_nothing_follows(
    action: ManualAction,
) -> None:
    whole = Recorder()
    await HidInputs(whole).perform(action)
    assert interpret(whole.reports).down == []

    async def cancelled_at(k: int) -> None:
        device = Recorder(cancel_at=k)
        done: list[ManualAction] = []
        inputs = HidInputs(device, on_performed=lambda each, _: done.append(each))
        task = asyncio.create_task(inputs.perform(action))
        await asyncio.wait([task])
        assert task.cancelled()
        assert done == [action] or isinstance(action, (Type, Keypress))
        assert device.after_cancel == []
        assert device.reports[:k] == whole.reports[:k]
        assert interpret(device.reports).down == []

    await asyncio.gather(*map(cancelled_at, range(1, len(whole.reports) + 1)))


async def test_what_is_still_held_is_released_before_an_action() -> None:
    device = Recorder()
    await device.write("keyboard", bytes([1, *bytes(7)]))
    await HidInputs(device).perform(Click(at=A))
    assert interpret(device.reports).chords == ["ctrl"]
    assert device.reports[1] == ("keyboard", bytes(8))


class CaseButtons:
    """Of a KVM that knows no address for Wake-on-LAN."""

    def __init__(self, device: Recorder) -> None:
        self._device = device
        self.pressed: list[KvmAction] = []
        self.down: list[str] = []
        """What was held when the last button was pressed."""

    def check(self, action: KvmAction) -> None:
        if action == Power(button="wake"):
            raise ActionError("The address is not known.")

    async def perform(self, action: KvmAction) -> None:
        self.down = interpret(self._device.reports).down
        self.pressed.append(action)


async def test_a_button_of_the_case_is_pressed_by_the_kvm_after_a_release() -> None:
    device = Recorder()
    buttons, reset = CaseButtons(device), Power(button="reset")
    inputs = HidInputs(device, kvm=buttons)
    with pytest.raises(ActionError, match="not known"):
        inputs.check(Power(button="wake"))
    inputs.check(reset)
    await device.write("keyboard", bytes([1, *bytes(7)]))
    await inputs.perform(reset)
    assert (buttons.pressed, buttons.down) == ([reset], [])
    assert inputs.progress == "it was carried out"
    assert inputs.last_report_at
    with pytest.raises(ActionError, match="cannot do that"):
        HidInputs(device).check(reset)


async def test_the_release_leaves_the_pointer_where_it_is() -> None:
    device = Recorder(cancel_at=9)
    task = asyncio.create_task(HidInputs(device).perform(Drag(path=(A, B))))
    await asyncio.wait([task])
    (_, held), (_, released) = device.reports[-2:]
    assert held[0] == 1
    assert released == bytes([0, *held[1:]])


class Releasing(Recorder):
    """A device whose writer has released everything before the next report."""

    released = False

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        if self.released:
            self.released = False
            raise InputReleased("Held keys were released.")
        await super().write(endpoint, report)


async def test_keys_of_an_action_that_has_ended_are_not_taken_for_held() -> None:
    device = Releasing(cancel_at=1)
    inputs = HidInputs(device)
    await asyncio.wait([asyncio.create_task(inputs.perform(Keypress(keys=("ALT", "F4"))))])
    device.released = True
    await inputs.perform(Type(text="a"))
    assert interpret(device.reports).text == "a"


async def test_a_button_held_by_hand_follows_at_once_when_its_drag_has_been_recognised() -> None:
    device, counts = Recorder(), []

    async def way() -> AsyncIterator[Point]:
        for x in (0.5, 0.5, 0.501, 0.502, 0.502):
            yield Point(x=x, y=0.5)
            counts.append(len(device.reports))

    await HidInputs(device).hold_button("left", way())
    assert [after - before for before, after in itertools.pairwise(counts)] == [
        1,
        MIN_DRAG_STEPS,
        1,
        1,
    ]


async def test_progress_counts_the_characters_that_arrived() -> None:
    """Whenever it is cancelled: one too few, and a resumed task types a letter twice."""
    text = "abCD efg"
    for k in range(1, 16):
        device = Recorder(cancel_at=k)
        inputs = HidInputs(device)
        task = asyncio.create_task(inputs.perform(Type(text=text)))
        await asyncio.wait([task])
        typed = len(interpret(device.reports).text)
        assert inputs.progress == f"{typed} of its {len(text)} characters were typed"


@pytest.mark.parametrize(
    "action", [Type(text="abCD\ne"), Keypress(keys=("SHIFT", "A"), count=3)], ids=lambda a: a.kind
)
async def test_follow_gets_what_was_done_and_what_may_have_been(
    action: Type | Keypress,
) -> None:
    whole = Recorder()
    await HidInputs(whole).perform(action)
    for k in range(1, len(whole.reports) + 1):
        device = Recorder(cancel_at=k)
        done: list[tuple[ManualAction, bool]] = []
        inputs = HidInputs(device, on_performed=lambda *piece, done=done: done.append(piece))
        await asyncio.wait([asyncio.create_task(inputs.perform(action))])
        typed = interpret(device.reports).text
        sure = "".join(text_of(piece) for piece, certain in done if certain)
        doubtful = "".join(text_of(piece) for piece, certain in done if not certain)
        assert typed in (sure, sure + doubtful)
        assert len(doubtful) <= 1
    done = []
    await HidInputs(Recorder(), on_performed=lambda *piece: done.append(piece)).perform(action)
    assert done == [(action, True)]


def text_of(action: ManualAction) -> str:
    return "A" * action.count if isinstance(action, Keypress) else getattr(action, "text", "")


async def test_on_typed_gets_the_count_of_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cua.hid.inputs.PROGRESS_INTERVAL_S", 0.0)
    shown: list[int] = []
    await HidInputs(Recorder(), on_typed=shown.append).perform(Type(text="abc"))
    assert sorted(shown) == shown
    assert shown[-1] == 3
    monkeypatch.setattr("cua.hid.inputs.PROGRESS_INTERVAL_S", 10.0)
    shown.clear()
    await HidInputs(Recorder(), on_typed=shown.append).perform(Type(text="abc"))
    assert len(shown) == 1


async def test_a_drag_from_an_unknown_place_is_refused() -> None:
    device = Recorder()
    inputs = HidInputs(device)
    drag = Drag(path=(Point(x=0.5, y=0.5),))
    inputs.check(drag)  # what comes before it may move the pointer
    with pytest.raises(ActionError, match="Move it to the start"):
        await inputs.perform(drag)
    assert (device.reports, inputs.progress) == ([], "")
    await inputs.perform(Move(at=Point(x=0.1, y=0.1)))
    await inputs.perform(drag)
    assert len(interpret(device.reports).presses) == 1


async def test_a_wait_can_be_interrupted() -> None:
    task = asyncio.create_task(HidInputs(Recorder()).perform(Wait(seconds=60)))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task], timeout=1)
    assert task.cancelled()


async def test_reports_reach_the_devices_whole(fifos: Fifos) -> None:
    gadget = Gadget(fifos.prefix)
    await HidInputs(gadget).perform(Type(text="Hi\n"))
    await HidInputs(gadget).perform(Click(at=A))
    keyboard = [("keyboard", report) for report in fifos.read("keyboard")]
    assert interpret(keyboard).text == "Hi\n"  # type: ignore[arg-type]
    assert [report[0] for report in fifos.read("pointer")] == [0, 0, 1, 0]
    assert fifos.read("mouse") == []
    gadget.close()


async def test_a_host_that_takes_nothing_raises_an_error(
    fifos: Fifos, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.hid.gadget.HOST_TIMEOUT_S", 0.1)
    fifos.fill("keyboard")
    gadget = Gadget(fifos.prefix)
    with pytest.raises(DeviceError, match="asleep"):
        await HidInputs(gadget).perform(Type(text="x"))
    gadget.close()


@pytest.mark.parametrize(("lamps", "lit"), [(0b010, True), (0b101, False), (None, False)])
async def test_capital_letters_are_correct_while_caps_lock_is_on(
    lamps: int | None, lit: bool
) -> None:
    device = Recorder(leds=lamps)
    host = UsbHost(1280, 720)
    host.keyboard.caps = lit
    inputs = HidInputs(device)
    await inputs.perform(Type(text="Hello, World"))
    for n, (_, report) in enumerate(device.reports):
        host.report(0, report, n * 0.001)
    assert "".join(host.typed) == "Hello, World"
    assert inputs.progress == "it was carried out"


@pytest.mark.parametrize("action", [Click(at=A), Keypress(keys=("A",))], ids=lambda a: a.kind)
async def test_only_typing_switches_caps_lock_off(action: ManualAction) -> None:
    device, same = Recorder(leds=0b010), Recorder()
    await HidInputs(device).perform(action)
    await HidInputs(same).perform(action)
    assert device.reports == same.reports


async def test_switching_caps_lock_off_is_not_counted_as_typed() -> None:
    done: list[ManualAction] = []
    device = Recorder(cancel_at=1, leds=0b010)
    inputs = HidInputs(device, on_performed=lambda each, _: done.append(each))
    await asyncio.wait([asyncio.create_task(inputs.perform(Type(text="Hello")))])
    assert inputs.progress == "0 of its 5 characters were typed"
    assert done == []
