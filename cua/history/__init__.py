"""What was done before: the recorded tasks for the page, to be looked at again and taken along.

Reading is done in threads, since a task of hundreds of steps is megabytes on a slow disk.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response

from ..page import language
from ..record import Archive
from . import export
from .small import small

GONE = "That task is no longer kept."


def add(app: FastAPI, archive: Archive, holder: Any) -> None:
    """`holder` is the dependency that lets in the page that holds the session."""

    @app.get("/api/tasks", dependencies=[holder])
    async def tasks() -> list[dict[str, Any]]:
        """Newest first."""
        return [each._asdict() for each in await asyncio.to_thread(archive.tasks)]

    @app.get("/api/tasks/{id}", dependencies=[holder])
    async def events(id: str) -> list[dict[str, Any]]:
        return await _events(archive, id)

    @app.get("/api/tasks/{id}/pictures/{name}", dependencies=[holder])
    async def picture(id: str, name: str) -> Response:
        return _shown(await asyncio.to_thread(archive.picture, id, name))

    @app.get("/api/tasks/{id}/small/{name}", dependencies=[holder])
    async def little(id: str, name: str) -> Response:
        """For a list of many."""
        return _shown(await asyncio.to_thread(lambda: small(archive.picture(id, name) or b"")))

    @app.get("/api/tasks/{id}/export.{form}", dependencies=[holder])
    async def exported(id: str, form: str, request: Request) -> Response:
        """The whole task in one file, screenshots and all."""
        if form not in export.FORMS:
            raise HTTPException(404, "There is no such form.")
        found = await _events(archive, id)
        body = await asyncio.to_thread(
            export.FORMS[form], found, archive, id, language(request.headers)
        )
        return Response(body, media_type=export.TYPES[form])


def _shown(jpeg: bytes | None) -> Response:
    if jpeg is None:
        raise HTTPException(404, "That screenshot is no longer kept.")
    return Response(jpeg, media_type="image/jpeg")


async def _events(archive: Archive, id: str) -> list[dict[str, Any]]:
    found = await asyncio.to_thread(archive.events, id)
    if not found:
        raise HTTPException(404, GONE)
    return found
