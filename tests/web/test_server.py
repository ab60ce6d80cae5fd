"""How the service's port is set."""

from __future__ import annotations

from typing import Any

import uvicorn

from cua.web.uvicorn_server import OPTIONS


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
