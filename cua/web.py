"""The page and its API. Events go down a WebSocket, commands come up as POSTs; errors become a
status and a sentence in one place. Nothing here decides anything: `session.py` does.
"""

from __future__ import annotations

from typing import Annotated, Any, Protocol

from fastapi import Body, Depends, FastAPI, Header, HTTPException, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from . import history, keeping, page, sockets, takeover
from .desk import Desk
from .events import EventLog
from .guard import Guard
from .helm import Helm
from .record import Archive
from .session import Session
from .settings import BadSettings
from .types import Busy, CuaError
from .vault import Vault

Words = Annotated[str, Body(embed=True, max_length=10_000)]
Page = Annotated[str, Header(alias="X-CUA-Page", max_length=40)]
"""Which of the pages that hold the session asks."""


WATCHED = {"notice_acknowledged": True, "watching": True, "values": {}}
"""The settings of a page that only watches: there is nothing for it to set."""


class Checkups(Protocol):
    """The model check-up behind its button."""

    @property
    def running(self) -> bool: ...

    def start(self) -> None:
        """Raises `Busy`."""

    async def stop(self) -> None: ...

    def report(self) -> dict[str, Any] | None:
        """The last one of the model that is set."""


class Approvals(Protocol):
    """The questions that the gate puts to the person."""

    def answer(self, id: int, digest: str, *, allow: bool, reason: str = "") -> None:
        """Raises `Busy` unless exactly this question is open."""


class Machine(Protocol):
    """What the page shows and drives."""

    log: EventLog
    session: Session
    archive: Archive
    helm: Helm
    vault: Vault

    @property
    def demo(self) -> bool:
        """Whether the computer is the virtual one."""

    @property
    def approvals(self) -> Approvals: ...

    @property
    def checkup(self) -> Checkups: ...

    @property
    def screen(self) -> sockets.Preview:
        """Where the live pictures come from."""

    def settings(self) -> dict[str, Any]:
        """The settings form's contents, without the key."""

    async def change(self, settings: dict[str, Any]) -> None:
        """Raises `BadSettings`."""

    async def reset(self) -> None: ...

    async def rehearse(self, *, on: bool) -> None:
        """The virtual computer in the place of the person's own, or back. Raises `Busy`."""

    async def acknowledge(self) -> None:
        """The safety notice was read."""

    def ready(self) -> bool:
        """Whether the safety notice was acknowledged."""


def create(machine: Machine, entrance: sockets.Entrance) -> Guard:
    """The whole web application (ASGI)."""
    desk = entrance.desk
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    _add_page(app)
    _add_orders(app, machine, desk)
    _add_commands(app, machine, desk)
    _add_approvals(app, machine, desk)
    _add_settings(app, machine, desk)
    _add_checkup(app, machine.checkup, desk)
    takeover.add(
        app, machine.helm, _holder(desk), lambda: _check_that_somebody_is_there(machine, desk)
    )
    history.add(app, machine.archive, _holder(desk))
    keeping.add(app, machine.vault, _holder(desk))
    _add_sockets(app, machine, entrance)
    app.add_exception_handler(CuaError, _in_words)
    app.add_exception_handler(HTTPException, _in_words)
    app.add_exception_handler(RequestValidationError, _in_words)
    return Guard(app)


def _add_page(app: FastAPI) -> None:
    files = page.Files("index.html")

    @app.get("/")
    @app.get("/static/{name}")
    async def file(request: Request) -> Response:
        """The same for everybody: it holds no data, and asking for it claims nothing."""
        found = files.find(request.url.path, request.headers)
        if found is None:
            raise HTTPException(404, "There is no such file.")
        headers, body = found.answer(request.headers.get("accept-encoding", ""))
        return Response(body, headers=headers)


def _holder(desk: Desk) -> Any:
    """The dependency that lets in only a page that holds the session."""

    async def check(token: Annotated[str, Header(alias="X-CUA-Token")] = "") -> None:
        if not desk.knows(token):
            raise HTTPException(403, "This page does not hold the session. Reload it.")

    return Depends(check)


def _watcher(desk: Desk) -> Any:
    """The dependency that lets in whoever may see: the holder, and pages that watch."""

    async def check(token: Annotated[str, Header(alias="X-CUA-Token")] = "") -> None:
        if not desk.may_watch(token):
            raise HTTPException(403, "This page does not hold the session. Reload it.")

    return Depends(check)


def _let_in(desk: Desk) -> Any:
    """The dependency that lets in everybody who was let in, whoever holds the session."""

    async def check(token: Annotated[str, Header(alias="X-CUA-Token")] = "") -> None:
        if not desk.may_stop(token):
            raise HTTPException(403, "This page was not let in. Reload it.")

    return Depends(check)


def _add_orders(app: FastAPI, machine: Machine, desk: Desk) -> None:
    """What makes it work."""
    holder = _holder(desk)

    def check_that_it_may_begin() -> None:
        if machine.checkup.running:
            raise Busy("The model is being checked. Wait for it, or stop the check in Settings.")
        _check_that_somebody_is_there(machine, desk)

    @app.post("/api/send", dependencies=[holder])
    async def send(text: Words) -> dict[str, str]:
        await machine.helm.let_go()
        await machine.session.send(machine.vault.named(text), check_that_it_may_begin)
        return {"status": machine.session.status}

    @app.post("/api/resume", dependencies=[holder])
    async def resume(text: Words = "") -> dict[str, str]:
        """The only way on for the agent after a stop."""
        await machine.helm.let_go()
        await machine.session.resume(machine.vault.named(text), check_that_it_may_begin)
        return {"status": machine.session.status}


def _check_that_somebody_is_there(machine: Machine, desk: Desk) -> None:
    """Before any key goes down, whoever presses it."""
    if not machine.ready():
        raise Busy("Read and acknowledge the safety notice first.")
    if not desk.attended:
        raise Busy("No page is in sight. Keep this page open and visible while it works.")


def _add_commands(app: FastAPI, machine: Machine, desk: Desk) -> None:
    holder = _holder(desk)

    @app.post("/api/stop", dependencies=[_let_in(desk)])
    async def stop(page: Page = "") -> dict[str, str]:
        """Anybody who was let in may; also those who do not hold the session."""
        await machine.session.stop(sockets.STOPPED, page)
        return {"status": machine.session.status}

    @app.post("/api/pause", dependencies=[holder])
    async def pause(page: Page = "") -> dict[str, str]:
        """When this answers, the task is dead and every key is up."""
        await machine.session.pause(sockets.PAUSED, page)
        return {"status": machine.session.status}

    @app.post("/api/reset", dependencies=[holder])
    async def reset() -> dict[str, str]:
        await machine.reset()
        return {"status": machine.session.status}

    @app.post("/api/rehearse", dependencies=[holder])
    async def rehearse(on: Annotated[bool, Body(embed=True)]) -> dict[str, str]:
        await machine.rehearse(on=on)
        return {"status": machine.session.status}

    @app.get("/api/frames/{seq}.jpg", dependencies=[_watcher(desk)])
    async def frame(seq: int) -> Response:
        jpeg = machine.log.picture(seq)
        if jpeg is None:
            raise HTTPException(404, "That screenshot is no longer kept.")
        return Response(jpeg, media_type="image/jpeg")


def _add_approvals(app: FastAPI, machine: Machine, desk: Desk) -> None:
    holder, approvals = _holder(desk), machine.approvals

    @app.post("/api/approve", dependencies=[holder])
    async def approve(id: Annotated[int, Body()], digest: Annotated[str, Body()]) -> dict[str, str]:
        """A yes to exactly the question with this number and digest, once."""
        approvals.answer(id, digest, allow=True)
        return {"answer": "allowed"}

    @app.post("/api/refuse", dependencies=[holder])
    async def refuse(
        id: Annotated[int, Body()],
        digest: Annotated[str, Body()],
        reason: Annotated[str, Body(max_length=1000)] = "",
    ) -> dict[str, str]:
        """A no; the reason is told to the model."""
        approvals.answer(id, digest, allow=False, reason=machine.vault.named(reason))
        return {"answer": "refused"}


def _add_settings(app: FastAPI, machine: Machine, desk: Desk) -> None:
    holder = _holder(desk)

    @app.get("/api/settings", dependencies=[_watcher(desk)])
    async def settings(
        token: Annotated[str, Header(alias="X-CUA-Token")] = "",
    ) -> dict[str, Any]:
        return machine.settings() if desk.knows(token) else WATCHED

    @app.post("/api/settings", dependencies=[holder])
    async def change(values: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
        await machine.change(values)
        return machine.settings()

    @app.post("/api/notice", dependencies=[holder])
    async def acknowledge() -> dict[str, Any]:
        await machine.acknowledge()
        return machine.settings()


def _add_checkup(app: FastAPI, checkup: Checkups, desk: Desk) -> None:
    holder = _holder(desk)

    def state() -> dict[str, Any]:
        return {"running": checkup.running, "report": checkup.report()}

    @app.get("/api/checkup", dependencies=[holder])
    async def report() -> dict[str, Any]:
        return state()

    @app.post("/api/checkup", dependencies=[holder])
    async def start() -> dict[str, Any]:
        """Answers at once; what happens is told as events."""
        checkup.start()
        return state()

    @app.post("/api/checkup/stop", dependencies=[holder])
    async def stop() -> dict[str, Any]:
        await checkup.stop()
        return state()


def _add_sockets(app: FastAPI, machine: Machine, entrance: sockets.Entrance) -> None:
    @app.websocket("/api/ws")
    async def events(ws: WebSocket) -> None:
        await sockets.events(ws, machine, entrance)

    @app.websocket("/api/preview")
    async def preview(ws: WebSocket) -> None:
        await sockets.preview(ws, machine.screen, entrance.desk)


async def _in_words(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, BadSettings):
        return JSONResponse({"errors": error.errors, "error": str(error)}, 422)
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code)
    if isinstance(error, RequestValidationError):
        return JSONResponse({"error": _unfit(error)}, 422)
    return JSONResponse({"error": str(error)}, 409 if isinstance(error, Busy) else 500)


def _unfit(error: RequestValidationError) -> str:
    """What is wrong with a body, without repeating any of it."""
    for fault in error.errors():
        if fault["type"] == "string_too_long":
            most = fault["ctx"]["max_length"]
            return f"That is too long: at most {most} characters. Say it in fewer words."
    return "This service does not know what was asked of it. Reload the page."
