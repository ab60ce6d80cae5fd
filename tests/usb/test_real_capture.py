"""`v4l2.Capture` on the kernel's own uvcvideo, and `serial_port` on its 8250."""

from __future__ import annotations

import asyncio

import pytest

from tests.servers.mjpeg_server import picture
from tests.support.waiting import until
from tests.usb.capture_stick import Stick
from tests.usb.guest_machine import Guest

pytestmark = [pytest.mark.usb, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

LOAD_UVC = (
    "for each in /modules/video/*.ko; do insmod $each 2>&-; done; [ -d /sys/module/uvcvideo ]"
)
"""The modules are there already when a test is repeated."""
PICTURES = [picture(size=(640, 360), grey=grey) for grey in (30, 200)]


SERIAL = """
import fcntl, struct, termios
from cua.kvms import serial_port
port = serial_port.open_port("/dev/ttyS1", exclusive=True)
serial_port.set_baud(port, "57600")
(lines,) = struct.unpack("I", fcntl.ioctl(port, termios.TIOCMGET, bytes(4)))
print(lines & (termios.TIOCM_RTS | termios.TIOCM_DTR), termios.tcgetattr(port)[5] == termios.B57600)
"""
SIGNAL = """
from cua.kvms.capture_chip import has_signal
print(has_signal("/dev/video0"), has_signal("/dev/ttyS1"))
"""


async def test_a_serial_port_is_opened_with_its_lines_off(guest: Guest) -> None:
    assert await guest.run(f"cd / && python -S -E -c '{SERIAL}'") == "0 True"


async def test_pictures_and_signal_are_those_of_the_stick(guest: Guest) -> None:
    await guest.run(LOAD_UVC)
    stick = Stick(guest.folder, guest.folder / "usb", PICTURES)
    try:
        await guest.until("[ -e /dev/video0 ]")
        expected = {f"{len(each)} {sum(each)}" for each in PICTURES}
        for _ in range(2):  # it can be opened again
            said = await guest.run("cd / && python -S -E /video.py /dev/video0 1")
            assert set(said.splitlines()) == expected
        other = await guest.run("cd / && python -S -E /video.py /dev/video1 1")
        assert other == "OSError: [Errno 25] Inappropriate ioctl for device", "only metadata"
        ask = f"cd / && python -S -E -c '{SIGNAL}'"
        assert await guest.run(ask) == "True None"
        stick.has_signal = False
        assert await guest.run(ask) == "False None"
        running = asyncio.ensure_future(guest.run("cd / && python -S -E /video.py /dev/video0 60"))
        before = stick.sent
        await until(lambda: stick.sent > before + 10, 60)
        stick.unplug()
        assert (await running).splitlines()[-1] == "OSError: [Errno 19] No such device"
    finally:
        stick.close()


async def test_a_stick_without_mjpeg_is_refused(guest: Guest) -> None:
    await guest.until("[ ! -e /dev/video0 ]")
    stick = Stick(guest.folder, guest.folder / "usb", PICTURES, is_raw=True)
    try:
        await guest.until("[ -e /dev/video0 ]")
        said = await guest.run("cd / && python -S -E /video.py /dev/video0 1")
        assert said == "NotMjpegError: [Errno 22] YUYV"
    finally:
        stick.close()
