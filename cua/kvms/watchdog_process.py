"""Process that releases input on a remote KVM if the agent's process dies or stalls.

A KVM may keep a key pressed without end if its client dies between press and release, and every KVM
does if its client stalls. The agent sends the release messages through a pipe before each press.
When the pipe ends, or is silent for too long while something is pressed, this process connects to
the KVM and sends them. For the local KVM, `hid/writer/__main__.py` does it.

Input, as lines of JSON: `url` of the WebSocket, `serial:///dev/NAME?BAUD` or `jetkvm+http://HOST`,
`headers` of a logged-in client, `certificate` (the only one to accept, as PEM; empty: what this
system trusts), `down` (whether anything is pressed), `release` (messages in hex). An empty line is
a heartbeat.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from . import serial_port

LEASE_S = 1.0
"""Longest silence while something is pressed; more than a busy machine needs."""
CONNECT_DELAYS_S = (0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Delays before each attempt to connect to the KVM."""
NETWORK = "cua.kvms.watchdog_network"


def serve(pipe: int) -> None:
    """Read the pipe until its end or a broken line; then release everything that is pressed."""
    state: dict[str, Any] = {"down": False}
    with contextlib.suppress(json.JSONDecodeError):
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
    for delay_s in CONNECT_DELAYS_S:
        time.sleep(delay_s)
        with contextlib.suppress(OSError):
            _send_release(state)
            return


def _send_release(state: dict[str, Any]) -> None:
    """Return when the KVM has read the messages. Raises `OSError`."""
    messages = [bytes.fromhex(each) for each in state["release"]]
    parts = urlsplit(state["url"])
    if parts.scheme == "serial":
        serial_port.send(parts.path, parts.query, messages)
    else:
        network = importlib.import_module(NETWORK)
        network.send(state["url"], state["headers"], state["certificate"], messages)


def _lines(pipe: int, timeout_s: Callable[[], float | None]) -> Iterator[bytes | None]:
    """Yield lines until the end, and None after each `timeout_s()` without a line."""
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
    """Detach from the parent, so that it need not wait for this process, and serve stdin."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # ends with the pipe, after the agent
    if os.fork() == 0:
        os.setsid()
        importlib.import_module(NETWORK)  # too slow to import when needed
        serve(0)


if __name__ == "__main__":
    main()
