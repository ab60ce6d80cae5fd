"""Routes of the history: recorded tasks, their screenshots, and exports.

Records are read in threads: a task of hundreds of steps is megabytes on a slow disk.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response

from ..events.archive import Archive
from ..messages import Message
from ..screen.image import encode_jpeg, open_jpeg
from . import history_export
from .pages import choose_language

THUMBNAIL_PX = (240, 150)


def add(app: APIRouter, archive: Archive) -> None:

    @app.get("/api/tasks")
    async def tasks() -> list[dict[str, Any]]:
        """Return the tasks, newest first."""
        return [each._asdict() for each in await asyncio.to_thread(archive.tasks)]

    @app.get("/api/tasks/{id}")
    async def events(id: str) -> list[dict[str, Any]]:
        return await _events(archive, id)

    @app.get("/api/tasks/{id}/pictures/{name}")
    async def picture(id: str, name: str) -> Response:
        return jpeg_response(await asyncio.to_thread(archive.picture, id, name))

    @app.get("/api/tasks/{id}/small/{name}")
    async def thumbnail(id: str, name: str) -> Response:
        jpeg = await asyncio.to_thread(archive.picture, id, name)
        return jpeg_response(await asyncio.to_thread(make_thumbnail, jpeg or b""))

    @app.get("/api/tasks/{id}/export.{form}")
    async def exported(id: str, form: str, request: Request) -> Response:
        if form not in history_export.FORMS:
            raise HTTPException(404, Message("session.no_such_export"))
        found = await _events(archive, id)
        body = await asyncio.to_thread(
            history_export.FORMS[form], found, archive, id, choose_language(request.headers)
        )
        return Response(body, media_type=history_export.TYPES[form])


def jpeg_response(jpeg: bytes | None) -> Response:
    if jpeg is None:
        raise HTTPException(404, Message("session.screenshot_gone"))
    return Response(jpeg, media_type="image/jpeg")


async def _events(archive: Archive, id: str) -> list[dict[str, Any]]:
    found = await asyncio.to_thread(archive.events, id)
    if not found:
        raise HTTPException(404, Message("session.task_gone"))
    return found


def make_thumbnail(jpeg: bytes, size: tuple[int, int] = THUMBNAIL_PX) -> bytes | None:
    """Return a small JPEG; None if `jpeg` is not a whole picture."""
    with contextlib.suppress(OSError):
        image = open_jpeg(jpeg)
        image.draft("RGB", size)  # decodes no more than needed
        image.thumbnail(size)
        return encode_jpeg(image, 70)
    return None
