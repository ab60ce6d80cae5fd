"""Other origins and hosts get nothing.

Every Origin and Host against a route of each method, two of them against every route of the route
table: a new route is in it.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator, Sequence
from typing import TypeVar

import httpx2
from fastapi.routing import APIRoute, APIWebSocketRoute
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.support.page_client import page
from tests.support.service import Service

T = TypeVar("T")
Route = tuple[str, str]
"""Method and path; a WebSocket's method is WS."""
OPEN = {("GET", "/"), ("GET", "/static/app.js")}
"""Public files: the same for every client."""

ORIGINS = [
    None,
    "http://evil.example",
    "",
    "null",
    "http://evil.example:{port}",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:{port}0",
    "http://127.0.0.1:1",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}@evil.example",
    "http://user@127.0.0.1:{port}",
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1.:{port}",
    "http://localhost:{port}",
    "http://[::1]:{port}",
    "http://[::ffff:127.0.0.1]:{port}",
    "http://0x7f000001:{port}",
    "http://2130706433:{port}",
    "HTTP://127.0.0.1:{port}",
    "http://127.0.0.1:{port}, http://evil.example",
    "http://127.0.0.1:{port}#",
    "http://127.0.0.1:{port}?x",
    "ws://127.0.0.1:{port}",
    "file://",
    "chrome-extension://abcdefghijklmnop",
    "data:text/html,x",
    "http://127.0.0.1%3A{port}",
    "//127.0.0.1:{port}",
    "127.0.0.1:{port}",
]

HOSTS = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "127.0.0.1.nip.io:{port}",
    "127.0.0.1:{port}.evil.example",
    "127.0.0.1:evil.example",
    "127.0.0.1:{port}@evil.example",
    "evil.example#127.0.0.1:{port}",
    "evil.example/127.0.0.1",
    "evil.example?127.0.0.1",
    "localhost.evil.example",
    "localhostx",
    "xlocalhost:{port}",
    "localhost.:{port}x",
    "[::1].evil.example",
    "[evil.example]:{port}",
    "0x7f.1.evil.example",
    "kvm",
    "rebound.test:{port}",
    "*",
    ".",
    ":{port}",
    "{port}",
    "local",
    ".local",
]


def routes(service: Service) -> Iterator[Route]:
    """Method and a path for each route; a new kind of route is not overlooked either."""
    for route in service.routes():
        if isinstance(route, APIWebSocketRoute):
            yield "WS", route.path
        else:
            assert isinstance(route, APIRoute), f"who guards {route}?"
            path = re.sub(r"\{\w+\}", "1", route.path.replace("{name}", "app.js"))
            yield from ((method, path) for method in route.methods or ())


def fingerprint(service: Service) -> str:
    """All that a command could change."""
    session = service.machine.session
    told = [session.status, service.machine.settings.describe(), len(service.model.calls)]
    return json.dumps(told, default=str)


async def try_socket(service: Service, path: str, origin: str | None) -> int:
    try:
        headers = {} if origin is None else {"Origin": origin}
        address = f"ws://{service.host}{path}"
        async with connect(address, additional_headers=headers, proxy=None):
            return 101
    except InvalidStatus as refusal:
        return refusal.response.status_code


async def test_no_other_origin_changes_anything(service: Service) -> None:
    port = service.host.partition(":")[2]
    known = list(routes(service))  # FastAPI cannot be set up in two threads at once
    async with page(service.origin) as person:
        before = fingerprint(service)
        for origin, chosen in combined(ORIGINS, known):
            await try_routes(service, chosen, person.token, origin and origin.format(port=port))
        assert fingerprint(service) == before
        assert await post(service, "/api/pause", person.token, service.origin) == 200


def combined(values: Sequence[T], known: Sequence[Route]) -> Iterator[tuple[T, Sequence[Route]]]:
    """Each value and the routes to try it on."""
    one_of_each = list({method: (method, path) for method, path in known}.values())
    for number, value in enumerate(values):
        yield value, known if number < 2 else one_of_each


async def try_routes(
    service: Service, chosen: Sequence[Route], token: str, origin: str | None
) -> None:
    for method, path in chosen:
        if method == "WS":
            assert await try_socket(service, path, origin) == 403, (origin, path)
        elif method != "GET":
            status = await post(service, path, token, origin, method)
            assert status == 403, (origin, method, path)


async def post(
    service: Service, path: str, token: str, origin: str | None, method: str = "POST"
) -> int:
    """The status. Byte by byte, since a client library takes five times as long."""
    body = '{"text": "x"}'
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {service.host}",
        f"X-CUA-Token: {token}",
        *([] if origin is None else [f"Origin: {origin}"]),
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    return await raw(service, "\r\n".join([*lines, "", body]))


async def test_without_its_token_a_page_gets_nothing_but_the_files(service: Service) -> None:
    before = fingerprint(service)
    for token in ("", "x", "null", "undefined", "A" * 43):
        for method, path in routes(service):
            if method != "WS" and (method, path) not in OPEN:
                status = await post(service, path, token, service.origin, method)
                assert status == 403, (method, path)
    assert fingerprint(service) == before


async def raw(service: Service, request: str) -> int:
    """The status of the answer to a request that is sent as it stands; 0 for none."""
    reader, writer = await asyncio.open_connection(*service.host.split(":"))
    writer.write(request.encode("latin-1"))
    head = (await asyncio.wait_for(reader.read(4096), 10)).decode("latin-1")
    writer.close()
    found = re.match(r"HTTP/1.1 (\d+)", head)
    return int(found[1]) if found else 0


async def test_no_other_name_is_answered(service: Service) -> None:
    for host, chosen in combined(HOSTS, list(routes(service))):
        host = host.format(port=service.host.partition(":")[2])
        for method, path in chosen:
            first = f"{method.replace('WS', 'GET')} {path} HTTP/1.1\r\nHost: {host}\r\n"
            answer = await raw(service, f"{first}Origin: http://{host}\r\n\r\n")
            assert answer in (400, 421), (host, path)


async def test_odd_host_headers_are_refused_and_own_names_answered(service: Service) -> None:
    good = service.host
    for request in (
        "GET / HTTP/1.1\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: {good}\r\nHost: evil.example\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: evil.example\r\nHost: {good}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: {good}, evil.example\r\n\r\n",
        f"GET http://{good}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ):
        assert await raw(service, request) in (400, 421), request

    own = ("127.0.0.1", "127.0.0.1:5000", "[::1]:5000", "LOCALHOST:1", "192.168.1.7")
    for host in (*own, socket.gethostname()):
        assert await raw(service, f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n") == 200, host


OTHER_REQUESTS = [
    ("GET", "/"),
    ("GET", "/static/app.js"),
    ("GET", "/nothing"),
    ("PUT", "/api/send"),
]


async def test_every_answer_of_every_route_carries_the_safety_headers(service: Service) -> None:
    async with httpx2.AsyncClient(base_url=service.origin, trust_env=False, verify=False) as client:
        for method, path in [*routes(service), *OTHER_REQUESTS]:
            if method == "WS":
                continue
            headers = (await client.request(method, path)).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert "require-trusted-types-for 'script'" in policy
            assert headers["x-frame-options"] == "DENY"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cache-control"] == "no-store"
            assert "set-cookie" not in headers
            assert "access-control-allow-origin" not in headers
