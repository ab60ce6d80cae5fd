"""A network between two programs, which can be cut or stand still."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Relay:
    """`stalled`: nothing passes any more, and neither side is notified."""

    place: str
    stalled: bool = False
    connections: int = 0
    """How many there were."""
    port: int = 0
    _open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)

    def cut(self) -> None:
        for writer in self._open.values():
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        host, port = self.place.rsplit(":", 1)
        try:
            there_reader, there = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.close()
            return
        for source, sink in ((reader, there), (there_reader, writer)):
            task = asyncio.create_task(self._pump(source, sink))
            self._open[task] = sink

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                while self.stalled:
                    await asyncio.sleep(0.01)
                sink.write(data)
        except ConnectionError:
            pass
        sink.close()


@asynccontextmanager
async def relaying(place: str) -> AsyncIterator[Relay]:
    relay = Relay(place)
    server = await asyncio.start_server(relay._serve, "127.0.0.1", 0)
    relay.port = server.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        server.close()
        for task, writer in relay._open.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*relay._open, return_exceptions=True)
        await asyncio.sleep(0)
