"""The port itself: http and https by the first byte, and what a crowd before it can do."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import trustme
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidMessage

from cua.app.machine import Machine
from cua.cli.install.on_demand import OnDemand
from cua.settings import SettingsFile
from cua.types import CuaError
from cua.web import listener, page_sockets
from cua.web.application import create
from cua.web.auth.access import OpenAccess
from cua.web.listener import address_group
from cua.web.page_sockets import Admission
from cua.web.pages import Files
from cua.web.server import serve
from cua.web.session_ownership import SessionOwnership
from tests.servers.mjpeg_server import Stream, serving
from tests.servers.openai_server import OpenAIServer
from tests.support.devices import Fifos
from tests.support.page_client import page

# Python 3.10 takes a TLS transport for unclosed that its peer has closed.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*_SSLProtocolTransport:pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def files(tmp_path: Path, authority: trustme.CA) -> tuple[Path, Path]:
    made = authority.issue_cert("127.0.0.1")
    made.cert_chain_pems[0].write_to_path(tmp_path / "crt")
    made.private_key_pem.write_to_path(tmp_path / "key")
    return tmp_path / "crt", tmp_path / "key"


class Place:
    def __init__(self, port: int, machine: Machine, model: OpenAIServer) -> None:
        self.port, self.machine, self.model = port, machine, model

    def origin(self, scheme: str) -> str:
        return f"{scheme}://127.0.0.1:{self.port}"

    async def crowd(self, number: int, words: bytes, source: str) -> list[asyncio.StreamWriter]:
        """Connections that have said `words` and now say nothing; refused ones are left out."""
        writers = []
        for _ in range(number):
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(
                    "127.0.0.1", self.port, local_addr=(source, 0)
                )
                writer.write(words)
                writers.append(writer)
        return writers


@pytest.fixture
async def place(tmp_path: Path, files: tuple[Path, Path]) -> AsyncIterator[Place]:
    fifos = Fifos(tmp_path)
    async with serving(Stream(), 0) as stream, OpenAIServer() as model:
        settings = SettingsFile(
            None,
            environ={},
            stream_url=stream,
            hid_prefix=fifos.prefix,
            api_type="openai",
            base_url=model.base_url,
            notice_acknowledged=True,
            gate_reads=False,
        )
        machine = Machine(settings)
        server = socket.create_server(("127.0.0.1", 0))
        ownership = SessionOwnership(machine.session, exclusive=False, grace=1)
        admission = Admission(ownership, OpenAccess("this machine", may_displace=True), secure=True)
        tls = listener.load_tls_context(*files)
        app = create(machine, admission, OnDemand(), Files("index.html"))
        service = asyncio.create_task(serve(app, machine, ownership, server, tls=tls))
        yield Place(server.getsockname()[1], machine, model)
        ownership.expired.set()
        await service
    fifos.close()


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    tls = ssl.create_default_context()
    authority.configure_trust(tls)
    return tls


async def test_one_port_answers_http_and_https(place: Place, authority: trustme.CA) -> None:
    async with httpx2.AsyncClient(verify=trusting(authority), trust_env=False) as client:
        for scheme in ("http", "https", "http"):
            answer = await client.get(place.origin(scheme) + "/")
            assert answer.status_code == 200
            assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_the_origin_has_to_be_of_the_same_scheme(
    place: Place, authority: trustme.CA, scheme: str
) -> None:
    other = {"http": "https", "https": "http"}[scheme]
    async with httpx2.AsyncClient(verify=trusting(authority), trust_env=False) as client:
        for origin, words in ((scheme, "not let in"), (other, "another web page")):
            headers = {"Origin": place.origin(origin)}
            answer = await client.post(f"{place.origin(scheme)}/api/stop", headers=headers)
            assert answer.status_code == 403
            assert words in answer.json()["error"]


async def test_a_page_works_over_https_and_is_told_that_it_can(
    place: Place, authority: trustme.CA
) -> None:
    url = f"wss://127.0.0.1:{place.port}/api/ws"
    origin = place.origin("https")
    async with connect(url, origin=origin, ssl=trusting(authority), proxy=None) as ws:  # type: ignore[arg-type]
        await ws.send(json.dumps({"type": "hello"}))
        assert json.loads(await ws.recv())["secure"] is True


async def test_files_that_are_no_certificate_are_said(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("nothing")
    with pytest.raises(CuaError, match="cannot be used"):
        listener.load_tls_context(tmp_path / "x", tmp_path / "x")
    with pytest.raises(CuaError, match="There is no file"):
        listener.load_tls_context(tmp_path / "none", tmp_path / "none")


async def test_who_asks_for_nothing_is_sent_away(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "FIRST_BYTE_TIMEOUT_S", 0.5)

    async def visit(words: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
        writer.write(words)
        answer = b""
        with contextlib.suppress(ConnectionError):
            answer = await asyncio.wait_for(reader.read(), 30)
        writer.close()
        return answer

    unfinished = (b"", b"\x16", b"\x16\x03\x01\x00", b"GET / HTTP/1.1\r\nHost: 127")
    assert await asyncio.gather(*map(visit, unfinished)) == [b""] * 4


def test_a_host_counts_once_whatever_address_of_its_own_it_comes_from() -> None:
    assert address_group("2001:db8::1") == address_group("2001:db8::ffff:2")
    assert address_group("2001:db8::1") != address_group("2001:db8:0:1::1")
    assert address_group("::ffff:192.0.2.1") == address_group("192.0.2.1")
    assert address_group("192.0.2.1") != address_group("192.0.2.2")


@pytest.mark.parametrize("words", [b"", b"POST /api/stop HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
async def test_a_crowd_does_not_hold_up_the_stop(place: Place, words: bytes) -> None:
    place.model.script = [{"fault": "silent"}]
    async with page(place.origin("http")) as person:
        await person.post("/api/send", text="go")
        crowd = await place.crowd(500, words, "127.0.0.2")
        assert (await asyncio.wait_for(person.post("/api/stop"), 10)).is_success
        # ... and other addresses are still answered
        async with httpx2.AsyncClient(trust_env=False) as client:
            assert (await client.get(place.origin("http") + "/")).status_code == 200
        for writer in crowd:
            writer.close()


@pytest.mark.parametrize(
    "words", [b"", b"POST /api/stop HTTP/1.1\r\nX: ", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]
)
async def test_connections_from_the_same_address_keep_nobody_from_a_stop(
    place: Place, words: bytes
) -> None:
    place.model.script = [{"fault": "silent"}]
    async with page(place.origin("http")) as person:
        await person.post("/api/send", text="go")
        crowd = await place.crowd(400, words, "127.0.0.1")
        headers = {"Origin": place.origin("http"), "X-CUA-Token": person.token}
        for _ in range(3):
            async with httpx2.AsyncClient(trust_env=False, headers=headers) as client:
                answer = await client.post(place.origin("http") + "/api/stop")
                assert answer.is_success
        for writer in crowd:
            writer.close()


async def test_websockets_that_say_no_hello_keep_nobody_from_a_stop(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_sockets, "HELLO_TIMEOUT_S", 60.0)
    place.model.script = [{"fault": "silent"}]
    async with page(place.origin("http")) as person, contextlib.AsyncExitStack() as stack:
        await person.post("/api/send", text="go")
        for n in range(2 * listener.MAX_PER_ADDRESS):
            url = f"ws://127.0.0.1:{place.port}/api/" + ("ws", "preview")[n % 2]
            with contextlib.suppress(OSError, InvalidMessage):  # none is refused but for the crowd
                silent = connect(url, origin=place.origin("http"), proxy=None)  # type: ignore[arg-type]
                await stack.enter_async_context(silent)
        headers = {"Origin": place.origin("http"), "X-CUA-Token": person.token}
        async with httpx2.AsyncClient(trust_env=False, headers=headers) as client:
            answer = await client.post(place.origin("http") + "/api/stop")
            assert answer.is_success
        await person.until("status", 10, status="stopped")  # the page's own socket is not replaced


async def test_slow_pages_that_read_nothing_hold_up_nobody(place: Place) -> None:
    """Their sockets are full of events and pictures; the one who stops is answered all the same."""
    place.model.script = [{"fault": "silent"}]
    async with page(place.origin("http")) as person, contextlib.AsyncExitStack() as stack:
        for _ in range(4):
            url = f"ws://127.0.0.1:{place.port}/api/ws"
            slow = connect(url, origin=place.origin("http"), proxy=None, max_queue=1)  # type: ignore[arg-type]
            ws = await stack.enter_async_context(slow)
            await ws.send(json.dumps({"type": "hello"}))
            ws.transport.pause_reading()
            stack.callback(ws.transport.abort)
        for _ in range(300):
            place.machine.log.append("log", level="info", text="x" * 10_000)
        await person.post("/api/send", text="go")
        await person.say("stop")
        await person.until("status", 10, status="stopped")


async def test_who_has_asked_is_answered_however_long_the_loop_was_held_up(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "FIRST_BYTE_TIMEOUT_S", 0.5)
    with socket.create_connection(("127.0.0.1", place.port)) as visitor:
        await asyncio.sleep(0.1)  # it has been let in
        visitor.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        asyncio.get_running_loop().call_soon(time.sleep, listener.FIRST_BYTE_TIMEOUT_S + 0.2)
        visitor.setblocking(False)
        head = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(visitor, 12), 30)
    assert head == b"HTTP/1.1 200"
