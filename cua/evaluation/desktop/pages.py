"""Local web pages that tell what happens to them: where everything is, and what was done to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "pages"


class Pages:
    """`state` is what the page that is shown said last: its name, its targets and its values."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        """Returns its address."""
        self._server = await asyncio.start_server(self._visit, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        if self._server:
            self._server.close()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, path, _ = head.split(" ", 2)
            if method == "POST":
                length = int(head.lower().split("content-length:")[1].split("\r\n")[0])
                self.state = json.loads(await reader.readexactly(length))
            self._answer(writer, path)
            await writer.drain()
        writer.close()

    def _answer(self, writer: asyncio.StreamWriter, path: str) -> None:
        file = FOLDER / path.partition("?")[0].strip("/")
        found = file.is_file()
        body = file.read_bytes() if found else b""
        kind = "text/javascript" if file.suffix == ".js" else "text/html; charset=utf-8"
        status = "200 OK" if found else "204 No Content"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
