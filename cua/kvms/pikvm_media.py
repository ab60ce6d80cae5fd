"""Images of disks on a PiKVM or GLKVM; keyboard and mouse stay connected on a change."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlencode

from ..messages import Message
from ..types import DeviceError, Mount, as_object, parse_object
from .http_kvm import HttpMedia
from .media import TRANSFER_TIMEOUT_S, DriveState, Image


class PiKvmMedia(HttpMedia):
    async def state(self) -> DriveState:
        answer = await self._ask("GET", "/api/msd")
        stored = as_object(as_object(answer.get("storage")).get("images"))
        images = tuple(
            Image(name, int(as_object(image).get("size") or 0))
            for name, image in stored.items()
            if as_object(image).get("complete", True)
        )
        drive = as_object(answer.get("drive"))
        mounted = as_object(drive.get("image")).get("name") if drive.get("connected") else ""
        return DriveState(images, str(mounted or ""), "cdrom" if drive.get("cdrom") else "disk")

    async def _insert(self, action: Mount) -> None:
        how = {"image": action.image, "cdrom": int(action.drive == "cdrom"), "rw": 0}
        await self._post("set_params", how)
        await self._post("set_connected", {"connected": 1})

    async def _remove(self) -> None:
        await self._post("set_connected", {"connected": 0})

    async def upload(self, name: str, size: int, chunks: AsyncIterator[bytes]) -> None:
        await self._post(
            "write",
            {"image": name, "remove_incomplete": 1},
            content=chunks,
            headers={"Content-Length": str(size)},
            timeout=TRANSFER_TIMEOUT_S,
        )

    async def fetch(self, url: str) -> AsyncIterator[float]:
        """See `Media.fetch`. The daemon sends a JSON line each second; unread, it stops."""
        query = urlencode({"url": url, "remove_incomplete": 1, "timeout": 10})
        async for line in self._client.lines("POST", f"/api/msd/write_remote?{query}"):
            answer = parse_object(line)
            result = as_object(answer.get("result"))
            if not answer.get("ok"):
                reason = str(result.get("error_msg") or line.decode("utf-8", "replace")[:200])
                raise DeviceError(Message("kvm.failed", kvm=self._name, reason=reason))
            image = as_object(result.get("image"))
            yield int(image.get("written") or 0) / max(1, int(image.get("size") or 0))

    async def _post(self, name: str, query: Mapping[str, Any], **options: Any) -> None:
        await self._ask("POST", f"/api/msd/{name}?{urlencode(query)}", **options)
