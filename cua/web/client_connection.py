"""End the work of a request when its client has gone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def while_connected(request: Any) -> Iterator[None]:
    """Cancel the body when the client of a request, whose own body was read, disconnects.

    `request` is None over stdio: there the whole process ends.
    """
    import anyio

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        body.cancel()

    with anyio.CancelScope() as body:
        watcher = asyncio.ensure_future(watch()) if request else None
        try:
            yield
        finally:
            if watcher:
                watcher.cancel()
