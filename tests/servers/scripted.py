"""What the scripted model servers share: their script, and how a reply is sent, faults included."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from tests.servers.http import Call, Server

HALF = ("stall", "drop", "error")
"""Faults in the middle of a reply."""


class ScriptedServer(Server):
    """A model server that sends the replies of `script` in turn, and asks for `key` if it has one.

    A reply's keys are those of `openai_server`; `fault` knows silent, stall, drop, no_finish,
    no_choices and error.
    """

    PREFIX = ""
    """Path of the base URL."""
    PATH: str
    """Path of the requests for a reply, or a part of it."""

    def __init__(self, script: Sequence[dict[str, Any]] = (), *, key: str = "") -> None:
        super().__init__()
        self.script, self.key = list(script), key

    @property
    def base_url(self) -> str:
        return self.url + self.PREFIX

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Bodies of the requests for a reply."""
        return [call.json() for call in self.calls if self.PATH in call.path]


def split_text(reply: dict[str, Any]) -> list[str]:
    """Cut the text of a reply into its `pieces`."""
    text = reply.get("text", "")
    size = max(1, -(-len(text) // reply.get("pieces", 4)))
    return [text[start : start + size] for start in range(0, len(text), size)]


async def send_reply(
    call: Call, reply: dict[str, Any], pieces: Sequence[str], failure: str
) -> None:
    """Send `pieces`, the whole stream as text, or the fault or HTTP error that `reply` asks for.

    `failure`: what the server sends where it fails in the middle. Of a reply's keys `delay`,
    `pace`, `status`, `body`, `headers` and `fault` are used here.
    """
    await asyncio.sleep(reply.get("delay", 0))
    fault = reply.get("fault", "")
    if fault == "silent":
        await asyncio.Event().wait()
    if reply.get("status", 200) != 200:
        return await call.send(reply["status"], reply.get("body", {}), reply.get("headers"))
    await call.start()
    for piece in pieces[: len(pieces) // 2] if fault in HALF else pieces:
        await call.chunk(piece)
        await asyncio.sleep(reply.get("pace", 0))
    if fault == "stall":
        await asyncio.Event().wait()
    if fault == "drop":
        return call.drop()
    if fault == "error":
        await call.chunk(failure)
    return await call.end()
