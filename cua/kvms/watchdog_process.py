"""Process that releases input on a remote KVM if the agent's process dies or stalls.

A KVM may hold a key down for ever if its client dies between press and release, and every KVM does
if its client stalls. The agent sends the release messages through a pipe before it presses
anything. When the pipe ends, or is silent for too long while something is down, this process
connects to the KVM and sends them.

Input, as lines of JSON: `url` of the WebSocket, `serial:///dev/NAME?BAUD` or `jetkvm+http://HOST`,
`headers` of a logged-in client, `certificate` (the only one to accept, as PEM; empty: what this
system trusts), `down` (whether anything is), `release` (messages in hex). An empty line is a
heartbeat.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from .. import tls_contexts
from . import serial_port

LEASE_S = 1.0
"""Silence while something is down until it is released; more than a busy machine needs."""
CONNECT_DELAYS_S = (0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Before each attempt to connect to the KVM."""
REPEAT_DELAYS_S = (0.0, 0.03, 0.15, 0.5)
"""Before each sending: a KVM may drop a report, or read the agent's last one late."""
MAX_UNREAD_MESSAGES = 1 << 16
"""Those of the KVM are not read here, and must not hold up its pongs."""
TIMEOUT_S = 5.0
"""To connect, and for the KVM to read what was sent."""


def serve(pipe: int) -> None:
    """Follow the pipe until it ends, then release what is down."""
    state: dict[str, Any] = {"down": False}
    for line in _lines(pipe, lambda: LEASE_S if state["down"] else None):
        if line is None:
            release(state)
            state["down"] = False
        elif line:
            state.update(json.loads(line))
    if state["down"]:
        release(state)


def release(state: dict[str, Any]) -> None:
    """Send the release messages; retry while the KVM cannot be reached."""
    exceptions = importlib.import_module("websockets.exceptions")
    for delay_s in CONNECT_DELAYS_S:
        time.sleep(delay_s)
        with contextlib.suppress(OSError, exceptions.WebSocketException):
            _send_release(state)
            return


def _send_release(state: dict[str, Any]) -> None:
    """Return when the KVM has read the messages."""
    url, headers, certificate = state["url"], state["headers"], state["certificate"]
    messages = [bytes.fromhex(each) for each in state["release"]]
    parts = urlsplit(url)
    if parts.scheme == "serial":
        serial_port.send(parts.path, parts.query, messages)
    elif parts.scheme.startswith("jetkvm+"):
        jetkvm = importlib.import_module("cua.kvms.jetkvm_release")
        jetkvm.send(url.partition("+")[2], headers, certificate, messages)
    else:
        _send_over_websocket(parts, headers, certificate, messages)


def _send_over_websocket(
    url: SplitResult, headers: Mapping[str, str], certificate: str, messages: Sequence[bytes]
) -> None:
    """The certificate is checked before the login."""
    client = importlib.import_module("websockets.sync.client")
    secure = url.scheme == "https"
    address = url.hostname or "", url.port or (443 if secure else 80)
    with (
        socket.create_connection(address, TIMEOUT_S) as stream,
        client.connect(
            url.geturl().replace("http", "ws", 1),
            sock=stream,
            ssl=tls_contexts.make_client_context(certificate) if secure else None,
            additional_headers=headers,
            compression=None,
            max_queue=MAX_UNREAD_MESSAGES,
            open_timeout=TIMEOUT_S,
            close_timeout=0,
        ) as link,
    ):
        for delay_s in REPEAT_DELAYS_S:
            time.sleep(delay_s)
            for message in messages:
                link.send(message)
            read = link.ping()
        _wait_for_pong(link, read)


def _wait_for_pong(link: Any, read: threading.Event) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not read.wait(0.05):
        if link.close_code is not None or time.monotonic() > end:
            raise OSError("the KVM did not read the messages")


def _lines(pipe: int, timeout_s: Callable[[], float | None]) -> Iterator[bytes | None]:
    """Yield lines until the end, and None whenever none has come for `timeout_s()`."""
    poll, rest = select.poll(), b""
    poll.register(pipe, select.POLLIN)
    while True:
        seconds = timeout_s()
        if not poll.poll(None if seconds is None else seconds * 1000):
            yield None
            continue
        data = os.read(pipe, 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


def main() -> None:
    """Detach from the parent, which need not wait for this process, and serve stdin."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # ends with the pipe, after the agent
    if os.fork() == 0:
        os.setsid()
        importlib.import_module("websockets.sync.client")  # too slow to import when needed
        serve(0)


if __name__ == "__main__":
    main()
