"""Show in the page why the service could not start, as a KVM has no terminal."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import select
import socket
import sys
import time
import traceback

from ..web.origin_guard import find_refusal, list_own_names
from ..web.pages import File
from ..web.startup_page import MAX_HEAD_BYTES, StartupPage, parse_request
from .output import CANNOT_START, is_sentence

UNSEEN_S = 60.0
"""Time to wait for a page."""
SEEN_S = 5.0
"""Time in which the reason can still be read after a page has got it."""
CLIENT_TIMEOUT_S = 0.5
MAX_REASON_CHARS = 4000
CLOSE_FRAME = b"\x88\x02" + (4001).to_bytes(2, "big")
WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


FAULT = (
    "The service could not start, by a fault of this program ({error!r}). Its terminal, or the "
    "system's log, has the details."
)


def report(error: Exception, startup_page: StartupPage, listener: socket.socket) -> int:
    """Report the error in the terminal and in the page; return the exit code."""
    if is_sentence(error):
        reason = str(error)
        sys.stderr.write(f"{reason}\n")
    else:
        reason = FAULT.format(error=error)
        traceback.print_exception(error)
    sys.stderr.flush()
    show_failure(startup_page, listener, reason)
    return CANNOT_START


def show_failure(startup_page: StartupPage, listener: socket.socket, reason: str) -> None:
    """Send `reason` to pages that wait or come.

    Returns `SEEN_S` after a page has got it, or after `UNSEEN_S` without one.
    """
    told = [_refuse(startup_page, client, reason) for client in startup_page.close()]
    end = time.monotonic() + (SEEN_S if any(told) else UNSEEN_S)
    while (left := end - time.monotonic()) > 0:
        if not select.select([listener], [], [], left)[0]:
            continue
        with contextlib.suppress(OSError):
            client = listener.accept()[0]
            if not startup_page.answer(client) and _refuse(startup_page, client, reason):
                end = min(end, time.monotonic() + SEEN_S)


def _refuse(startup_page: StartupPage, client: socket.socket, reason: str) -> bool:
    """Answer a request that is not for a file; return True if a page has got the reason."""
    with client, contextlib.suppress(OSError):
        client.settimeout(CLIENT_TIMEOUT_S)
        _, _, asked = parse_request(client.recv(MAX_HEAD_BYTES))
        host, origin = asked.get("host"), asked.get("origin")
        key = asked.get("sec-websocket-key")
        foreign = find_refusal(host, origin, "http", list_own_names(), changes=bool(key))
        if key and not foreign:
            client.sendall(_handshake(key))
            client.recv(MAX_HEAD_BYTES)  # the page's hello
            client.sendall(_text_frame(reason) + CLOSE_FRAME)
            # The page's close frame: unread, it would make TCP discard the reason.
            client.recv(MAX_HEAD_BYTES)
            return True
        words = json.dumps({"error": foreign[1] if foreign else reason})
        file = File("application/json", words.encode())
        client.sendall(startup_page.response("503 Service Unavailable", file, asked))
    return False


def _handshake(key: str) -> bytes:
    digest = hashlib.sha1(f"{key}{WEBSOCKET_GUID}".encode(), usedforsecurity=False).digest()
    return (
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
        f"sec-websocket-accept: {base64.b64encode(digest).decode()}\r\n\r\n"
    ).encode()


def _text_frame(reason: str) -> bytes:
    """Encode the message that refuses a page, as `web.sockets` does."""
    told = {"type": "refused", "reason": reason[:MAX_REASON_CHARS], "failed": True}
    data = json.dumps(told).encode()
    return b"\x81\x7e" + len(data).to_bytes(2, "big") + data
