"""Show on the page why the service could not start, as a KVM has no terminal."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sys
import time
import traceback
from typing import TYPE_CHECKING

from ..exit_codes import CANNOT_START
from ..messages import Message, error_body, to_json
from ..web.origin_guard import find_refusal, list_own_names
from ..web.pages import File
from ..web.startup_page import MAX_HEAD_BYTES, StartupPage, parse_request
from .output import is_sentence

if TYPE_CHECKING:
    from websockets.server import ServerProtocol

UNSEEN_S = 60.0
"""Time to wait for a page."""
SEEN_S = 5.0
"""Time to read the reason after a page has received it."""
CLIENT_TIMEOUT_S = 0.5
REFUSED_CODE = 4001


def report(error: Exception, startup_page: StartupPage, listener: socket.socket) -> int:
    """Report the error in the terminal and in the page; return the exit code."""
    if is_sentence(error):
        reason: str = getattr(error, "message", "")
        sys.stderr.write(f"{reason}\n")
    else:
        reason = Message("start.fault", error=repr(error))
        traceback.print_exception(error)
    sys.stderr.flush()
    show_failure(startup_page, listener, reason)
    return CANNOT_START


def show_failure(startup_page: StartupPage, listener: socket.socket, reason: str) -> None:
    """Send `reason` to pages that wait or connect later.

    Returns `SEEN_S` after a page has received it, or after `UNSEEN_S` without one.
    """
    seen = [_refuse(startup_page, client, reason) for client in startup_page.close()]
    end = time.monotonic() + (SEEN_S if any(seen) else UNSEEN_S)
    while (left := end - time.monotonic()) > 0:
        if not select.select([listener], [], [], left)[0]:
            continue
        with contextlib.suppress(OSError):
            client = listener.accept()[0]
            if not startup_page.answer(client) and _refuse(startup_page, client, reason):
                end = min(end, time.monotonic() + SEEN_S)


def _refuse(startup_page: StartupPage, client: socket.socket, reason: str) -> bool:
    """Answer a request that is not for a file; return whether a page has received the reason."""
    with client, contextlib.suppress(OSError):
        client.settimeout(CLIENT_TIMEOUT_S)
        head = client.recv(MAX_HEAD_BYTES)
        _, _, asked = parse_request(head)
        is_page = "sec-websocket-key" in asked
        host, origin = asked.get("host"), asked.get("origin")
        foreign = find_refusal(host, origin, "http", list_own_names(), changes=is_page)
        if is_page and not foreign:
            return _refuse_page(client, head, reason)
        body = json.dumps(error_body(foreign[1] if foreign else reason)).encode()
        file = File("application/json", body)
        client.sendall(startup_page.response("503 Service Unavailable", file, asked))
    return False


def _refuse_page(client: socket.socket, head: bytes, reason: str) -> bool:
    """Accept the WebSocket and refuse the page like the service; return False for a bad request."""
    from websockets.http11 import Request
    from websockets.protocol import State
    from websockets.server import ServerProtocol

    protocol = ServerProtocol()
    protocol.receive_data(head)
    for request in protocol.events_received():
        assert isinstance(request, Request)
        protocol.send_response(protocol.accept(request))
    _send(client, protocol)
    if protocol.state is not State.OPEN:
        return False
    client.recv(MAX_HEAD_BYTES)  # the page's hello
    refusal = {"type": "refused", "reason": to_json(reason), "failed": True}
    protocol.send_text(json.dumps(refusal).encode())
    protocol.send_close(REFUSED_CODE)
    _send(client, protocol)
    client.recv(MAX_HEAD_BYTES)  # its close frame: unread, it would make TCP discard the reason
    return True


def _send(client: socket.socket, protocol: ServerProtocol) -> None:
    client.sendall(b"".join(protocol.data_to_send()))
