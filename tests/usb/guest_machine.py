"""A Linux computer in QEMU: its shell on a serial port, its input events on virtio ports."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import struct
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import NamedTuple

from . import image
from .debian import unpacked

EVENT = struct.Struct("<qqHHi")
"""Seconds, microseconds, type, code, value: `struct input_event` of a 64-bit Linux."""
EV_KEY, EV_REL, EV_ABS = 1, 2, 3
REPEAT = 2
BOOT = 120.0
"""Seconds that it may take, on a machine that emulates it and does other things as well; it
takes 6 on an idle one."""
PORTS = ("events0", "events1", "events2", "hid")


class Event(NamedTuple):
    """What the guest's input layer saw; `name` as in linux/input-event-codes.h."""

    name: str
    value: int


class Guest:
    """Its files are in `folder`; the sockets of its ports have their names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names = _names()
        self._tags = itertools.count()
        self._events: dict[int, asyncio.StreamReader] = {}
        self._streams: list[asyncio.StreamWriter] = []

    async def start(self, *more: str) -> None:
        """With more arguments for QEMU."""
        await asyncio.to_thread((self.folder / "initramfs").write_bytes, image.initramfs())
        self._qemu = await asyncio.create_subprocess_exec(*self._command(), *more)
        self._console, self._keys = await self._connect("console")
        try:
            await asyncio.wait_for(self._console.readuntil(b"guest is up"), BOOT)
        except asyncio.IncompleteReadError as error:
            raise AssertionError(f"the guest ended: {error.partial.decode()}") from error

    async def run(self, command: str, seconds: float = 30) -> str:
        """What a shell command says. Raises `AssertionError` if it fails."""
        tag = f"done-{next(self._tags)}"
        self._keys.write(f"{command}\necho {tag} $?\n".encode())
        pattern = re.compile(rf"{tag} (\d+)\r?\n".encode())
        said = b""
        while not (end := pattern.search(said)):
            said += await asyncio.wait_for(self._console.readline(), seconds)
        words = said[: end.start()].decode(errors="replace").replace("\r", "").strip()
        assert end[1] == b"0", f"{command}: {words}"
        return words

    async def until(self, command: str, seconds: float = 30) -> None:
        """Wait until a shell command succeeds."""
        await self.run(f"while ! {{ {command}; }}; do sleep 0.1; done", seconds)

    async def listen(self, endpoint: int) -> None:
        """From now on the guest has the KVM's input device open, as a desktop has."""
        if endpoint not in self._events:
            self._events[endpoint], _ = await self._connect(f"events{endpoint}")
        await self.until(f"listen {endpoint}")

    async def events(self, endpoint: int, quiet: float = 0.5) -> list[Event]:
        """Keys, buttons and movements since the last call, until none comes for a while.

        Without the repeats of a key that is held, which the guest makes up itself.
        """
        found: list[Event] = []
        end = time.monotonic() + quiet
        with contextlib.suppress(asyncio.TimeoutError):
            while True:
                reading = self._events[endpoint].readexactly(EVENT.size)
                event = await asyncio.wait_for(reading, max(0.0, end - time.monotonic()))
                _, _, kind, code, value = EVENT.unpack(event)
                if (kind, code) in self._names and (kind, value) != (EV_KEY, REPEAT):
                    found.append(Event(self._names[kind, code], value))
                    end = time.monotonic() + quiet
        return found

    async def stop(self) -> None:
        for stream in self._streams:
            stream.close()
        if self._qemu.returncode is None:
            self._qemu.kill()
        await self._qemu.wait()

    def _command(self) -> Sequence[str]:
        return (
            *("qemu-system-x86_64", "-accel", "tcg,thread=multi"),
            *("-machine", "q35", "-cpu", "max", "-m", "384", "-display", "none", "-vga", "none"),
            *("-nodefaults", "-no-user-config", "-no-reboot"),
            *("-kernel", str(image.kernel_image()), "-initrd", str(self.folder / "initramfs")),
            # On a busy machine the kernel would find that its timer does not tick, and end.
            *("-append", "console=ttyS0 quiet panic=-1 no_timer_check"),
            *("-chardev", self._socket("console"), "-serial", "chardev:console"),
            *("-device", "virtio-serial-pci"),
            *(word for name in PORTS for word in self._port(name)),
        )

    def _port(self, name: str) -> Sequence[str]:
        device = f"virtserialport,chardev={name},name={name}"
        return ("-chardev", self._socket(name), "-device", device)

    def _socket(self, name: str) -> str:
        return f"socket,id={name},path={self.folder / name},server=on,wait=off"

    async def _connect(self, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        path = self.folder / name
        while not path.exists():
            assert self._qemu.returncode is None, "QEMU has ended; what it said stands above"
            await asyncio.sleep(0.02)
        reader, writer = await asyncio.open_unix_connection(path)
        self._streams.append(writer)
        return reader, writer


def usb_port(folder: Path, wait: str = "off") -> Sequence[str]:
    """QEMU's arguments for a USB port into which a `Cable` can be plugged; its socket is `usb`.

    With `wait="on"` the computer starts once the cable is there.
    """
    return (
        *("-device", "qemu-xhci,id=xhci"),
        *("-chardev", f"socket,id=usb,path={folder / 'usb'},server=on,wait={wait}"),
        *("-device", "usb-redir,chardev=usb,bus=xhci.0"),
    )


@contextlib.asynccontextmanager
async def running(folder: Path, *more: str) -> AsyncIterator[Guest]:
    guest = Guest(folder)
    try:
        await guest.start(*more)
        yield guest
    finally:
        await guest.stop()


def _names() -> dict[tuple[int, int], str]:
    """(type, code) -> name, of Linux itself."""
    header = unpacked("linux-libc-dev") / "usr/include/linux/input-event-codes.h"
    kinds = {"KEY": EV_KEY, "BTN": EV_KEY, "REL": EV_REL, "ABS": EV_ABS}
    pattern = r"^#define ((KEY|BTN|REL|ABS)_\w+)\s+(0x[0-9a-f]+|\d+)"
    found: dict[tuple[int, int], str] = {}
    for name, kind, number in re.findall(pattern, header.read_text(), re.MULTILINE):
        found.setdefault((kinds[kind], int(number, 0)), name)
    return found
