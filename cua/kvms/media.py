"""Images of disks that a KVM stores and shows to its computer as a USB drive."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from ..messages import Message
from ..types import ActionError, Drive, Mount

FETCH_POLL_S = 1.0
TRANSFER_TIMEOUT_S = 600.0
"""Time limit of a transfer without progress; a memory card is slow."""
_BOUNDARY = "----kvm-cua-image"


class Image(NamedTuple):
    name: str
    """The image's name in the KVM's list and in requests."""
    size: int = 0
    """The image's size in bytes; 0: unknown."""


class DriveState(NamedTuple):
    images: tuple[Image, ...] = ()
    mounted: str = ""
    """The name of the image in the drive; "": none."""
    drive: Drive = "cdrom"


class Media(ABC):
    """The drive of one KVM. Raises only `CuaError`."""

    usb_reset_s = 0.0
    """Seconds for which keyboard and mouse are disconnected after a mount or an eject."""

    async def mount(self, action: Mount) -> None:
        """Mount an image, ejecting another one; return when keyboard and mouse are connected."""
        state = await self.state()
        names = [image.name for image in state.images]
        if action.image not in names:
            images = ", ".join(names) or Message("kvm.no_images")
            raise ActionError(Message("kvm.no_such_image", image=action.image, images=images))
        if state.mounted:  # KVMs refuse a second image, or keep the kind of drive
            await self._remove()
        await self._insert(action)
        await asyncio.sleep(self.usb_reset_s)

    async def eject(self) -> None:
        """Empty the drive; return when keyboard and mouse are connected."""
        await self._remove()
        await asyncio.sleep(self.usb_reset_s)

    @abstractmethod
    async def state(self) -> DriveState:
        """Return the stored images and the mounted one."""

    @abstractmethod
    async def _insert(self, action: Mount) -> None:
        """Mount an existing image; the drive is empty."""

    @abstractmethod
    async def _remove(self) -> None:
        """Remove the image from the drive."""

    @abstractmethod
    async def upload(self, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        """Store an image of `size` bytes on the KVM."""

    @abstractmethod
    def fetch(self, url: str) -> AsyncIterator[float]:
        """Let the KVM download an image; yield the received proportion, 0..1, at intervals."""


def encode_form(name: str, size: int, chunks: AsyncIterator[bytes]) -> dict[str, Any]:
    """Return the headers and the content of a request with a file of `size` bytes."""
    head = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    ).encode()
    tail = f"\r\n--{_BOUNDARY}--\r\n".encode()

    async def content() -> AsyncIterator[bytes]:
        yield head
        async for chunk in chunks:
            yield chunk
        yield tail

    kind = f"multipart/form-data; boundary={_BOUNDARY}"
    headers = {"Content-Type": kind, "Content-Length": str(len(head) + size + len(tail))}
    return {"headers": headers, "content": content()}


async def slices(chunks: AsyncIterator[bytes], size: int) -> AsyncIterator[bytes]:
    """Yield the bytes in pieces of `size` bytes; the last may be shorter."""
    buffer = bytearray()
    async for chunk in chunks:
        buffer += chunk
        while len(buffer) >= size:
            yield bytes(buffer[:size])
            del buffer[:size]
    if buffer:
        yield bytes(buffer)
