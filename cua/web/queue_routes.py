"""Routes of the queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Body

from ..agent.attachments import MAX_FILES
from ..agent.session import NewTask

if TYPE_CHECKING:
    from ..app.machine import Machine

FileIds = Annotated[Sequence[str], Body(max_length=MAX_FILES)]
"""The IDs of uploaded files."""


def add(app: APIRouter, machine: Machine) -> None:
    @app.post("/api/queue")
    async def add_task(text: Annotated[str, Body(max_length=10_000)], files: FileIds = ()) -> None:
        found = machine.find_files(files)
        await machine.queue.add(NewTask(machine.secret_store.insert_names(text), found))

    @app.post("/api/queue/move")
    async def move(id: Annotated[int, Body()], by: Annotated[int, Body()]) -> None:
        machine.queue.move(id, by)

    @app.post("/api/queue/remove")
    async def remove(id: Annotated[int, Body(embed=True)]) -> None:
        machine.queue.remove(id)

    @app.post("/api/queue/continue")
    async def resume() -> None:
        await machine.queue.resume()
