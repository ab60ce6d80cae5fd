"""The grid's API. Requests about a single computer go to that computer's own API."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, HTTPException, Response

from ...agent.session import RUNNING
from ...messages import Message, to_json
from ...types import Busy, CuaError
from .. import page_sockets
from ..manual_control_routes import Page
from ..routes import WATCHED, Token, Words, create_api, require
from ..session_ownership import SessionOwnership
from .fleet import Fleet
from .member import Member

Names = Annotated[Sequence[str], Body(max_length=1000)]


def create(fleet: Fleet, ownership: SessionOwnership) -> FastAPI:
    owned = APIRouter(dependencies=[require(ownership.is_holder, Message("session.not_held"))])
    _add_owner_routes(owned, fleet, ownership)
    app = create_api(owned)
    _add_shared_routes(app, fleet, ownership)
    return app


def _add_owner_routes(app: APIRouter, fleet: Fleet, ownership: SessionOwnership) -> None:
    @app.post("/api/send")
    async def send(text: Words, names: Names) -> dict[str, Any]:
        """Begin a task on each, in place of an unfinished one; on none if one lacks a label."""
        chosen = _choose(fleet, names)
        texts = {name: member.fill(text) for name, member in chosen.items()}
        return await _run_all({name: _send(chosen[name], texts[name]) for name in chosen})

    @app.post("/api/resume")
    async def resume(names: Annotated[Sequence[str], Body(embed=True)]) -> dict[str, Any]:
        """Resume the computers that are paused or stopped."""
        chosen = _choose(fleet, names)
        return await _run_all({name: _resume(member) for name, member in chosen.items()})

    @app.post("/api/hand-over")
    async def hand_over() -> None:
        """Note that the client leaves this page for another one of this service."""
        ownership.hand_over()

    @app.post("/api/notice")
    async def acknowledge() -> None:
        await asyncio.gather(*(each.acknowledge_notice() for each in fleet.machines))


def _choose(fleet: Fleet, names: Sequence[str]) -> dict[str, Member]:
    if unknown := set(names) - fleet.members.keys():
        raise HTTPException(404, Message("fleet.unknown", name=min(unknown)))
    return {name: fleet.members[name] for name in names}


async def _send(member: Member, text: str) -> None:
    try:
        await member.machine.session.send(*member.machine.read_message(text), anew=True)
    except Busy as error:
        if error.message == RUNNING:  # the grid has no Pause
            raise Busy(Message("fleet.running")) from None
        raise


async def _resume(member: Member) -> None:
    session = member.machine.session
    if session.status == "stopped":
        await session.resume()
    elif session.status == "paused":
        await session.send("")


async def _run_all(jobs: Mapping[str, Awaitable[None]]) -> dict[str, Any]:
    """Do all jobs at once; return name -> reason for those that failed."""
    refused = {}
    errors = await asyncio.gather(*jobs.values(), return_exceptions=True)
    for name, error in zip(jobs, errors, strict=True):
        if isinstance(error, CuaError):
            refused[name] = error.message
        elif error:
            raise error
    return {"refused": to_json(refused)}


def _add_shared_routes(app: FastAPI, fleet: Fleet, ownership: SessionOwnership) -> None:
    watcher = require(ownership.may_watch, Message("session.not_held"))
    admitted = require(ownership.may_stop, Message("session.not_admitted"))

    @app.post("/api/stop", dependencies=[admitted])
    async def stop(page: Page = "") -> None:
        await fleet.session.stop(page_sockets.STOPPED, page)

    @app.get("/api/settings", dependencies=[watcher])
    async def settings(token: Token = "") -> dict[str, Any]:
        if not ownership.is_holder(token):
            return WATCHED
        is_read = all(each.is_notice_read() for each in fleet.machines)
        return {"notice_acknowledged": is_read, "values": {}}

    @app.get("/api/computers", dependencies=[watcher])
    async def computers() -> dict[str, Any]:
        return {name: member.describe() for name, member in fleet.members.items()}

    @app.get("/api/computers/{name}/picture", dependencies=[watcher])
    async def picture(name: str, after: int = 0) -> Response:
        """Return the newest picture, small, with its number as `ETag`; 204 if it is not newer."""
        member = _choose(fleet, [name])[name]
        try:
            seq, jpeg = await member.picture(after)
        except asyncio.TimeoutError:
            return Response(status_code=204)
        headers = {"etag": str(seq)}
        return Response(jpeg, 200, headers, "image/jpeg") if jpeg else Response(status_code=204)
