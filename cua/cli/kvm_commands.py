"""The commands `power` and `media`: a KVM's actions without keyboard and mouse."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from ..app import factory
from ..dialects.action_readers import CASE_BUTTONS
from ..kvms.kvm import Kvm
from ..kvms.media import Media
from ..settings import Settings
from ..types import CuaError, Eject, Mount, Power
from .output import say

CHUNK_BYTES = 1 << 20
UNKNOWN = "The KVM cannot tell whether the computer is on."
STATES = {True: "The computer is on.", False: "The computer is off.", None: UNKNOWN}


@asynccontextmanager
async def _connection(values: Settings, *, acts: bool) -> AsyncIterator[Kvm]:
    """Connect a KVM without using its screen and keyboard. `acts`: see `factory.create_kvm`."""
    kvm = factory.create_kvm(values, lambda _, text: say(text), acts=acts)
    try:
        yield kvm
    finally:
        await kvm.close()


async def power(values: Settings, button: str) -> int:
    async with _connection(values, acts=button not in ("state", "wake")) as kvm:
        if button == "state":
            say(STATES[await kvm.is_powered()])
        else:
            await kvm.perform(Power(button=CASE_BUTTONS[button]))
            say("Done.")
    return 0


async def media(values: Settings, what: str, name: str | None, *, as_disk: bool) -> int:
    """`name`: a file to upload, a URL to fetch, or the image to mount."""
    if what in ("upload", "fetch", "mount") and not name:
        raise CuaError(f"Name what to {what}: media {what} NAME.")
    async with _connection(values, acts=what in ("mount", "eject")) as kvm:
        usb_drive = kvm.require_media()
        if what == "upload":
            await _upload(usb_drive, Path(name or ""))
        elif what == "fetch":
            async for part in usb_drive.fetch(name or ""):
                _show(part)
        elif what == "mount":
            await kvm.perform(Mount(image=name or "", drive="disk" if as_disk else "cdrom"))
        elif what == "eject":
            await kvm.perform(Eject())
        await _list(usb_drive)
    return 0


async def _list(usb_drive: Media) -> None:
    state = await usb_drive.state()
    for image in state.images:
        size = f"  {image.size / 2**20:.0f} MiB" if image.size else ""
        say(f"{image.name}{size}")
    say(f"Mounted: {f'{state.mounted} as {state.drive}' if state.mounted else 'nothing'}.")


def _open(path: Path) -> tuple[BinaryIO, int]:
    """Open an image to upload; return it and its size in bytes. Raises `CuaError`."""
    try:
        return path.open("rb"), path.stat().st_size
    except OSError as error:
        raise CuaError(f"{path}: {error.strerror}.") from error


async def _upload(usb_drive: Media, path: Path) -> None:
    file, size = _open(path)

    async def chunks() -> AsyncIterator[bytes]:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
            _show(file.tell() / size)

    with file:
        await usb_drive.state()  # logs in before the first byte is sent
        await usb_drive.upload(path.name, size, chunks())


def _show(part: float) -> None:
    sys.stderr.write(f"\r{part:4.0%}" if part < 1 else "\r100%\n")
    sys.stderr.flush()
