"""Visitors who come while the service is still being loaded."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from cua.lobby import Lobby
from cua.page import HEADERS, File

FILES = {"/": File("text/html; charset=utf-8", b"<h1>"), "/static/a.js": File("text/js", b"1")}
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
    lobby = Lobby(listener, FILES, HEADERS)
    for path, body in (("/", b"<h1>"), ("/static/a.js?v=1", b"1")):
        answer = ask(listener.getsockname(), f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"default-src 'none'" in answer
        assert answer.endswith(b"\r\n\r\n" + body)
    assert lobby.close() == []


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
    lobby = Lobby(listener, FILES, HEADERS)
    with socket.create_connection(listener.getsockname(), timeout=5) as visitor:
        visitor.sendall(request_)
        ask(listener.getsockname(), b"GET / HTTP/1.1\r\n\r\n")  # the one before has been received
        [waiting] = lobby.close()
        with waiting:
            assert waiting.recv(100) == request_


def test_a_visitor_who_says_nothing_holds_up_the_others_only_shortly(
    listener: socket.socket,
) -> None:
    lobby = Lobby(listener, FILES, HEADERS)
    with socket.create_connection(listener.getsockname(), timeout=5):
        assert ask(listener.getsockname(), b"GET / HTTP/1.1\r\n\r\n").endswith(b"<h1>")
    for waiting in lobby.close():
        waiting.close()


def test_a_browser_gets_the_files_packed(listener: socket.socket) -> None:
    files = {"/": File("text/html", b"<h1>", b"packed")}
    lobby = Lobby(listener, files, HEADERS)
    plain = ask(listener.getsockname(), b"GET / HTTP/1.1\r\n\r\n")
    assert plain.endswith(b"\r\n\r\n<h1>")
    packed = ask(listener.getsockname(), b"GET / HTTP/1.1\r\nAccept-Encoding: br, gzip\r\n\r\n")
    assert b"content-encoding: gzip\r\n" in packed
    assert packed.endswith(b"\r\n\r\npacked")
    lobby.close()
