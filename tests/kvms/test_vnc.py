"""VNC in front of the servers of others: TigerVNC's and QEMU's own."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import shutil
import string
import struct
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from cua.hid.reports import make_keyboard_report, make_pointer_report
from cua.kvms import registry
from cua.kvms.address import parse_address
from cua.kvms.rfb_reports import RfbEncoder
from cua.types import Click, CuaError, Drag, Keypress, Point, Scroll, Type
from tests.kvms.open_kvm import CallbackLog, open_kvm
from tests.servers.relay import relaying
from tests.servers.site import self_signed
from tests.servers.x_witness import Witness
from tests.support.kvm_hardware import any_free_port
from tests.support.waiting import until

SIZE = (800, 600)
PASSWORD = "correct"
PAGE_DOWN = 0xFF56
PRINTABLE = string.ascii_letters + string.digits + string.punctuation + " \n\t"

tiger = pytest.mark.skipif(
    not shutil.which("Xvnc"), reason="apt-get install tigervnc-standalone-server"
)


@asynccontextmanager
async def xvnc(folder: Path, kinds: str = "VncAuth", *more: str) -> AsyncIterator[tuple[str, str]]:
    """Its `host:port` and the name of its X display."""
    port = any_free_port()
    secret = folder / "passwd"
    secret.write_bytes(await _scrambled(PASSWORD))
    secret.chmod(0o600)
    name = f":{port}"
    process = await asyncio.create_subprocess_exec(
        *("Xvnc", name, "-rfbport", str(port), "-geometry", f"{SIZE[0]}x{SIZE[1]}", "-localhost"),
        *("-depth", "24", "-SecurityTypes", kinds, "-PasswordFile", str(secret), *more),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await listening(port)
        yield f"127.0.0.1:{port}", name
    finally:
        process.terminate()
        await process.wait()


async def _scrambled(password: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *("vncpasswd", "-f"), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate(password.encode())
    return out


async def listening(port: int) -> None:
    for _ in range(1000):
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"no server listens at {port}")


@tiger
async def test_every_character_place_and_notch_arrives(tmp_path: Path) -> None:
    async with (
        xvnc(tmp_path) as (place, display),
        open_kvm(f"vnc://{place}", password=PASSWORD) as there,
    ):
        witness = await asyncio.to_thread(Witness, display)
        await there.until_live()
        assert (there.screen.status.width, there.screen.status.height) == SIZE
        await there.inputs.perform(Type(text=PRINTABLE))
        await until(lambda: len(witness.typed) >= len(PRINTABLE))
        assert witness.typed == PRINTABLE
        await there.inputs.perform(Keypress(keys=("ctrl", "alt", "Page_Down")))
        await until(lambda: (PAGE_DOWN, True) in witness.keys)
        for x, y in ((0.0, 0.0), (1.0, 1.0), (0.25, 0.75)):
            await there.inputs.perform(Click(at=Point(x=x, y=y), button="right"))
        await until(lambda: len(witness.buttons) >= 6)
        places = [(x, y) for number, down, x, y in witness.buttons if down and number == 3]
        assert places == [(0, 0), (799, 599), (200, 450)]
        await there.inputs.perform(Scroll(at=Point(x=0.5, y=0.5), dy=3))
        await until(lambda: [b[:2] for b in witness.buttons].count((5, True)) == 3)
        assert witness.held == set()


@tiger
async def test_the_screen_is_read(tmp_path: Path) -> None:
    async with (
        xvnc(tmp_path) as (place, display),
        open_kvm(f"vnc://{place}", password=PASSWORD) as there,
    ):
        await there.until_live()
        await asyncio.to_thread(Witness, display)  # a white window over all
        await until(lambda: brightness(there.screen.newest) > 250)
        before = there.screen.newest
        assert before
        frame = await there.screen.take_screenshot(0.0, 0.3, 3.0)
        assert frame.seq > before.seq, "a still screen is known to be still"


@tiger
async def test_pictures_are_compared_in_a_thread(tmp_path: Path) -> None:
    async with xvnc(tmp_path) as (place, _):
        target = replace(parse_address(f"vnc://{place}"), password=PASSWORD)
        kvm = registry.create(target, CallbackLog().callbacks)
        threads, free = CountingExecutor(1), threading.Event()
        asyncio.get_running_loop().set_default_executor(threads)
        pictures = kvm.frames()
        first = await pictures.__anext__()
        threads.submit(free.wait)
        before = threads.submitted
        second = asyncio.ensure_future(pictures.__anext__())
        await until(lambda: threads.submitted > before)
        assert not second.done()
        free.set()
        assert await second == first
        await kvm.close()


class CountingExecutor(ThreadPoolExecutor):
    submitted = 0

    def submit(self, *args: Any, **more: Any) -> Any:
        self.submitted += 1
        return super().submit(*args, **more)


def test_a_repeated_release_has_the_same_messages() -> None:
    encoder, size = RfbEncoder(), (800, 600)
    shift_a, up = make_keyboard_report(2, [4]), make_keyboard_report()
    encoder.encode("keyboard", None, shift_a, size)
    once = encoder.encode("keyboard", shift_a, up, size)
    assert once == [struct.pack(">BBxxI", 4, 0, each) for each in (ord("A"), 0xFFE1)]
    assert encoder.encode("keyboard", shift_a, up, size) == once
    down, lifted = (make_pointer_report(Point(x=0.5, y=0.5), buttons) for buttons in (1, 0))
    encoder.encode("pointer", None, down, size)
    for _ in range(2):
        said = encoder.encode("pointer", down, lifted, size)
        assert said == [struct.pack(">BBHH", 5, 0, 400, 300)]


def brightness(frame: Any) -> float:
    if frame is None:
        return 0.0
    with Image.open(io.BytesIO(frame.jpeg)) as image:
        pixel = image.convert("L").getpixel((400, 300))
    assert isinstance(pixel, int)
    return pixel


@tiger
async def test_a_wrong_password_is_tried_once(tmp_path: Path) -> None:
    async with (
        xvnc(tmp_path) as (place, _),
        relaying(place) as relay,
        open_kvm(f"vnc://127.0.0.1:{relay.port}", password="no") as there,
    ):
        await until(lambda: there.screen.status.state == "lost")
        assert "does not accept this password" in there.screen.status.sentence
        with pytest.raises(CuaError, match="does not accept this password"):
            await there.inputs.perform(Type(text="x"))
        with pytest.raises(CuaError, match="does not accept this password"):
            await there.kvm.frames().__anext__()
        assert relay.connections == 1


@tiger
async def test_a_missing_password_is_asked_for(tmp_path: Path) -> None:
    async with xvnc(tmp_path) as (place, _), open_kvm(f"vnc://{place}") as there:
        await until(lambda: there.screen.status.state == "lost")
        assert "Enter the VNC password" in there.screen.status.sentence


async def test_a_server_other_than_vnc_has_its_own_message() -> None:
    async def hello(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(hello, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with open_kvm(f"vnc://127.0.0.1:{port}") as there:
        await until(lambda: there.screen.status.state == "lost")
        assert "not a VNC server" in there.screen.status.sentence
    server.close()


@tiger
@pytest.mark.parametrize("after", [2, 9])
async def test_a_pause_and_a_broken_link_leave_nothing_down(tmp_path: Path, after: int) -> None:
    async with (
        xvnc(tmp_path) as (place, display),
        relaying(place) as relay,
        open_kvm(f"vnc://127.0.0.1:{relay.port}", password=PASSWORD) as there,
    ):
        witness = await asyncio.to_thread(Witness, display)
        await there.until_live()
        task = asyncio.create_task(there.inputs.perform(Type(text="AbCd" * 50)))
        await until(lambda: len(witness.keys) >= after)
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: not witness.held)
        told = int(there.inputs.progress.partition(" ")[0])
        await asyncio.sleep(0.2)
        assert told - 1 <= len(witness.typed) <= told
        drag = Drag(path=(Point(x=0.2, y=0.2), Point(x=0.8, y=0.8)))
        task = asyncio.create_task(there.inputs.perform(drag))
        await until(lambda: len(witness.buttons) == 1 and len(witness.path) > after)
        relay.cut()
        with pytest.raises(CuaError, match="connection"):
            await task
        await until(lambda: [down for _, down, _, _ in witness.buttons] == [True, False])


@pytest.mark.skipif(
    not shutil.which("qemu-system-x86_64"), reason="apt-get install qemu-system-x86"
)
async def test_qemu_gets_every_key_and_button() -> None:
    """By its own trace of what its VNC server handed on to the machine."""
    port = any_free_port()
    process = await asyncio.create_subprocess_exec(
        *("qemu-system-x86_64", "-vnc", f"127.0.0.1:{port - 5900}", "-nodefaults", "-vga", "std"),
        *("-device", "usb-ehci", "-device", "usb-tablet", "-trace", "input_event_*"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr
    try:
        await listening(port)
        async with open_kvm(f"vnc://127.0.0.1:{port}") as there:
            await there.until_live()
            await there.inputs.perform(Type(text="Hi!"))
            await there.inputs.perform(Click(at=Point(x=1.0, y=0.0)))
    finally:
        process.terminate()
        said = (await process.stderr.read()).decode()
        await process.wait()
    keys = re.findall(r"input_event_key_qcode .*qcode (\w+), down (\d)", said)
    pressed = [name for name, down in keys if down == "1" and name != "shift"]
    assert pressed == ["h", "i", "1"]
    assert [down for _, down in keys].count("1") == [down for _, down in keys].count("0")
    assert re.findall(r"input_event_btn .*button (\w+), down (\d)", said) == [
        ("left", "1"),
        ("left", "0"),
    ]


@tiger
async def test_over_tls_without_a_certificate(tmp_path: Path) -> None:
    async with (
        xvnc(tmp_path, "TLSVnc") as (place, display),
        open_kvm(f"vnc://{place}", password=PASSWORD) as there,
    ):
        witness = await asyncio.to_thread(Witness, display)
        await there.until_live()
        await there.inputs.perform(Type(text="secret"))
        await until(lambda: witness.typed == "secret")


@tiger
async def test_over_tls_the_first_certificate_is_pinned_and_another_one_refused(
    tmp_path: Path,
) -> None:
    first, second = self_signed(tmp_path / "a"), self_signed(tmp_path / "b")
    async with (
        xvnc(tmp_path, "X509Vnc", *shown(first)) as (place, _),
        open_kvm(f"vnc://{place}", password=PASSWORD) as there,
    ):
        await there.until_live()
        (pinned,) = there.calls.certificates
        assert pinned.count(":") == 31
    async with (
        xvnc(tmp_path, "X509Vnc", *shown(second)) as (place, _),
        open_kvm(f"vnc://{place}", password=PASSWORD, fingerprint=pinned) as there,
    ):
        await until(lambda: there.screen.status.state == "lost")
        assert "has changed" in there.screen.status.sentence
    async with (
        xvnc(tmp_path) as (place, _),
        open_kvm(f"vnc://{place}", password=PASSWORD, fingerprint=pinned) as there,
    ):
        await until(lambda: there.screen.status.state == "lost")
        assert "Now: none" in there.screen.status.sentence


def shown(files: tuple[Path, Path]) -> tuple[str, ...]:
    return ("-X509Cert", str(files[0]), "-X509Key", str(files[1]))
