"""A KVM on this machine's USB: a CH9329 at a pseudo-terminal, and pictures through a FIFO."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from cua.hid.reports import make_keyboard_report, make_pointer_report
from cua.kvms import registry, usb_kvm, usb_pair
from cua.kvms.address import parse_address
from cua.kvms.ch9329 import encode, make_frame
from cua.kvms.kvm import KvmCallbacks
from cua.kvms.probe import find_address
from cua.kvms.usb_pair import find_pair
from cua.kvms.v4l2 import NotMjpegError
from cua.kvms.watchdog_process import LEASE_S
from cua.types import Click, CuaError, DeviceError, Drag, Keypress, Point, Scroll, Type
from tests.kvms.open_kvm import OpenKvm, open_kvm, until_written
from tests.kvms.test_watchdog import typing_process
from tests.servers.ch9329_chip import Ch9329
from tests.servers.mjpeg_server import picture
from tests.support.devices import interpret
from tests.support.waiting import until


def address(path: str, more: str = "") -> str:
    return f"usb://{path}?video=/dev/null{more}"


async def at(there: OpenKvm, *actions: Type | Click | Drag | Keypress | Scroll) -> None:
    for action in actions:
        await there.inputs.perform(action)


# --- the chip -------------------------------------------------------------------------------------


def test_the_last_pixel_is_reached_and_only_what_changes_is_sent() -> None:
    here, corner = (
        make_pointer_report(Point(x=0.5, y=0.5)),
        make_pointer_report(Point(x=1, y=1), buttons=1, wheel=-1),
    )
    move = make_frame(4, b"\2\0\xff\x0f\xff\x0f\0")
    press = make_frame(5, b"\1\1\0\0\xff")
    assert encode("pointer", here, corner) == [move, press]
    assert encode("pointer", here, here) == [make_frame(4, b"\2\0\0\x08\0\x08\0")]
    assert encode("mouse", None, b"\1\2\xfe\0") == [make_frame(5, b"\1\1\2\xfe\0")]
    assert make_frame(1) == bytes.fromhex("57 ab 00 01 00 03")


@pytest.mark.parametrize(("found", "named"), [(57600, ""), (9600, ""), (9600, "&baud=9600")])
async def test_the_rate_is_found(found: int, named: str) -> None:
    chip = Ch9329(baud=found)
    async with chip.plugged_in() as path, open_kvm(address(path, named)) as there:
        await at(there, Type(text="x"))
        assert interpret(chip.written).text == "x"


async def test_a_port_without_a_chip_has_its_own_message() -> None:
    async with Ch9329(baud=19200).plugged_in() as path, open_kvm(address(path)) as there:
        with pytest.raises(DeviceError, match="57600, 115200 and 9600 baud"):
            await at(there, Type(text="x"))


@pytest.mark.parametrize("is_short", [True, False])
async def test_a_port_that_fails_while_its_rate_is_looked_for(is_short: bool) -> None:
    class Failing(Ch9329):
        def _answer(self, *_: object) -> None:
            if is_short:
                os.write(self._end, bytes.fromhex("57 ab 00 81 01 31 b5"))
            else:
                self.unplug()

    async with Failing().plugged_in() as path, open_kvm(address(path)) as there:
        with pytest.raises(DeviceError, match=r"No CH9329 answers|cannot be used|not connected"):
            await at(there, Type(text="x"))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/dev/null", "not a device of this kind"),
        ("/dev/ttyUSB77", "is not connected"),
        ("{path}&baud=5", "cannot be used: Invalid argument"),
    ],
)
async def test_why_a_port_cannot_be_used_is_said(path: str, words: str) -> None:
    name, _, more = path.partition("&")
    async with Ch9329().plugged_in() as real:
        there = address(name.format(path=real), f"&{more}")
        kvm = registry.create(parse_address(there), KvmCallbacks(print))
        with pytest.raises(DeviceError, match=words) as refused:
            await kvm.write("keyboard", make_keyboard_report())
        assert refused.value.setting == "kvm"
        await kvm.close()


async def test_a_port_in_use_is_left_alone() -> None:
    chip = Ch9329()
    async with chip.plugged_in() as path, open_kvm(address(path)) as first:
        await at(first, Type(text="a"))
        async with open_kvm(address(path)) as second:
            with pytest.raises(DeviceError, match="Another program uses"):
                await at(second, Type(text="b"))
        await at(first, Type(text="c"))
        assert interpret(chip.written).text == "ac"


async def test_a_refused_frame_and_garbage_before_an_answer_lose_nothing() -> None:
    chip = Ch9329(faults=itertools.cycle(("", "refused", "garbage first")))
    async with chip.plugged_in() as path, open_kvm(address(path)) as there:
        await at(there, Type(text="Hello, World"))
        assert interpret(chip.written).text == "Hello, World"
        assert chip.overlaps == chip.wrong_sums == 0


async def test_a_spoilt_answer_releases_everything() -> None:
    faults = iter(["", "", "", "wrong sum"])
    chip = Ch9329(faults=itertools.chain(faults, itertools.repeat("")))  # type: ignore[arg-type]
    async with chip.plugged_in() as path, open_kvm(address(path)) as there:
        drag = Drag(path=(Point(x=0.2, y=0.2), Point(x=0.8, y=0.8)), keys=("shift",))
        with pytest.raises(DeviceError, match="no longer answer on the serial port"):
            await at(there, drag)
        await until(lambda: not chip.down())
        await at(there, Type(text="b"))
        assert interpret(chip.written).text.endswith("b")


async def test_closing_in_the_middle_leaves_nothing_down() -> None:
    chip = Ch9329()
    async with chip.plugged_in() as path:
        async with open_kvm(address(path)) as there:
            await there.kvm.write("keyboard", make_keyboard_report(2, [4]))
            await there.kvm.write("pointer", make_pointer_report(Point(x=0.5, y=0.5), 1))
        await until(lambda: not chip.down())


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
async def test_nothing_stays_down_if_this_program_is_killed_or_frozen(end: signal.Signals) -> None:
    chip = Ch9329()
    async with chip.plugged_in() as path, typing_process(address(path), "") as process:
        await until_written(chip, random.randint(5, 60))
        await until(lambda: bool(chip.down()))
        process.send_signal(end)
        await until(lambda: not chip.down())
        await asyncio.sleep(LEASE_S / 4)  # what was on its way has come
        await until(lambda: not chip.down())


async def test_an_unplugged_kvm_is_used_again_when_it_is_back(tmp_path: Path) -> None:
    chip, other, name = Ch9329(), Ch9329(), tmp_path / "by-id"
    async with chip.plugged_in() as path, open_kvm(address(str(name))) as there:
        name.symlink_to(path)
        await at(there, Type(text="a"))
        chip.unplug()
        with pytest.raises(DeviceError):
            await at(there, Type(text="b"))
        async with other.plugged_in() as path:
            name.unlink()
            name.symlink_to(path)
            await at(there, Type(text="c"))
            assert interpret(other.written).text == "c"


async def test_the_state_of_the_computer_is_told() -> None:
    chip = Ch9329(attached=False)
    async with chip.plugged_in() as path, open_kvm(address(path)) as there:
        await until(lambda: any("does not see" in why for why in there.calls.input_problems))
        with pytest.raises(DeviceError, match="does not see"):
            await at(there, Keypress(keys=("a",)))
        assert chip.written, "a key may wake it"
        chip.attached, chip.leds = True, 2
        await until(lambda: there.calls.input_problems[-1] == "")
        assert there.kvm.leds == 2
        await at(there, Keypress(keys=("a",)))


# --- the pictures ---------------------------------------------------------------------------------


class Pictures:
    """What takes the place of `v4l2.Capture`: the FIFO `path`, in which every JPEG has a length."""

    size = (0, 0)

    def __init__(self, path: str, size: tuple[int, int]) -> None:
        Pictures.size = size
        self._end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._rest = b""

    def fileno(self) -> int:
        return self._end

    def read(self) -> list[bytes]:
        self._rest += os.read(self._end, 1 << 20)
        if self._rest.startswith(b"gone"):
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        found = []
        while len(self._rest) >= 4 + (length := int.from_bytes(self._rest[:4], "big")) > 4:
            found.append(self._rest[4 : 4 + length])
            self._rest = self._rest[4 + length :]
        return found

    def close(self) -> None:
        os.close(self._end)


Send = Callable[..., None]


@pytest.fixture
def capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("cua.kvms.usb_kvm.Capture", Pictures)
    path = tmp_path / "video0"
    os.mkfifo(path)
    return path


@pytest.fixture
def send(capture: Path) -> Send:
    end = os.open(capture, os.O_RDWR | os.O_NONBLOCK)

    def send(*pictures: bytes) -> None:
        os.write(end, b"".join(len(each).to_bytes(4, "big") + each for each in pictures))

    return send


GREY, WHITE = picture(size=(640, 360)), picture(size=(640, 360), grey=255)
START = [GREY[:500]] * usb_kvm.DROPPED_PICTURES


async def test_only_whole_pictures_are_shown(capture: Path, send: Send) -> None:
    async with Ch9329().plugged_in() as path, open_kvm(f"usb://{path}?video={capture}") as there:
        send(*START, WHITE, GREY, GREY[:-2], WHITE[2:])
        await there.until_live()
        assert there.screen.newest
        assert there.screen.newest.jpeg == GREY
        assert there.screen.newest.seq == 2
        assert Pictures.size == (1920, 1080)
        send(WHITE)
        await until(lambda: bool(there.screen.newest and there.screen.newest.jpeg == WHITE))


async def test_silence_opens_the_device_again(
    capture: Path, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.kvms.usb_kvm.IDLE_TIMEOUT_S", 0.2)
    async with Ch9329().plugged_in() as path, open_kvm(f"usb://{path}?video={capture}") as there:
        await until(lambda: there.screen.status.state == "stalled")
        while there.screen.status.state != "live":
            send(*START, WHITE)
            await asyncio.sleep(0.1)


async def test_an_unplugged_capture_device_is_said(capture: Path, send: Send) -> None:
    async with Ch9329().plugged_in() as path, open_kvm(f"usb://{path}?video={capture}") as there:
        send(*START, WHITE)
        await there.until_live()
        await asyncio.to_thread(capture.write_bytes, b"gone")
        await until(lambda: there.screen.status.state == "lost")
        assert f"{capture} is not connected" in there.screen.status.sentence


async def test_a_missing_signal_is_said_and_the_screen_comes_back(
    capture: Path, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How the chip is asked stands in `tests/usb/test_real_capture.py`."""
    signal: list[bool | None] = [None]
    monkeypatch.setattr("cua.kvms.usb_kvm.has_signal", lambda _: signal[-1])
    monkeypatch.setattr("cua.kvms.usb_kvm.SIGNAL_POLL_S", 0)
    async with Ch9329().plugged_in() as path, open_kvm(f"usb://{path}?video={capture}") as there:
        for has_signal, state in ((None, "live"), (False, "no_signal"), (True, "live")):
            signal.append(has_signal)
            while there.screen.status.state != state:
                send(*START, WHITE)
                await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("", "/dev/null is not a device of this kind"),
        ("&size=wide", "'wide' is not a valid size"),
    ],
)
async def test_why_there_is_no_picture_is_said(more: str, words: str) -> None:
    async with Ch9329().plugged_in() as path, open_kvm(address(path, more)) as there:
        await until(lambda: there.screen.status.state == "lost")
        assert words in there.screen.status.sentence


async def test_a_stick_without_mjpeg_is_said(
    capture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Raw(Pictures):
        def __init__(self, *_: object) -> None:
            raise NotMjpegError("YUYV")

    monkeypatch.setattr("cua.kvms.usb_kvm.Capture", Raw)
    place = f"?video={capture}&size=1280x720"
    async with Ch9329().plugged_in() as path, open_kvm(f"usb://{path}{place}") as there:
        await until(lambda: there.screen.status.state == "lost")
        assert f"{capture} gives YUYV, not MJPEG" in there.screen.status.sentence


# --- the pair -------------------------------------------------------------------------------------

HUB, PORT = "devices/pci0/usb1/1-2", "devices/pci0/usb1"


def plug(sysfs: Path, place: str, kind: str, name: str, index: str = "0") -> None:
    folder = sysfs / place / kind / name
    folder.mkdir(parents=True)
    if kind == "video4linux":
        (folder / "index").write_text(f"{index}\n")
    link = sysfs / "class" / kind / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(folder)


@pytest.fixture
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(usb_pair, "SYSFS", tmp_path)
    return tmp_path


async def test_the_pair_on_one_hub_is_found(sysfs: Path) -> None:
    plug(sysfs, f"{PORT}/1-1/1-1:1.0", "video4linux", "video0")
    plug(sysfs, f"{PORT}/1-3/1-3:1.0/ttyUSB0", "tty", "ttyUSB0")
    plug(sysfs, f"{HUB}/1-2.1/1-2.1:1.0", "tty", "ttyACM0")
    plug(sysfs, f"{HUB}/1-2.2/1-2.2:1.0", "video4linux", "video2")
    plug(sysfs, f"{HUB}/1-2.2/1-2.2:1.0", "video4linux", "video3", index="1")
    pair = "/dev/ttyACM0", "/dev/video2"
    assert find_pair("", "") == pair
    assert await find_address("kvm://") == "usb://"
    assert find_pair("/dev/ttyACM0", "") == pair
    assert find_pair("", "/dev/video2") == pair
    assert find_pair("/dev/ttyS0", "/dev/video9") == ("/dev/ttyS0", "/dev/video9")
    with pytest.raises(CuaError, match=r"usb:///dev/ttyUSB0\?video=/dev/video0 and usb:"):
        find_pair("/dev/ttyUSB0", "")


def test_a_missing_pair_is_said(sysfs: Path) -> None:
    plug(sysfs, f"{PORT}/1-1/1-1:1.0", "video4linux", "video0")
    with pytest.raises(CuaError, match="No USB serial port with a capture device"):
        find_pair("", "")
