"""`v4l2.Capture` on the kernel's own uvcvideo, with a stick that sends MJPEG."""

from __future__ import annotations

import asyncio

import pytest

from tests.servers.mjpeg_server import picture
from tests.usb.capture_stick import Stick
from tests.usb.guest_machine import Guest

pytestmark = [pytest.mark.usb, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

PICTURES = [picture(size=(640, 360), grey=grey) for grey in (30, 200)]


async def test_the_pictures_are_those_of_the_stick(guest: Guest) -> None:
    await guest.run("for each in /modules/video/*.ko; do insmod $each; done")
    stick = Stick(guest.folder, guest.folder / "usb", PICTURES)
    try:
        await guest.until("[ -e /dev/video0 ]")
        expected = {f"{len(each)} {sum(each)}" for each in PICTURES}
        for _ in range(2):  # it can be opened again
            said = await guest.run("cd / && python -S -E /video.py /dev/video0 1")
            assert set(said.splitlines()) == expected
        other = await guest.run("cd / && python -S -E /video.py /dev/video1 1")
        assert other == "OSError: [Errno 25] Inappropriate ioctl for device", "only metadata"
        running = asyncio.ensure_future(guest.run("cd / && python -S -E /video.py /dev/video0 60"))
        await asyncio.sleep(1)
        stick.unplug()
        assert (await running).splitlines()[-1] == "OSError: [Errno 19] No such device"
    finally:
        stick.close()
