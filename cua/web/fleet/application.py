"""The application (ASGI) of a fleet: the grid at `/`, each computer's page below `/computers/`."""

from __future__ import annotations

import re
import socket
import ssl
from functools import partial
from typing import TYPE_CHECKING

from .. import routes as page_routes
from ..application import Application
from ..origin_guard import Guard
from ..page_sockets import Admission
from ..pages import Files
from ..server import serve_app
from ..startup_page import StartupPage
from . import routes
from .fleet import Fleet

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

COMPUTER_PATH = re.compile(r"/computers/([^/]+)(/.*)")


class FleetApplication:
    """`pages`: by the name of the computer. Each part checks origins and bodies itself."""

    def __init__(self, grid: ASGIApp, pages: dict[str, ASGIApp]) -> None:
        self._grid, self._pages = grid, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = COMPUTER_PATH.fullmatch(scope["path"])
        if found and found[1] in self._pages:
            path = found[2]
            inner = {**scope, "path": path, "raw_path": path.encode()}
            await self._pages[found[1]](inner, receive, send)
        else:
            await self._grid(scope, receive, send)


def create(
    fleet: Fleet, admission: Admission, extras: page_routes.Extras, files: Files
) -> FleetApplication:
    """`files`: those of the grid."""
    page, pages = Files("index.html"), dict[str, "ASGIApp"]()
    for name, member in fleet.members.items():
        machine = member.machine
        make_api = partial(page_routes.create, machine, admission.ownership, extras)
        pages[name] = Guard(Application(page, machine, admission, make_api, machine.screen))
    make_grid = partial(routes.create, fleet, admission.ownership)
    return FleetApplication(Guard(Application(files, fleet, admission, make_grid)), pages)


async def serve(
    fleet: Fleet,
    admission: Admission,
    listener: socket.socket,
    extras: page_routes.Extras,
    startup_page: StartupPage,
    tls: ssl.SSLContext | None,
) -> None:
    """See `web.server.serve`."""
    app = create(fleet, admission, extras, startup_page.files)
    await serve_app(app, fleet, admission.ownership, listener, startup_page, tls)
