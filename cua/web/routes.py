"""The page's API (FastAPI): commands are POSTs; `_error_response` turns errors into JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Protocol

from fastapi import Body, Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from ..agent.manual_control import ManualControl
from ..events.recorder import Archive
from ..messages import Message, error_body, to_json
from ..safety.secrets import SecretStore
from ..settings import BadSettings
from ..types import Busy, CuaError
from . import control_routes, extras_routes, history_routes, secret_routes, websockets
from .extras_routes import Extras
from .presence import SessionLease

Words = Annotated[str, Body(embed=True, max_length=10_000)]
Page = Annotated[str, Header(alias="X-CUA-Page", max_length=40)]
"""Identifies the page that asks, among those that hold the session."""


WATCHED = {"notice_acknowledged": True, "watching": True, "values": {}}
"""The settings for a page that only watches."""


class Checkups(Protocol):
    """The model check-up behind its button."""

    @property
    def running(self) -> bool: ...

    def start(self) -> None:
        """Raises `Busy`."""

    async def stop(self) -> None: ...

    def report(self) -> dict[str, Any] | None:
        """The last report for the model in the settings; None if there is none."""


class Approvals(Protocol):
    """Answers to the approval questions."""

    def answer(self, id: int, digest: str, *, allow: bool, reason: str = "") -> None:
        """Raises `Busy` unless exactly this question is open."""


class SettingsEditor(Protocol):
    """The settings form's contents."""

    def describe(self) -> dict[str, Any]:
        """Return JSON and messages; for secrets only whether they are set."""

    async def change(self, settings: dict[str, Any]) -> None:
        """Raises `BadSettings`."""


class Machine(websockets.Machine, Protocol):
    """What the page shows and controls."""

    archive: Archive
    manual_control: ManualControl
    secret_store: SecretStore

    @property
    def settings(self) -> SettingsEditor: ...

    @property
    def approvals(self) -> Approvals: ...

    @property
    def checkup(self) -> Checkups: ...

    async def reset(self) -> None: ...

    async def rehearse(self, *, on: bool) -> None:
        """Switch to the virtual computer or back. Raises `Busy`."""

    async def acknowledge(self) -> None:
        """Record that the safety notice was read."""

    def ready(self) -> bool:
        """Whether the safety notice was acknowledged."""


def create(machine: Machine, lease: SessionLease, extras: Extras) -> FastAPI:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _add_task_commands(app, machine, lease)
    _add_commands(app, machine, lease)
    _add_approvals(app, machine, lease)
    _add_settings(app, machine, lease)
    _add_checkup(app, machine.checkup, lease)
    control_routes.add(
        app, machine.manual_control, _holder(lease), lambda: _check_attended(machine, lease)
    )
    history_routes.add(app, machine.archive, _holder(lease))
    secret_routes.add(app, machine.secret_store, _holder(lease))
    extras_routes.add(app, extras, _holder(lease))
    app.add_exception_handler(CuaError, _error_response)
    app.add_exception_handler(HTTPException, _error_response)
    app.add_exception_handler(RequestValidationError, _error_response)
    return app


def _holder(lease: SessionLease) -> Any:
    """Return the dependency that admits only pages that hold the session."""
    return _only(lease.is_holder, Message("session.not_held"))


def _watcher(lease: SessionLease) -> Any:
    """Return the dependency that admits pages that hold or watch the session."""
    return _only(lease.may_watch, Message("session.not_held"))


def _admitted(lease: SessionLease) -> Any:
    """Return the dependency that admits every page that was admitted once."""
    return _only(lease.may_stop, Message("session.not_admitted"))


def _only(may: Callable[[str], bool], refusal: str) -> Any:
    """Return the dependency that checks a page's token and marks its connection as admitted."""

    async def check(
        request: Request, token: Annotated[str, Header(alias="X-CUA-Token")] = ""
    ) -> None:
        if not may(token):
            raise HTTPException(403, refusal)
        request.state.admit()

    return Depends(check)


def _add_task_commands(app: FastAPI, machine: Machine, lease: SessionLease) -> None:
    """Add the commands that start or continue a task."""
    holder = _holder(lease)

    def check_can_start() -> None:
        if machine.checkup.running:
            raise Busy(Message("session.checkup_runs"))
        _check_attended(machine, lease)

    @app.post("/api/send", dependencies=[holder])
    async def send(text: Words) -> dict[str, str]:
        await machine.manual_control.release()
        await machine.session.send(machine.secret_store.insert_names(text), check_can_start)
        return {"status": machine.session.status}

    @app.post("/api/resume", dependencies=[holder])
    async def resume(text: Words = "") -> dict[str, str]:
        """Clear the latch of a stop and continue."""
        await machine.manual_control.release()
        await machine.session.resume(machine.secret_store.insert_names(text), check_can_start)
        return {"status": machine.session.status}


def _check_attended(machine: Machine, lease: SessionLease) -> None:
    """Raise `Busy` unless the notice was read and a page is visible; before any key goes down."""
    if not machine.ready():
        raise Busy(Message("session.notice_unread"))
    if not lease.attended:
        raise Busy(Message("session.no_page_visible"))


def _add_commands(app: FastAPI, machine: Machine, lease: SessionLease) -> None:
    holder = _holder(lease)

    @app.post("/api/stop", dependencies=[_admitted(lease)])
    async def stop(page: Page = "") -> dict[str, str]:
        """Allowed for every admitted page, also those that do not hold the session."""
        await machine.session.stop(websockets.STOPPED, page)
        return {"status": machine.session.status}

    @app.post("/api/pause", dependencies=[holder])
    async def pause(page: Page = "") -> dict[str, str]:
        """When this returns, the task has ended and every key is released."""
        await machine.session.pause(websockets.PAUSED, page)
        return {"status": machine.session.status}

    @app.post("/api/reset", dependencies=[holder])
    async def reset() -> dict[str, str]:
        await machine.reset()
        return {"status": machine.session.status}

    @app.post("/api/rehearse", dependencies=[holder])
    async def rehearse(on: Annotated[bool, Body(embed=True)]) -> dict[str, str]:
        await machine.rehearse(on=on)
        return {"status": machine.session.status}

    @app.get("/api/frames/{seq}.jpg", dependencies=[_watcher(lease)])
    async def frame(seq: int) -> Response:
        jpeg = await machine.log.picture(seq)
        if jpeg is None:
            raise HTTPException(404, Message("session.screenshot_gone"))
        return Response(jpeg, media_type="image/jpeg")


def _add_approvals(app: FastAPI, machine: Machine, lease: SessionLease) -> None:
    holder, approvals = _holder(lease), machine.approvals

    @app.post("/api/approve", dependencies=[holder])
    async def approve(id: Annotated[int, Body()], digest: Annotated[str, Body()]) -> dict[str, str]:
        """Allow exactly the question with this number and digest, once."""
        approvals.answer(id, digest, allow=True)
        return {"answer": "allowed"}

    @app.post("/api/refuse", dependencies=[holder])
    async def refuse(
        id: Annotated[int, Body()],
        digest: Annotated[str, Body()],
        reason: Annotated[str, Body(max_length=1000)] = "",
    ) -> dict[str, str]:
        """Refuse; the model gets the reason."""
        approvals.answer(id, digest, allow=False, reason=machine.secret_store.insert_names(reason))
        return {"answer": "refused"}


def _add_settings(app: FastAPI, machine: Machine, lease: SessionLease) -> None:
    holder = _holder(lease)

    def settings_json() -> dict[str, Any]:
        found: dict[str, Any] = to_json(machine.settings.describe())
        return found

    @app.get("/api/settings", dependencies=[_watcher(lease)])
    async def settings(
        token: Annotated[str, Header(alias="X-CUA-Token")] = "",
    ) -> dict[str, Any]:
        return settings_json() if lease.is_holder(token) else WATCHED

    @app.post("/api/settings", dependencies=[holder])
    async def change(values: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
        await machine.settings.change(values)
        return settings_json()

    @app.post("/api/notice", dependencies=[holder])
    async def acknowledge() -> dict[str, Any]:
        await machine.acknowledge()
        return settings_json()


def _add_checkup(app: FastAPI, checkup: Checkups, lease: SessionLease) -> None:
    holder = _holder(lease)

    def state() -> dict[str, Any]:
        return {"running": checkup.running, "report": to_json(checkup.report())}

    @app.get("/api/checkup", dependencies=[holder])
    async def report() -> dict[str, Any]:
        return state()

    @app.post("/api/checkup", dependencies=[holder])
    async def start() -> dict[str, Any]:
        """Return at once; progress comes as events."""
        checkup.start()
        return state()

    @app.post("/api/checkup/stop", dependencies=[holder])
    async def stop() -> dict[str, Any]:
        await checkup.stop()
        return state()


async def _error_response(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, BadSettings):
        return JSONResponse({**error_body(error.message), "errors": to_json(error.errors)}, 422)
    if isinstance(error, HTTPException):
        return JSONResponse(error_body(error.detail), error.status_code)
    if isinstance(error, RequestValidationError):
        return JSONResponse(error_body(_validation_message(error)), 422)
    message = error.message if isinstance(error, CuaError) else str(error)
    return JSONResponse(error_body(message), 409 if isinstance(error, Busy) else 500)


def _validation_message(error: RequestValidationError) -> str:
    """Describe a RequestValidationError without echoing the request body."""
    for fault in error.errors():
        if fault["type"] == "string_too_long":
            most = fault["ctx"]["max_length"]
            return Message("session.text_too_long", most=most)
    return Message("session.bad_request")
