"""Visitors who come while the service is still being loaded."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from cua.cli import failed_start
from cua.cli.failed_start import show_failure
from cua.web.pages import ROOT, Files
from cua.web.startup_page import StartupPage

FILES = Files("index.html")
Place = tuple[str, int]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def ask(place: Place, request: bytes) -> bytes:
    with socket.create_connection(place, timeout=5) as visitor:
        visitor.sendall(request)
        answer = b""
        while chunk := visitor.recv(4096):
            answer += chunk
        return answer


def test_files_are_answered_at_once_with_the_safety_headers(listener: socket.socket) -> None:
    startup_page = StartupPage(listener, FILES)
    script = (ROOT / "static/app.js").read_bytes()
    for path, body in (("/", b"</html>\n"), ("/static/app.js?v=1", script)):
        answer = ask(listener.getsockname(), f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"default-src 'none'" in answer
        assert answer.endswith(body)
    assert startup_page.close() == []


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /api/pause HTTP/1.1\r\n\r\n",
        b"GET /api/ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
        b"GET /static/../cua_webapp.py HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: slow",
        b"\x16\x03\x01",
    ],
)
def test_everybody_else_waits_unread_for_the_service(
    listener: socket.socket, request_: bytes
) -> None:
    startup_page = StartupPage(listener, FILES)
    with socket.create_connection(listener.getsockname(), timeout=5) as visitor:
        visitor.sendall(request_)
        ask(listener.getsockname(), b"GET / HTTP/1.1\r\n\r\n")  # the one before has been received
        [waiting] = startup_page.close()
        with waiting:
            assert waiting.recv(100) == request_


def test_a_visitor_who_says_nothing_holds_up_the_others_only_shortly(
    listener: socket.socket,
) -> None:
    startup_page = StartupPage(listener, FILES)
    with socket.create_connection(listener.getsockname(), timeout=5):
        assert ask(listener.getsockname(), b"GET / HTTP/1.1\r\n\r\n").endswith(b"</html>\n")
    for waiting in startup_page.close():
        waiting.close()


def test_a_browser_gets_the_files_packed(listener: socket.socket) -> None:
    startup_page = StartupPage(listener, FILES)
    plain = ask(listener.getsockname(), b"GET / HTTP/1.1\r\n\r\n").partition(b"\r\n\r\n")[2]
    packed = ask(listener.getsockname(), b"GET / HTTP/1.1\r\nAccept-Encoding: br, gzip\r\n\r\n")
    assert b"content-encoding: gzip\r\n" in packed
    assert gzip.decompress(packed.partition(b"\r\n\r\n")[2]) == plain
    startup_page.close()


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("", "en"),
        ("Accept-Language: zh-TW,zh;q=0.9,en;q=0.8\r\n", "zh-CN"),
        ("Accept-Language: fr,zh;q=0.5\r\n", "zh-CN"),
        ("Accept-Language: en-US,zh\r\nCookie: a=b; cua-language=zh\r\n", "zh-CN"),
        ("accept-language: zh\r\nCookie: cua-language=en\r\n", "en"),
        ("Accept-Language: *\r\nCookie: cua-language=xx\r\n", "en"),
    ],
)
def test_the_page_comes_in_the_language_of_its_reader(
    listener: socket.socket, asked: str, language: str
) -> None:
    startup_page = StartupPage(listener, FILES)
    answer = ask(listener.getsockname(), f"GET / HTTP/1.1\r\n{asked}\r\n".encode())
    assert f'<html lang="{language}">'.encode() in answer
    assert ("发送".encode() in answer) == (language == "zh-CN")
    startup_page.close()


def test_a_failed_start_is_told_to_its_own_page_only_and_has_an_end(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failed_start, "SEEN_S", 0.5)
    place = listener.getsockname()
    host = f"127.0.0.1:{place[1]}"
    hello = (
        f"GET /api/ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://{}\r\n\r\n"
    )
    startup_page = StartupPage(listener, FILES)
    failing = threading.Thread(target=show_failure, args=(startup_page, listener, "Plug it in."))
    failing.start()
    assert ask(place, b"GET / HTTP/1.1\r\n\r\n").endswith(b"</html>\n")
    foreign = ask(place, hello.format("evil.example").encode())
    assert b"HTTP/1.1 503 " in foreign
    assert b"Plug" not in foreign
    order = f"POST /api/send HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    assert ask(place, order).endswith(b'{"error": "Plug it in."}')
    assert b"HTTP/1.1 4" in ask(
        place, hello.format(host).encode().replace(b"Version: 13", b"Version: 9")
    )
    with socket.create_connection(place, timeout=5) as page:
        page.sendall(hello.format(host).encode())
        assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in page.recv(4096)
        page.sendall(b"hello")
        frame = page.recv(4096)
    assert json.loads(frame[2:-4])["reason"] == "Plug it in."
    failing.join(10)
    assert not failing.is_alive()
