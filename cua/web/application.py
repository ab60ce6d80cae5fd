"""The web application (ASGI): the page's files, its two WebSockets, and the API.

FastAPI is imported in a thread when the first page connects: the files do not need it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket

from ..messages import Message, error_body
from . import page_sockets, pages
from .origin_guard import Guard

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ..app.machine import Machine
    from ..screen.video_screen import VideoScreen
    from .fleet.fleet import Fleet
    from .routes import Extras

API = "/api/"


def create(
    machine: Machine, admission: page_sockets.Admission, extras: Extras, files: pages.Files
) -> ASGIApp:
    """Return a machine's application, whose pages supervise it.

    `extras`: the optional packages that the page offers to install.
    """
    machine.supervise(lambda: admission.ownership.attended)
    admission.ownership.on_left = machine.manual_control.end_for

    def make_api() -> ASGIApp:
        from . import routes

        return routes.create(machine, admission.ownership, extras)

    return Guard(Application(files, machine, admission, make_api, machine.screen))


class Application:
    """`make_api` imports and returns the API's application; called once, in a thread.

    `screen`: the live picture, if the page has one.
    """

    def __init__(
        self,
        files: pages.Files,
        service: Machine | Fleet,
        admission: page_sockets.Admission,
        make_api: Callable[[], ASGIApp],
        screen: VideoScreen | None = None,
    ) -> None:
        self._files, self._service, self._admission = files, service, admission
        self._make_api, self._screen = make_api, screen
        self._api: asyncio.Future[ASGIApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._open_websocket(scope["path"], WebSocket(scope, receive, send))
        elif scope["path"].startswith(API):
            api = await asyncio.shield(self._load_api())
            await api(scope, receive, send)
        else:
            await self._find_file(scope)(scope, receive, send)

    def _load_api(self) -> asyncio.Future[ASGIApp]:
        if self._api is None:
            self._api = asyncio.ensure_future(self._import_api())
        return self._api

    async def _import_api(self) -> ASGIApp:
        try:
            return await asyncio.to_thread(self._make_api)
        except (ImportError, SyntaxError) as error:
            self._admission.ownership.fail(error)
            raise

    async def _open_websocket(self, path: str, socket: WebSocket) -> None:
        if path == f"{API}ws":
            self._load_api()  # the page will need it soon
            await page_sockets.events(socket, self._service, self._admission)
        elif path == f"{API}preview" and self._screen:
            await page_sockets.preview(socket, self._screen, self._admission.ownership)
        else:
            await socket.close()

    def _find_file(self, scope: Scope) -> Response:
        """Serve a file to any client: files contain no data."""
        asked = Headers(scope=scope)
        found = self._files.find(scope["path"], asked)
        if found is None:
            return JSONResponse(error_body(Message("session.no_such_file")), 404)
        if scope["method"] != "GET":
            return Response(status_code=405, headers={"allow": "GET"})
        headers, body = found.answer(asked.get("accept-encoding", ""))
        return Response(body, headers=headers)
