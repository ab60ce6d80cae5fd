"""Images of disks on a JetKVM, which cannot download images."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

from ..messages import Message
from ..types import DeviceError, Mount, as_object, as_objects, parse_object
from .http_kvm import HttpMedia
from .media import TRANSFER_TIMEOUT_S, DriveState, Image

PARTIAL = ".incomplete"
"""Suffix of an image's name while its upload is incomplete."""


class JetKvmMedia(HttpMedia):
    usb_reset_s = 3.0

    async def state(self) -> DriveState:
        mounted = as_object(await self._ask("getVirtualMediaState"))
        stored = [Image(str(each["filename"]), int(each["size"])) for each in await self._stored()]
        return DriveState(
            tuple(image for image in stored if not image.name.endswith(PARTIAL)),
            str(mounted.get("filename") or mounted.get("url") or ""),
            "disk" if mounted.get("mode") == "Disk" else "cdrom",
        )

    async def _insert(self, action: Mount) -> None:
        mode = "CDROM" if action.drive == "cdrom" else "Disk"
        await self._ask("mountWithStorage", filename=action.image, mode=mode)

    async def _remove(self) -> None:
        await self._ask("unmountImage")

    async def upload(self, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        if name + PARTIAL in [each["filename"] for each in await self._stored()]:
            await self._ask("deleteStorageFile", filename=name + PARTIAL)  # else it is resumed
        begun = await self._ask("startStorageFileUpload", filename=name, size=size)
        answer = await self._client.request(
            "POST",
            f"/storage/upload?{urlencode({'uploadId': begun['dataChannel']})}",
            content=chunks,
            headers={"Content-Length": str(size)},
            timeout=TRANSFER_TIMEOUT_S,
        )
        if answer.status_code != 200:
            reason = str(parse_object(answer.content).get("error") or answer.status_code)
            raise DeviceError(Message("kvm.failed", kvm=self._name, reason=reason))

    def fetch(self, url: str) -> AsyncIterator[float]:  # noqa: ARG002
        reason = Message("kvm.unsupported")
        raise DeviceError(Message("kvm.failed", kvm=self._name, reason=reason))

    async def _stored(self) -> list[Mapping[str, Any]]:
        return as_objects(as_object(await self._ask("listStorageFiles")).get("files"))
