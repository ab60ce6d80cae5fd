"""Our writer process on genuine /dev/hidg*: the kernel's f_hid, with this same kernel as its host.

The guest is its own KVM: its USB device controller (dummy_hcd) is plugged into its own USB port.
Python and the writer run in it; the hands and the rest run here.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from cua.hid import typing_speed
from cua.hid.inputs import CAPS_LOCK, HidInputs
from cua.types import Click, DeviceError, Drag, Keypress, Move, Point, Type
from tests.usb.gadgets import CTRL_SHIFT_A, Remote
from tests.usb.guest_machine import Event, Guest
from tests.usb.linux_keys import held, text

pytestmark = [pytest.mark.usb, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

KEYBOARD, MOUSE, POINTER = range(3)
UP = bytes(8)
CABLE = "/sys/kernel/config/usb_gadget/g0/UDC"


@pytest_asyncio.fixture(loop_scope="module")
async def gadget(kvm_guest: Guest) -> AsyncIterator[Remote]:
    await kvm_guest.run("kvm")
    gadget = Remote(str(kvm_guest.folder / "hid"))
    assert await gadget.state() == "configured"
    for endpoint in range(3):
        await kvm_guest.listen(endpoint)
        await kvm_guest.events(endpoint, quiet=0.2)
    yield gadget
    gadget.close()


async def test_text_keys_and_clicks_arrive(kvm_guest: Guest, gadget: Remote) -> None:
    inputs = HidInputs(gadget)
    words = "".join(random.choices("abcdefghij ABCDEFGHIJ .,;!?", k=200))
    await inputs.perform(Type(text=words))
    await inputs.perform(Keypress(keys=("ctrl", "shift", "esc")))
    await inputs.perform(Drag(path=(Point(x=0, y=0), Point(x=1, y=1))))
    events = await kvm_guest.events(KEYBOARD, quiet=1)
    assert text(events[:-6]) == words
    assert held(events) == []
    buttons = [each for each in await kvm_guest.events(POINTER) if each.name.startswith("BTN")]
    assert buttons == [Event("BTN_MOUSE", 1), Event("BTN_MOUSE", 0)]


async def test_a_mouse_that_is_not_polled(kvm_guest: Guest, gadget: Remote) -> None:
    """The kernel takes the first report and refuses the second: that is no delivery."""
    await kvm_guest.run("ignore")
    inputs = HidInputs(gadget)
    with pytest.raises(DeviceError, match=r"does not take mouse input"):
        await inputs.perform(Click(at=Point(x=0.9, y=0.9)))
    await inputs.perform(Type(text="but the keyboard works"))
    await kvm_guest.listen(POINTER)
    await inputs.perform(Click(at=Point(x=0.1, y=0.1)))
    events = await kvm_guest.events(POINTER)
    assert events[-2:] == [Event("BTN_MOUSE", 1), Event("BTN_MOUSE", 0)]
    assert held(events) == []


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
async def test_keys_are_released_whatever_ends_the_process(
    kvm_guest: Guest, gadget: Remote, end: signal.Signals
) -> None:
    gadget.close()
    await kvm_guest.run("kvm")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.usb.gadgets", "remote", str(kvm_guest.folder / "hid")),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    assert await process.stdout.readline() == b"held\n"
    down = await kvm_guest.events(KEYBOARD)
    assert held(down) == ["KEY_LEFTCTRL", "KEY_LEFTSHIFT", "KEY_A"]
    process.send_signal(end)
    assert held([*down, *await kvm_guest.events(KEYBOARD, quiet=1)]) == []
    assert held(await kvm_guest.events(POINTER)) == []
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def test_the_next_writer_releases_what_a_killed_one_left(
    kvm_guest: Guest, gadget: Remote
) -> None:
    await gadget.write("keyboard", CTRL_SHIFT_A)
    await kvm_guest.run("kill-writer")
    down = await kvm_guest.events(KEYBOARD)
    assert "KEY_A" in held(down)
    gadget.close()
    await kvm_guest.run("kvm")
    successor = Remote(str(kvm_guest.folder / "hid"))
    assert await successor.state() == "configured"
    assert held([*down, *await kvm_guest.events(KEYBOARD)]) == []
    successor.close()


async def test_unplugged_with_a_key_down_and_plugged_in_again(
    kvm_guest: Guest, gadget: Remote
) -> None:
    inputs = HidInputs(gadget)
    typing = asyncio.create_task(inputs.perform(Type(text="A" * 500)))
    await asyncio.sleep(0.3)
    await kvm_guest.run(f"echo > {CABLE}")
    with pytest.raises(DeviceError, match=r"the KVM says: (not attached|disconnected)"):
        await typing
    with pytest.raises(DeviceError, match=r"USB side is being restarted|not connected"):
        await inputs.perform(Move(at=Point(x=0.5, y=0.5)))
    await kvm_guest.until("! ps | grep -q '[c]at /dev/input'")
    await kvm_guest.run(f"ls /sys/class/udc > {CABLE}")
    await kvm_guest.until("grep -q configured /sys/class/udc/*/state")
    await kvm_guest.listen(KEYBOARD)
    await kvm_guest.events(KEYBOARD)
    await inputs.perform(Type(text="Back"))
    events = await kvm_guest.events(KEYBOARD)
    assert text(events) == "Back"
    assert held(events) == []


async def test_unplugged_during_enumeration(kvm_guest: Guest, gadget: Remote) -> None:
    """At several moments of it. (QEMU's own USB redirection hangs its guest at such a moment.)"""
    inputs = HidInputs(gadget)
    for microseconds in (0, 5_000, 30_000, 100_000):
        await kvm_guest.run(f"echo > {CABLE}")
        await kvm_guest.until("! ps | grep -q '[c]at /dev/input'")
        for_a_moment = f"ls /sys/class/udc > {CABLE}; usleep {microseconds}; echo > {CABLE}"
        await kvm_guest.run(for_a_moment)
        with pytest.raises(DeviceError):
            await inputs.perform(Type(text="not yet"))
        await kvm_guest.run(f"ls /sys/class/udc > {CABLE}")
        await kvm_guest.until("grep -q configured /sys/class/udc/*/state")
        await kvm_guest.listen(KEYBOARD)
        await kvm_guest.events(KEYBOARD)
        await inputs.perform(Type(text="Back"))
        events = await kvm_guest.events(KEYBOARD)
        assert text(events) == "Back"
        assert held(events) == []


async def test_a_host_that_sleeps_gets_the_release_first_when_it_wakes(
    kvm_guest: Guest, gadget: Remote
) -> None:
    """What was queued cannot be taken back: the key goes down when the host wakes, and up again.

    This controller's state stays "configured" meanwhile, so it is the missing poll that tells.
    """
    inputs = HidInputs(gadget)
    await kvm_guest.run("power auto")
    with pytest.raises(DeviceError, match="does not take keyboard input"):
        await inputs.perform(Type(text="x"))
    with pytest.raises(DeviceError, match="does not take keyboard input"):
        await inputs.perform(Type(text="y"))
    await kvm_guest.run("power on")
    woken = await kvm_guest.events(KEYBOARD, quiet=1)
    assert woken in ([], [Event("KEY_X", 1), Event("KEY_X", 0)])
    await inputs.perform(Type(text="Back"))
    events = await kvm_guest.events(KEYBOARD)
    assert text(events) == "Back"
    assert held(events) == []


async def test_caps_lock_is_read_if_no_other_process_reads_it(
    kvm_guest: Guest, gadget: Remote
) -> None:
    gadget.close()
    await kvm_guest.run("kvm")
    ours = Remote(str(kvm_guest.folder / "hid"))
    inputs = HidInputs(ours)
    await inputs.perform(Keypress(keys=("CAPSLOCK",)))
    await kvm_guest.events(KEYBOARD)
    if not (ours.leds or 0) & CAPS_LOCK:  # it was lit
        await inputs.perform(Keypress(keys=("CAPSLOCK",)))
        await kvm_guest.events(KEYBOARD)
    assert (ours.leds or 0) & CAPS_LOCK
    await inputs.perform(Type(text="Ab"))
    events = await kvm_guest.events(KEYBOARD)
    assert events[:2] == [Event("KEY_CAPSLOCK", 1), Event("KEY_CAPSLOCK", 0)]
    assert text(events[2:]) == "Ab"
    assert await typing_speed.find_pace(ours) == "fast"
    ours.close()


async def test_the_leds_are_left_to_the_kvms_own_service(kvm_guest: Guest, gadget: Remote) -> None:
    gadget.close()
    await kvm_guest.run("sh -c 'exec sleep 1000 <>/dev/hidg0' & echo $! > /run/other")
    await kvm_guest.run("kvm")
    ours = Remote(str(kvm_guest.folder / "hid"))
    for _ in range(2):
        await HidInputs(ours).perform(Keypress(keys=("CAPSLOCK",)))
    await kvm_guest.events(KEYBOARD)
    assert ours.leds is None
    await kvm_guest.run("kill $(cat /run/other)")
    ours.close()
