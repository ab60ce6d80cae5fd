"""How the service's port is set, and how it ends."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from cua.web.uvicorn_server import OPTIONS
from tests.support.service import not_yet_serving


async def test_nobody_may_say_that_he_comes_from_elsewhere() -> None:
    seen: list[Any] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["client"])

    config = uvicorn.Config(app, **OPTIONS)
    config.load()
    headers = [(b"x-forwarded-for", b"10.0.0.7")]
    scope = {"type": "http", "scheme": "http", "client": ("127.0.0.1", 5), "headers": headers}
    await config.loaded_app(scope, None, None)
    assert seen == [("127.0.0.1", 5)]


def test_a_kept_connection_is_not_closed_while_a_client_may_use_it() -> None:
    """A request that meets the closing is lost: a client tells no difference to a dead service."""
    expiry = httpx2.Limits().keepalive_expiry
    assert expiry
    assert OPTIONS["timeout_keep_alive"] > expiry


async def test_a_ctrl_c_before_it_serves_ends_it(tmp_path: Path) -> None:
    task = asyncio.current_task()
    assert task
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)  # as `run_server`
    async with not_yet_serving(tmp_path) as service:
        signal.raise_signal(signal.SIGINT)
        await service.serve()
