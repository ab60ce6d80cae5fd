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
"""Without a byte taken or answered; a memory card is slow."""
_BOUNDARY = "----kvm-cua-image"


class Image(NamedTuple):
    name: str
    """As the KVM lists it, and as it is asked for."""
    size: int = 0
    """In bytes; 0: not known."""


class DriveState(NamedTuple):
    images: tuple[Image, ...] = ()
    mounted: str = ""
    """Name of the image in the drive, or ""."""
    drive: Drive = "cdrom"


class Media(ABC):
    """The drive of one KVM. Raises only `CuaError`."""

    usb_reset_s = 0.0
    """How long keyboard and mouse are away after a mount or an eject."""

    async def mount(self, action: Mount) -> None:
        """Mount an image in place of another; return when keyboard and mouse are back."""
        state = await self.state()
        names = [image.name for image in state.images]
        if action.image not in names:
            images = ", ".join(names) or Message("kvm.no_images")
            raise ActionError(Message("kvm.no_such_image", image=action.image, images=images))
        if state.mounted:  # KVMs refuse a second one, or keep the kind of drive
            await self._remove()
        await self._insert(action)
        await asyncio.sleep(self.usb_reset_s)

    async def eject(self) -> None:
        """Return when keyboard and mouse are back."""
        await self._remove()
        await asyncio.sleep(self.usb_reset_s)

    @abstractmethod
    async def state(self) -> DriveState:
        """Read the stored images and what is mounted."""

    @abstractmethod
    async def _insert(self, action: Mount) -> None:
        """Mount an image that exists; the drive is empty."""

    @abstractmethod
    async def _remove(self) -> None:
        """Take the image out of the drive."""

    @abstractmethod
    async def upload(self, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        """Store an image of `size` bytes on the KVM."""

    @abstractmethod
    def fetch(self, url: str) -> AsyncIterator[float]:
        """Let the KVM download an image; yield the proportion that has come, 0..1, now and then."""


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
    """Yield the bytes in pieces of `size`; the last may be shorter."""
    buffer = bytearray()
    async for chunk in chunks:
        buffer += chunk
        while len(buffer) >= size:
            yield bytes(buffer[:size])
            del buffer[:size]
    if buffer:
        yield bytes(buffer)
