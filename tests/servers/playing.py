"""How a scripted reply goes over the wire, faults included; the same for every kind of event."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from tests.servers.http import Call

HALF = ("stall", "drop", "error")
"""Faults in the middle of a reply."""


async def play(call: Call, reply: dict[str, Any], pieces: Sequence[str], failure: str) -> None:
    """`pieces` are the whole stream as text, `failure` is what the server says where it fails.

    Of a reply's keys `delay`, `pace`, `status`, `body`, `headers` and `fault` are heeded here.
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
