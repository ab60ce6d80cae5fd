"""A whole service in this process, on stand-ins, open to this machine."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.routing import BaseRoute

from cua.app.machine import Machine
from cua.cli.install.on_demand import OnDemand
from cua.settings import SettingsFile
from cua.web import routes as web
from cua.web.application import create
from cua.web.auth.access import OpenAccess
from cua.web.page_sockets import Admission
from cua.web.pages import Files
from cua.web.server import serve
from cua.web.session_ownership import SessionOwnership
from tests.servers.mjpeg_server import Stream, picture, serving
from tests.servers.openai_server import OpenAIServer
from tests.support.devices import Fifos


class Service:
    def __init__(self, machine: Machine, model: OpenAIServer, stream: Stream, fifos: Fifos) -> None:
        self.machine, self.model, self.stream, self.fifos = machine, model, stream, fifos
        self.ownership = SessionOwnership(machine.session, exclusive=False, grace=1)
        self.admission = Admission(self.ownership, OpenAccess("this machine", may_displace=True))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.origin = f"http://{self.host}"

    async def serve(self) -> None:
        app = create(self.machine, self.admission, OnDemand(), Files("index.html"))
        await serve(app, self.machine, self.ownership, self.listener)

    def routes(self) -> list[BaseRoute]:
        """The whole route table."""
        return web.create(self.machine, self.ownership, OnDemand()).routes


@contextlib.asynccontextmanager
async def in_this_process(folder: Path, **environ: str) -> AsyncIterator[Service]:
    async with not_yet_serving(folder, **environ) as service:
        task = asyncio.create_task(service.serve())
        yield service
        service.ownership.expired.set()
        await task


@contextlib.asynccontextmanager
async def not_yet_serving(folder: Path, **environ: str) -> AsyncIterator[Service]:
    fifos, stream = Fifos(folder), Stream([picture("one"), picture("one")])
    async with serving(stream) as url, OpenAIServer() as model:
        file = SettingsFile(
            folder / "cfg.json",
            environ=environ,
            stream_url=url,
            hid_prefix=fifos.prefix,
            api_type="openai",
            base_url=model.base_url,
            model_name="scripted",
            notice_acknowledged=True,
            gate_reads=False,
        )
        yield Service(Machine(file), model, stream, fifos)
    fifos.close()
