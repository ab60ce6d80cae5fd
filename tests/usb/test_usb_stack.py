"""Our reports, read by a real operating system's USB, HID and input drivers.

From the hands through the writer process into FIFOs, and from there over an emulated USB cable
with a NanoKVM's own descriptors into a Linux guest. What its input layer saw is what counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import string
import sys
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio

from cua.hid import keymap, layouts
from cua.hid.input_profile import InputProfile
from cua.hid.inputs import CAPS_LOCK, HidInputs
from cua.hid.pointing import Mouse
from cua.hid.reports import make_keyboard_report
from cua.types import Click, DeviceError, Drag, Keypress, Move, Point, Scroll, Type
from tests.usb.cable import Cable
from tests.usb.descriptors import BOOT_FUNCTIONS, FUNCTIONS, Descriptors
from tests.usb.gadgets import Paced
from tests.usb.guest_machine import Event, Guest, usb_port
from tests.usb.linux_keys import held, linux_name, text

pytestmark = [pytest.mark.usb, pytest.mark.asyncio(loop_scope="module")]

KEYBOARD, MOUSE, POINTER = range(3)
UP = bytes(8)
RELATIVE = ("REL_X", "REL_Y")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cable(guest: Guest) -> AsyncIterator[Cable]:
    cable = Cable(guest.folder, guest.folder / "usb")
    for endpoint in range(3):
        await guest.listen(endpoint)
    yield cable
    cable.close()


@pytest.fixture
def gadget(cable: Cable) -> Iterator[Paced]:
    gadget = Paced(cable.prefix)
    gadget.release(everything=True)
    yield gadget
    gadget.close()


@pytest.fixture
def inputs(gadget: Paced) -> HidInputs:
    return HidInputs(gadget)


async def test_the_guest_sees_a_nanokvm(guest: Guest, cable: Cable) -> None:
    device = await guest.run("dirname $(grep -l 3346 /sys/bus/usb/devices/*/idVendor)")
    assert await guest.run(f"cat {device}/idProduct {device}/speed") == "1009\n480"
    assert await guest.run(f"cat {device}/manufacturer {device}/product") == "sipeed\nNanoKVM"
    for n, function in enumerate(FUNCTIONS):
        said = await guest.run(f"hexdump -ve '/1 \"%02x\"' {device}/*:1.{n}/*/report_descriptor")
        assert bytes.fromhex(said) == function.report_descriptor


async def test_every_key_by_its_name(guest: Guest, inputs: HidInputs) -> None:
    names = [*keymap.NAMED, *keymap.MODIFIERS]
    for name in names:
        await inputs.perform(Keypress(keys=(name,)))
    expected = [Event(linux_name(name), value) for name in names for value in (1, 0)]
    assert await guest.events(KEYBOARD) == expected


async def test_every_place_of_every_layout(guest: Guest, gadget: Paced) -> None:
    """Also of the keys that only European, Brazilian and Japanese keyboards have."""
    places = {
        key.usage
        for name in layouts.names()
        for keys in InputProfile(name).table.values()
        for key in keys
    }
    for usage in sorted(places):
        await gadget.write("keyboard", make_keyboard_report(0, [usage]))
        await gadget.write("keyboard", UP)
    seen = [event for event in await guest.events(KEYBOARD) if event.value == 1]
    assert len(seen) == len(places)
    assert {"KEY_102ND", "KEY_RO", "KEY_YEN"} <= {event.name for event in seen}


async def test_text_arrives_whole_and_in_order(guest: Guest, inputs: HidInputs) -> None:
    printable = string.ascii_letters + string.digits + string.punctuation + " \n\t"
    words = printable + "".join(random.choices(printable, k=400))
    await inputs.perform(Type(text=words))
    events = await guest.events(KEYBOARD, quiet=1)
    assert text(events) == words
    assert held(events) == []


async def test_a_chord_goes_down_in_order_and_up_at_once(guest: Guest, inputs: HidInputs) -> None:
    await inputs.perform(Keypress(keys=("ctrl", "shift", "esc")))
    names = [f"KEY_{name}" for name in ("LEFTCTRL", "LEFTSHIFT", "ESC")]
    events = await guest.events(KEYBOARD)
    assert [event.name for event in events[:3]] == names
    assert sorted(events[3:]) == sorted(Event(name, 0) for name in names)


async def test_six_keys_at_once(guest: Guest, gadget: Paced) -> None:
    for count in range(7):
        await gadget.write("keyboard", bytes([0, 0, *range(4, 4 + count), *bytes(6 - count)]))
    await gadget.write("keyboard", bytes([0, 0, 9, 8, 7, 6, 5, 4]))  # in another order: no event
    await gadget.write("keyboard", UP)
    events = await guest.events(KEYBOARD)
    assert events[:6] == [Event(f"KEY_{name}", 1) for name in "ABCDEF"]
    assert sorted(events[6:]) == [Event(f"KEY_{name}", 0) for name in "ABCDEF"]


@pytest.mark.parametrize(("x", "y"), [(0, 0), (1, 1), (0.5, 0.25)])
async def test_the_pointer_reaches_both_ends_of_each_axis(
    guest: Guest, inputs: HidInputs, x: float, y: float
) -> None:
    await inputs.perform(Move(at=Point(x=0.3, y=0.3)))
    await inputs.perform(Move(at=Point(x=x, y=y)))
    last = dict(await guest.events(POINTER))
    assert last == {"ABS_X": min(32767, round(x * 32768)), "ABS_Y": min(32767, round(y * 32768))}


async def test_a_host_drops_a_repeated_position(guest: Guest, gadget: Paced) -> None:
    """Which is why the hands step aside before they move to where they have been."""
    place = bytes([0, 0x11, 0x22, 0x33, 0x44, 0])
    await gadget.write("pointer", place)
    await guest.events(POINTER)
    await gadget.write("pointer", place)
    assert await guest.events(POINTER) == []
    inputs = HidInputs(gadget)
    for _ in range(2):
        await inputs.perform(Move(at=Point(x=0.5, y=0.5)))
        assert Event("ABS_X", 16384) in await guest.events(POINTER)


async def test_clicks(guest: Guest, inputs: HidInputs) -> None:
    for button in ("left", "right", "middle"):
        await inputs.perform(Click(at=Point(x=0.5, y=0.5), button=button, count=2))
    buttons = [each for each in await guest.events(POINTER) if each.name.startswith("BTN")]
    names = [name for name in ("BTN_MOUSE", "BTN_RIGHT", "BTN_MIDDLE") for _ in range(2)]
    assert buttons == [Event(name, value) for name in names for value in (1, 0)]


async def test_a_click_at_an_unknown_place(guest: Guest, inputs: HidInputs) -> None:
    await inputs.perform(Click())
    assert await guest.events(MOUSE) == [Event("BTN_MOUSE", 1), Event("BTN_MOUSE", 0)]
    assert await guest.events(POINTER) == []


async def test_a_drag_goes_through_its_points_with_the_button_down(
    guest: Guest, inputs: HidInputs
) -> None:
    await inputs.perform(Drag(path=(Point(x=0.1, y=0.5), Point(x=0.9, y=0.5))))
    events = await guest.events(POINTER)
    down, up = events.index(Event("BTN_MOUSE", 1)), events.index(Event("BTN_MOUSE", 0))
    way = [value for name, value in events[down:up] if name == "ABS_X"]
    assert way == sorted(way)
    assert way[-1] == 29492  # 0.9
    assert all(b - a < 0.03 * 32768 for a, b in pairwise(way))


async def test_wheel_notches(guest: Guest, inputs: HidInputs) -> None:
    await inputs.perform(Scroll(at=Point(x=0.5, y=0.5), dy=3))
    await inputs.perform(Scroll(dy=-2))
    events = await guest.events(POINTER)
    assert [value for name, value in events if name == "REL_WHEEL"] == [-1, -1, -1, 1, 1]


async def test_relative_movements_are_the_hosts_to_interpret(guest: Guest, gadget: Paced) -> None:
    await gadget.write("mouse", bytes([0, 127, 129, 0]))
    await gadget.write("mouse", bytes([0, 255, 1, 0]))
    moved = [each for each in await guest.events(MOUSE) if each.name in RELATIVE]
    assert moved == [*zip(RELATIVE, (127, -127), strict=True), *zip(RELATIVE, (-1, 1), strict=True)]


async def test_a_relative_mouse_goes_the_way_that_it_was_sent(guest: Guest, gadget: Paced) -> None:
    """What becomes of the counts is the desktop's affair, which may accelerate them."""
    inputs = HidInputs(gadget, InputProfile(mouse=Mouse(1280, 720)))
    await inputs.perform(Click(at=Point(x=0.25, y=0.5)))
    events = await guest.events(MOUSE)
    assert sum(value for name, value in events if name == "REL_X" and value > 0) == 320
    assert sum(value for name, value in events if name == "REL_Y" and value < 0) == 360 - 719
    assert events[-2:] == [Event("BTN_MOUSE", 1), Event("BTN_MOUSE", 0)]


async def test_caps_lock_is_switched_off_before_text(
    guest: Guest, cable: Cable, gadget: Paced
) -> None:
    inputs = HidInputs(gadget)
    while not cable.lamps or not cable.lamps[-1] & CAPS_LOCK:
        await inputs.perform(Keypress(keys=("CAPSLOCK",)))
        await guest.events(KEYBOARD)
    gadget.leds = cable.lamps[-1]
    await inputs.perform(Type(text="Ab"))
    events = await guest.events(KEYBOARD)
    assert events[:2] == [Event("KEY_CAPSLOCK", 1), Event("KEY_CAPSLOCK", 0)]
    assert text(events[2:]) == "Ab"
    assert not cable.lamps[-1] & CAPS_LOCK


async def test_caps_lock_is_reported_as_an_led(
    guest: Guest, cable: Cable, inputs: HidInputs
) -> None:
    before = cable.lamps[-1] if cable.lamps else 0
    for lamps in (before ^ CAPS_LOCK, before):
        await inputs.perform(Keypress(keys=("CAPSLOCK",)))
        await guest.events(KEYBOARD)
        assert cable.lamps[-1] == lamps


@contextlib.asynccontextmanager
async def _holding(cable: Cable) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process of ours, with keys and a button down."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.usb.gadgets", "paced", cable.prefix),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout
        assert await process.stdout.readline() == b"held\n"
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def test_keys_of_a_process_that_is_killed_are_released(guest: Guest, cable: Cable) -> None:
    """What else ends it: test_kills.py."""
    async with _holding(cable) as process:
        down = await guest.events(KEYBOARD)
        assert held(down) == ["KEY_LEFTCTRL", "KEY_LEFTSHIFT", "KEY_A"]
        process.send_signal(signal.SIGKILL)
        assert held([*down, *await guest.events(KEYBOARD, quiet=1)]) == []
    pressed = [each for each in await guest.events(POINTER) if each.name.startswith("BTN")]
    assert pressed == [Event("BTN_MOUSE", 1), Event("BTN_MOUSE", 0)]


async def test_a_mouse_that_is_not_polled_is_reported(
    guest: Guest, cable: Cable, inputs: HidInputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host asks a mouse only when some program wants to know; on a text console none does."""
    monkeypatch.setattr("cua.hid.gadget.HOST_TIMEOUT_S", 0.5)
    await guest.run("ignore")
    while cable.polled != {KEYBOARD}:
        await asyncio.sleep(0.01)
    with pytest.raises(DeviceError, match="does not take mouse input"):
        await inputs.perform(Click(at=Point(x=0.9, y=0.9)))
    await inputs.perform(Type(text="but the keyboard works"))
    for endpoint in range(3):
        await guest.listen(endpoint)
    await inputs.perform(Click(at=Point(x=0.1, y=0.1)))
    events = await guest.events(POINTER)
    assert events[-2:] == [Event("BTN_MOUSE", 1), Event("BTN_MOUSE", 0)]


async def test_a_slow_cable_takes_longer_and_loses_nothing(
    guest: Guest, cable: Cable, inputs: HidInputs
) -> None:
    cable.unplug()
    await _until_gone(guest)
    cable.descriptors = Descriptors(high_speed=False)
    cable.plug()
    await guest.listen(KEYBOARD)
    await inputs.perform(Type(text="Ten milliseconds a report!"))
    assert text(await guest.events(KEYBOARD)) == "Ten milliseconds a report!"
    cable.unplug()
    await _until_gone(guest)
    cable.descriptors = Descriptors()
    cable.plug()
    for endpoint in range(3):
        await guest.listen(endpoint)


async def test_unplugged_and_plugged_in_again(
    guest: Guest, cable: Cable, inputs: HidInputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.hid.gadget.HOST_TIMEOUT_S", 0.5)
    await guest.events(KEYBOARD)
    typing = asyncio.create_task(inputs.perform(Type(text="A" * 500)))
    await asyncio.sleep(0.1)
    cable.unplug()
    with pytest.raises(DeviceError, match="does not take keyboard input"):
        await typing
    await _until_gone(guest)
    await guest.events(KEYBOARD)
    with pytest.raises(DeviceError, match="does not take keyboard input"):
        await inputs.perform(Type(text="the host is gone"))
    cable.plug()
    for endpoint in range(3):
        await guest.listen(endpoint)
    await guest.events(KEYBOARD)
    await inputs.perform(Type(text="Back"))
    events = await guest.events(KEYBOARD)
    assert text(events) == "Back"
    assert held(events) == []


async def _until_gone(guest: Guest) -> None:
    await guest.until("! grep -q NanoKVM /proc/bus/input/devices")


@pytest.mark.parametrize("subclass", [0, 1])
async def test_firmware_listens_to_a_boot_keyboard_only(
    firmware_folder: Path, subclass: int
) -> None:
    """Sipeed's default has subclass 0; the KVM's switch for the BIOS makes it 1."""
    functions = BOOT_FUNCTIONS if subclass else FUNCTIONS
    async with _firmware(firmware_folder) as port:
        cable = Cable(firmware_folder, port, Descriptors(functions))
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(_until_polled(cable), 30 if subclass else 4)
        assert (KEYBOARD in cable.polled, cable.boot_protocol) == (bool(subclass), bool(subclass))
        cable.close()


async def _until_polled(cable: Cable) -> None:
    while not cable.polled:
        await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def _firmware(folder: Path) -> AsyncIterator[Path]:
    """A computer without a disk, at its boot menu."""
    qemu = await asyncio.create_subprocess_exec(
        *("qemu-system-x86_64", "-accel", "tcg", "-machine", "q35", "-m", "64"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-boot", "menu=on"),
        *usb_port(folder, wait="on"),  # it looks for keyboards only once
    )
    try:
        while not (folder / "usb").exists():
            await asyncio.sleep(0.01)
        yield folder / "usb"
    finally:
        qemu.kill()
        await qemu.wait()
