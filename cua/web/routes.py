"""The page's API (FastAPI): commands are POSTs; `_error_response` turns errors into JSON.

A command without a result returns null: pages get its effect from the events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from fastapi import (
    APIRouter,
    Body,
    Depends,
    FastAPI,
    Header,
    HTTPException,
    Query,
    Request,
    Response,
)
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.requests import ClientDisconnect

from ..agent.attachments import MAX_FILES
from ..agent.planning import MAX_ITEMS
from ..extras import MODULES
from ..messages import Message, error_body, to_json
from ..settings import BadSettings
from ..types import ActionError, Busy, CuaError, MissingExtra, ProcedureError, ProcedureNameError
from . import (
    history_routes,
    kvm_routes,
    manual_control_routes,
    page_sockets,
    procedure_routes,
)
from .client_connection import while_connected
from .manual_control_routes import Page
from .origin_guard import UPLOAD_PATH
from .session_ownership import SessionOwnership

if TYPE_CHECKING:
    from ..app.machine import Machine
    from ..evaluation.checkup.service import Checkups
    from ..safety.approval import Approvals
    from ..safety.secrets import SecretStore

Words = Annotated[str, Body(embed=True, max_length=10_000)]
FileIds = Annotated[Sequence[str], Body(max_length=MAX_FILES)]
"""The IDs of uploaded files."""
PlanItems = Annotated[
    list[Annotated[str, Field(max_length=1000)]], Body(embed=True, max_length=MAX_ITEMS)
]
SettingValues = Annotated[dict[str, Any], Body()]
"""Name of a setting -> its new value."""
EventNumber = Annotated[int, Body(ge=1)]
Token = Annotated[str, Header(alias="X-CUA-Token")]

STATUS = {Busy: 409, MissingExtra: 409, ActionError: 422, ProcedureError: 422, CuaError: 502}
"""Error -> HTTP status; 502: the KVM, the model or another server failed."""
WATCHED = {"notice_acknowledged": True, "values": {}}
"""The settings in the form for a page that only watches."""


class Extras(Protocol):
    def offers(self) -> dict[str, dict[str, Any]]:
        """Return extra -> sizes in bytes, whether it is installed, state of its installation."""

    def start(self, extra: str) -> None:
        """Start its installation, unless it is already running."""


def create(machine: Machine, ownership: SessionOwnership, extras: Extras) -> FastAPI:
    owner_routes = APIRouter(
        dependencies=[require(ownership.is_holder, Message("session.not_held"))]
    )
    _add_task_commands(owner_routes, machine)
    _add_commands(owner_routes, machine)
    _add_queue(owner_routes, machine)
    _add_approvals(owner_routes, machine.approvals, machine.secret_store)
    _add_settings(owner_routes, machine)
    _add_checkup(owner_routes, machine.checkup)
    _add_secrets(owner_routes, machine.secret_store)
    _add_extras(owner_routes, extras)
    manual_control_routes.add(owner_routes, machine.manual_control)
    kvm_routes.add(owner_routes, lambda: machine.computer.kvm)
    history_routes.add(owner_routes, machine.archive)
    procedure_routes.add(owner_routes, machine)
    app = create_api(owner_routes)
    _add_shared_routes(app, machine, ownership)
    return app


def create_api(owner_routes: APIRouter) -> FastAPI:
    """`owner_routes`: the routes for the page that holds the session."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.router.routes.extend(owner_routes.routes)
    for error in (CuaError, HTTPException, RequestValidationError):
        app.add_exception_handler(error, _error_response)
    return app


def require(may: Callable[[str], bool], refusal: str) -> Any:
    """Return the dependency that checks a page's token and marks its connection as admitted."""

    async def check(request: Request, token: Token = "") -> None:
        if not may(token):
            raise HTTPException(403, refusal)
        request.state.admit()

    return Depends(check)


def _add_task_commands(app: APIRouter, machine: Machine) -> None:
    """Add the commands that start or continue a task."""

    @app.post("/api/send")
    async def send(
        text: Words,
        files: FileIds = (),
        plan: Annotated[bool, Body()] = False,
        anew: Annotated[bool, Body()] = False,
    ) -> None:
        """`plan`: a new task begins with a plan, unless the Local operator works on it."""
        message = machine.read_message(text, files, plan=plan)
        await machine.session.send(*message, anew=anew)
        if plan and not message.plan:
            machine.log.note("info", Message("plan.local"), aloud=True)

    @app.post("/api/plan")
    async def approve_plan(items: PlanItems, proposal: EventNumber) -> None:
        """Begin work with the items of the plan that event `proposal` proposed, maybe edited."""
        named = [machine.secret_store.insert_names(item) for item in items]
        await machine.session.approve_plan(named, proposal)

    @app.post("/api/plan-edits")
    async def edit_plan(items: PlanItems, proposal: EventNumber) -> int:
        """Take the edited items of a plan that waits for approval; return the event's number."""
        named = [machine.secret_store.insert_names(item) for item in items]
        return await machine.session.edit_plan(named, proposal)

    @app.post("/api/resume")
    async def resume(
        text: Words = "", files: FileIds = (), plan: Annotated[bool, Body()] = False
    ) -> None:
        """Clear the latch of a stop and continue; `plan`: as for `send`."""
        said = machine.read_message(text, files, plan=plan)
        await machine.session.resume(said.text, said.files, plan=said.plan)

    @app.post(UPLOAD_PATH)
    async def add_file(
        name: Annotated[str, Query(max_length=1000)], request: Request
    ) -> dict[str, str]:
        """Check a file for a later message; the body is the file."""
        machine.check_sees_files()
        try:
            data = await request.body()
        except ClientDisconnect:
            raise HTTPException(400, Message("session.bad_request")) from None
        added = await asyncio.to_thread(machine.attachments.add, name, data)
        return {"id": added.id, "name": added.name}


def _add_commands(app: APIRouter, machine: Machine) -> None:
    @app.post("/api/pause")
    async def pause(page: Page = "") -> None:
        """Return when the task has ended and every key is released."""
        await machine.session.pause(page_sockets.PAUSED, page)

    @app.post("/api/reset")
    async def reset() -> None:
        await machine.reset()

    @app.post("/api/use-simulator")
    async def use_simulated(on: Annotated[bool, Body(embed=True)]) -> None:
        await machine.use_simulated(on=on)

    @app.post("/api/restart-simulator")
    async def restart_simulated() -> None:
        await machine.restart_simulated()


def _add_queue(app: APIRouter, machine: Machine) -> None:
    @app.post("/api/queue")
    async def add_task(text: Annotated[str, Body(max_length=10_000)], files: FileIds = ()) -> None:
        await machine.queue.add(machine.read_message(text, files))

    @app.post("/api/queue/move")
    async def move(id: Annotated[int, Body()], by: Annotated[int, Body()]) -> None:
        machine.queue.move(id, by)

    @app.post("/api/queue/remove")
    async def remove(id: Annotated[int, Body(embed=True)]) -> None:
        machine.queue.remove(id)

    @app.post("/api/queue/continue")
    async def resume() -> None:
        await machine.queue.resume()


def _add_shared_routes(app: FastAPI, machine: Machine, ownership: SessionOwnership) -> None:
    """Add the routes that pages without the session have too."""
    watcher = require(ownership.may_watch, Message("session.not_held"))
    admitted = require(ownership.may_stop, Message("session.not_admitted"))

    @app.post("/api/stop", dependencies=[admitted])
    async def stop(page: Page = "") -> None:
        await machine.session.stop(page_sockets.STOPPED, page)

    @app.get("/api/frames/{seq}.jpg", dependencies=[watcher])
    async def frame(seq: int) -> Response:
        return history_routes.jpeg_response(await machine.log.picture(seq))

    @app.get("/api/settings", dependencies=[watcher])
    async def settings(token: Token = "") -> dict[str, Any]:
        return machine.settings.describe() if ownership.is_holder(token) else WATCHED


def _add_approvals(app: APIRouter, approvals: Approvals, secrets: SecretStore) -> None:
    @app.post("/api/approve")
    async def approve(id: Annotated[int, Body()], digest: Annotated[str, Body()]) -> None:
        """Allow exactly the question with this number and digest, once."""
        approvals.answer(id, digest, allow=True)

    @app.post("/api/refuse")
    async def refuse(
        id: Annotated[int, Body()],
        digest: Annotated[str, Body()],
        reason: Annotated[str, Body(max_length=1000)] = "",
    ) -> None:
        """Refuse; the model gets the reason."""
        approvals.answer(id, digest, allow=False, reason=secrets.insert_names(reason))


def _add_settings(app: APIRouter, machine: Machine) -> None:
    @app.post("/api/settings")
    async def change(values: SettingValues) -> dict[str, Any]:
        await machine.settings.change(values)
        return machine.settings.describe()

    @app.post("/api/settings/test-model")
    async def test_model(request: Request, values: SettingValues) -> dict[str, float] | None:
        with while_connected(request):
            return {"seconds": await machine.test_model(values)}

    @app.post("/api/settings/test-notification")
    async def test_notification(values: SettingValues) -> None:
        await machine.test_notification(values)

    @app.post("/api/settings/test-kvm")
    async def test_kvm(request: Request, values: SettingValues) -> dict[str, Any] | None:
        with while_connected(request):
            return {"words": to_json(await machine.test_kvm(values))}

    @app.post("/api/settings/find-kvm")
    async def find_kvm(kvm: Annotated[str, Body(embed=True)]) -> dict[str, Any]:
        return {"login": await machine.settings.find_login(kvm)}

    @app.post("/api/notice")
    async def acknowledge() -> dict[str, Any]:
        await machine.acknowledge_notice()
        return machine.settings.describe()


def _add_checkup(app: APIRouter, checkup: Checkups) -> None:
    @app.get("/api/checkup")
    async def state() -> dict[str, Any]:
        return {"running": checkup.running, "report": to_json(checkup.report())}

    @app.post("/api/checkup")
    async def start() -> dict[str, Any]:
        """Return at once; progress comes as events."""
        checkup.start()
        return await state()

    @app.post("/api/checkup/stop")
    async def stop() -> dict[str, Any]:
        await checkup.stop()
        return await state()


def _add_secrets(app: APIRouter, secrets: SecretStore) -> None:
    """Add the routes for secrets, which never return values."""

    @app.get("/api/secrets")
    async def names() -> dict[str, Any]:
        return {"secrets": secrets.names()}

    @app.post("/api/secrets")
    async def keep(
        name: Annotated[str, Body(max_length=60)],
        value: Annotated[str, Body(max_length=1000)],
        withhold: Annotated[bool, Body()] = False,
    ) -> dict[str, Any]:
        try:
            secrets.keep(name, value, withhold=withhold)
        except ValueError as error:
            raise Busy(error.args[0]) from None
        return await names()

    @app.post("/api/secrets/forget")
    async def forget(name: Annotated[str, Body(embed=True, max_length=60)]) -> dict[str, Any]:
        secrets.forget(name)
        return await names()


def _add_extras(app: APIRouter, extras: Extras) -> None:
    """List the optional packages, and install them while the service runs."""

    @app.get("/api/extras")
    def offers() -> dict[str, dict[str, Any]]:
        return extras.offers()

    @app.post("/api/extras/{extra}")
    def install(extra: str) -> dict[str, dict[str, Any]]:
        if extra not in MODULES:
            raise HTTPException(404, Message("session.no_such_extra"))
        extras.start(extra)
        return extras.offers()


async def _error_response(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, BadSettings):
        return JSONResponse({**error_body(error.message), "errors": to_json(error.errors)}, 422)
    if isinstance(error, HTTPException):
        return JSONResponse(error_body(error.detail), error.status_code)
    if isinstance(error, RequestValidationError):
        return JSONResponse(error_body(_validation_message(error)), 422)
    assert isinstance(error, CuaError)
    status = next(STATUS[kind] for kind in type(error).mro() if kind in STATUS)
    fields = {"name": to_json(error.message)} if isinstance(error, ProcedureNameError) else {}
    body = {**error_body(error.message), "setting": error.setting, "errors": fields}
    return JSONResponse(body, status)


def _validation_message(error: RequestValidationError) -> str:
    """Describe a RequestValidationError without echoing the request body."""
    for fault in error.errors():
        if fault["type"] == "string_too_long":
            most = fault["ctx"]["max_length"]
            return Message("session.text_too_long", most=most)
    return Message("session.bad_request")
