"""Routes of the KVM's power state and of its stored disk images.

`/api/manual-action` presses buttons and mounts images, like every manual action.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import StreamingResponse

from ..kvms.kvm import Kvm
from ..messages import error_body
from ..types import CuaError


def add(app: APIRouter, kvm: Callable[[], Kvm]) -> None:
    """Add the routes; `kvm` returns the current one."""

    @app.get("/api/kvm")
    async def state() -> dict[str, Any]:
        """Return the state; `drive` is null for a KVM without one, `powered` if it cannot tell."""
        now = kvm()
        found: dict[str, Any] = {
            "buttons": now.power_buttons,
            "wakes": bool(now.mac),
            "drive": None,
        }
        found["powered"] = await now.is_powered()
        if now.media:
            drive = (await now.media.state())._asdict()
            images = [image._asdict() for image in drive.pop("images")]
            found["drive"] = {**drive, "images": images, "usb_reset_s": now.media.usb_reset_s}
        return found

    @app.post("/api/kvm/upload")
    async def upload(
        request: Request,
        name: Annotated[str, Query(pattern=r"^[\w.-]+$", max_length=200)],
        size: Annotated[int, Query(ge=1)],
    ) -> None:
        """Store the body on the KVM; closing the connection cancels it."""
        media = kvm().require_media()
        await media.state()  # logs in before the first byte is sent
        await media.upload(name, size, request.stream())

    @app.post("/api/kvm/fetch")
    async def fetch(url: Annotated[str, Body(embed=True, max_length=2000)]) -> StreamingResponse:
        """Let the KVM download an image; return its progress or error as lines of JSON."""
        parts = kvm().require_media().fetch(url)

        async def lines() -> AsyncIterator[str]:
            try:
                async for part in parts:
                    yield json.dumps({"part": part}) + "\n"
            except CuaError as error:
                yield json.dumps(error_body(error.message)) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")
