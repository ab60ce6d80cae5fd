"""Images of disks on a NanoKVM and a NanoKVM-Pro.

The drive is part of the same USB device as keyboard and mouse, which disconnect briefly when it
changes.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..messages import Message
from ..types import DeviceError, Drive, Mount
from .media import FETCH_POLL_S, TRANSFER_TIMEOUT_S, DriveState, Image, Media, encode_form, slices
from .nanokvm_api import NanoKvmApi

PART_BYTES = 8 << 20


class NanoKvmMedia(Media):
    usb_reset_s = 1.5
    download_path = "/api/download/image"
    read_only: Mapping[str, Any] = {}
    """Additional fields of a mount request that make a disk read-only."""

    def __init__(self, kvm: NanoKvmApi) -> None:
        self._kvm = kvm

    async def state(self) -> DriveState:
        files = (await self._kvm.data("GET", "/api/storage/image")).get("files") or []
        mounted = await self._kvm.data("GET", "/api/storage/image/mounted")
        if "cdrom" not in mounted:
            mounted = {**mounted, **await self._kvm.data("GET", "/api/storage/cdrom")}
        images = tuple(Image(str(path)) for path in files)
        drive: Drive = "cdrom" if mounted.get("cdrom") else "disk"
        return DriveState(images, str(mounted.get("file") or ""), drive)

    async def _insert(self, action: Mount) -> None:
        await self._mount(action.image, cdrom=action.drive == "cdrom")

    async def _remove(self) -> None:
        await self._mount("", cdrom=False)

    async def _mount(self, file: str, *, cdrom: bool) -> None:
        body = {"file": file, "cdrom": cdrom, **self.read_only}
        await self._kvm.command("POST", "/api/storage/image/mount", json=body)

    async def upload(self, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        """Upload an ISO file, whose name may have only letters, digits, `.`, `_` and `-`."""
        form = encode_form(name, size, chunks)
        await self._kvm.command("POST", "/api/download/file", timeout=TRANSFER_TIMEOUT_S, **form)

    async def fetch(self, url: str) -> AsyncIterator[float]:
        await self._kvm.command("POST", self.download_path, json={"file": url})
        try:
            while True:
                await asyncio.sleep(FETCH_POLL_S)
                state = await self._kvm.data("GET", f"{self.download_path}/status")
                if state.get("status") != "in_progress":
                    break
                yield _parse_percentage(str(state.get("percentage")))
        except (GeneratorExit, asyncio.CancelledError):
            await asyncio.shield(self._kvm.data("POST", f"{self.download_path}/cancel"))
            raise
        name = posixpath.basename(urlsplit(url).path)
        if name not in {posixpath.basename(image.name) for image in (await self.state()).images}:
            raise DeviceError(Message("kvm.not_fetched", kvm=self._kvm.name, url=url))


class NanoKvmProMedia(NanoKvmMedia):
    usb_reset_s = 3.0
    download_path = "/api/storage/download/image"
    read_only: Mapping[str, Any] = {"readOnly": True}

    async def upload(self, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        """Upload in parts, each a request; an empty one ends the upload."""
        total = max(1, -(-size // PART_BYTES))
        fields = {"chunkSize": PART_BYTES, "totalChunks": total}
        number = 0
        async for part in slices(chunks, PART_BYTES):
            await self._send_part(name, part, {**fields, "chunkIndex": number})
            number += 1
        await self._send_part(name, b"", {**fields, "chunkIndex": total})

    async def _send_part(self, name: str, part: bytes, fields: Mapping[str, int]) -> None:
        await self._kvm.command(
            "POST",
            "/api/storage/image/upload",
            data={key: str(value) for key, value in fields.items()},
            files={"file": (name, part)},
            timeout=TRANSFER_TIMEOUT_S,
        )


def _parse_percentage(text: str) -> float:
    try:
        return min(1.0, max(0.0, float(text.rstrip("%")) / 100))
    except ValueError:  # the proportion is unknown
        return 0.0
