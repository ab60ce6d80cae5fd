"""HTTP/1.1 in a hundred lines, for servers that misbehave on purpose.

A framework would repair what the tests want broken: here every byte, every pause and every torn
connection is decided by the script, and each call notes whether the client hung up before its end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import Self

REASONS = {200: "OK", 307: "Temporary Redirect", 400: "Bad Request", 404: "Not Found"}


@dataclass
class Call:
    """One request and the way to answer it. `hung_up` is seconds from its arrival, or None."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = field(repr=False)
    writer: asyncio.StreamWriter = field(repr=False)
    arrived: float = field(default_factory=time.monotonic)
    hung_up: float | None = None
    answered: bool = False

    def json(self) -> Any:
        return json.loads(self.body)

    async def send(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        """A whole answer; a string goes as plain text, all else as JSON."""
        kind = "text/plain" if isinstance(body, str) else "application/json"
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self._head(
            status, {"content-type": kind, "content-length": str(len(data))} | (headers or {})
        )
        self.writer.write(data)
        await self.writer.drain()

    async def start(self, kind: str = "text/event-stream", status: int = 200) -> None:
        self._head(status, {"content-type": kind, "transfer-encoding": "chunked"})
        await self.writer.drain()

    async def chunk(self, text: str) -> None:
        data = text.encode()
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self.writer.drain()

    async def event(self, data: object) -> None:
        await self.chunk(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")

    async def end(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    def drop(self) -> None:
        """Tear the connection down in the middle of whatever was being said."""
        self.writer.transport.abort()

    def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'X')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())


class Server:
    """Listens on a free port of this machine; a subclass writes `answer`."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.tls: ssl.SSLContext | None = None

    async def answer(self, call: Call) -> None:
        raise NotImplementedError

    @property
    def url(self) -> str:
        return f"http{'s' * bool(self.tls)}://127.0.0.1:{self.port}"

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", port, limit=2**26, ssl=self.tls
        )
        self.port: int = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        for task, writer in self._open.items():
            task.cancel()
            writer.transport.abort()  # also of one that had not begun to be served
        await asyncio.gather(*self._open, return_exceptions=True)
        await asyncio.sleep(0)  # for the transports to be gone

    @property
    def open_connections(self) -> int:
        return len(self._open)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._talk(reader, writer))
        self._open[task] = writer
        task.add_done_callback(self._open.pop)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while call := await _read(reader, writer):
                self.calls.append(call)
                await self._serve(call, reader)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            writer.transport.abort()

    async def _serve(self, call: Call, reader: asyncio.StreamReader) -> None:
        answer = asyncio.create_task(self.answer(call))
        try:
            while not answer.done():
                if reader.at_eof() or reader.exception():
                    raise ConnectionResetError
                await asyncio.wait({answer}, timeout=0.01)
            answer.result()
            call.answered = True
        except ConnectionError:
            call.hung_up = time.monotonic() - call.arrived
            raise
        finally:
            answer.cancel()
            await asyncio.wait({answer})


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Call | None:
    start = await reader.read(1)
    if not start.isalpha():  # the client left, or it begins a TLS handshake
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n" if start else b"")
        return None
    head = start + await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode().rstrip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":")[::2] for line in lines)
    headers = {name.lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Call(method, path, headers, body, writer)


@contextlib.contextmanager
def in_a_thread(server: Server) -> Iterator[str]:
    """Playwright's own loop runs in this one. Gives its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    try:
        yield server.url
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def main(make: Callable[[Any], Server]) -> None:
    """The program: `--port N --script FILE`, FILE being what `make` takes, as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=argparse.FileType(), default=None)
    options = parser.parse_args()
    server = make(json.load(options.script) if options.script else [])
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_forever(server, options.port))


async def _forever(server: Server, port: int) -> None:
    await server.start(port)
    sys.stdout.write(f"listening {server.url}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()
