"""Routes of the history: recorded tasks, their screenshots, and exports.

Records are read in threads: a task of hundreds of steps is megabytes on a slow disk.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response

from ..events.recorder import Archive
from ..messages import Message
from . import history_export
from .pages import language
from .thumbnails import small


def add(app: FastAPI, archive: Archive, holder: Any) -> None:
    """Add the routes. `holder`: dependency that admits the page that holds the session."""

    @app.get("/api/tasks", dependencies=[holder])
    async def tasks() -> list[dict[str, Any]]:
        """Newest first."""
        return [each._asdict() for each in await asyncio.to_thread(archive.tasks)]

    @app.get("/api/tasks/{id}", dependencies=[holder])
    async def events(id: str) -> list[dict[str, Any]]:
        return await _events(archive, id)

    @app.get("/api/tasks/{id}/pictures/{name}", dependencies=[holder])
    async def picture(id: str, name: str) -> Response:
        return _jpeg_response(await asyncio.to_thread(archive.picture, id, name))

    @app.get("/api/tasks/{id}/small/{name}", dependencies=[holder])
    async def thumbnail(id: str, name: str) -> Response:
        """A small copy, for lists."""
        return _jpeg_response(
            await asyncio.to_thread(lambda: small(archive.picture(id, name) or b""))
        )

    @app.get("/api/tasks/{id}/export.{form}", dependencies=[holder])
    async def exported(id: str, form: str, request: Request) -> Response:
        """The whole task in one file, with its screenshots."""
        if form not in history_export.FORMS:
            raise HTTPException(404, Message("session.no_such_export"))
        found = await _events(archive, id)
        body = await asyncio.to_thread(
            history_export.FORMS[form], found, archive, id, language(request.headers)
        )
        return Response(body, media_type=history_export.TYPES[form])


def _jpeg_response(jpeg: bytes | None) -> Response:
    if jpeg is None:
        raise HTTPException(404, Message("session.screenshot_gone"))
    return Response(jpeg, media_type="image/jpeg")


async def _events(archive: Archive, id: str) -> list[dict[str, Any]]:
    found = await asyncio.to_thread(archive.events, id)
    if not found:
        raise HTTPException(404, Message("session.task_gone"))
    return found
