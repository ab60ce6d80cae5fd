"""The application (ASGI) of a fleet: the grid at `/`, each computer's page below `/computers/`."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ..application import Application
from ..application import create as create_page
from ..origin_guard import Guard
from ..page_sockets import Admission
from ..pages import Files
from . import routes
from .fleet import Fleet

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ..routes import Extras

COMPUTER_PATH = re.compile(r"/computers/([^/]+)(/.*)")


class FleetApplication:
    """`pages`: computer -> its application. Each part checks origins and bodies itself."""

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


def create(fleet: Fleet, admission: Admission, extras: Extras, files: Files) -> FleetApplication:
    """`files`: the files of the grid."""
    page, pages = Files("index.html"), dict[str, "ASGIApp"]()
    for name, member in fleet.members.items():
        pages[name] = create_page(member.machine, admission, extras, page)
    make_grid = partial(routes.create, fleet, admission.ownership)
    return FleetApplication(Guard(Application(files, fleet, admission, make_grid)), pages)
