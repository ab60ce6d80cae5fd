"""Process that releases input on a remote KVM if the agent's process dies or stalls.

A KVM may hold a key down for ever if its client dies between press and release, and every KVM does
if its client stalls. The agent sends the release messages through a pipe before it presses
anything. When the pipe ends, or is silent for too long while something is down, this process
connects to the KVM and sends them.

Input, as lines of JSON: `url` of the WebSocket, `headers` of a logged-in client, `pin` (SHA-256
fingerprint of the KVM's certificate; empty: trusted by this system), `down` (whether anything is),
`release` (messages in hex). An empty line is a heartbeat.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import select
import signal
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

LEASE_S = 1.0
"""Silence while something is down until it is released; more than a busy machine needs."""
CONNECT_DELAYS_S = (0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Before each attempt to connect to the KVM."""
REPEAT_DELAYS_S = (0.0, 0.03, 0.15, 0.5)
"""Before each sending: a KVM may drop a report, or read the agent's last one late."""
CONNECT_TIMEOUT_S = 5.0


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
    """Connect to the KVM and send the release messages; retry while it cannot be reached."""
    for pause in CONNECT_DELAYS_S:
        time.sleep(pause)
        with contextlib.suppress(OSError), _connect(state) as stream:
            _send_release(stream, state)
            return


def _send_release(stream: socket.socket, state: dict[str, Any]) -> None:
    """Return when the KVM has read the messages."""
    machine = _open_websocket(stream, state)
    for pause in REPEAT_DELAYS_S:
        time.sleep(pause)
        for message in state["release"]:
            machine.send_binary(bytes.fromhex(message))
        machine.send_ping(b"")
        _flush(stream, machine)
    pongs = 0
    while pongs < len(REPEAT_DELAYS_S):
        pongs += _receive(stream, machine)


def _open_websocket(stream: socket.socket, state: dict[str, Any]) -> Any:
    """Do the handshake; return the protocol's state machine."""
    client = importlib.import_module("websockets.client")
    uri = importlib.import_module("websockets.uri").parse_uri(state["url"].replace("http", "ws", 1))
    machine = client.ClientProtocol(uri)
    request = machine.connect()
    for name, value in state["headers"].items():
        request.headers[name] = value
    machine.send_request(request)
    _flush(stream, machine)
    while machine.state.name == "CONNECTING":
        _receive(stream, machine)
    if machine.handshake_exc:
        raise OSError("the KVM refused the WebSocket")
    return machine


def _flush(stream: socket.socket, machine: Any) -> None:
    for data in machine.data_to_send():
        stream.sendall(data)


def _receive(stream: socket.socket, machine: Any) -> int:
    """Wait for data; return the number of pongs in it."""
    data = stream.recv(65536)
    if not data:
        raise OSError("the KVM closed the connection")
    machine.receive_data(data)
    _flush(stream, machine)
    return sum(getattr(event, "opcode", 0) == 0xA for event in machine.events_received())


def _connect(state: dict[str, Any]) -> socket.socket:
    """Connect; the certificate is checked before any login is sent."""
    url = urlsplit(state["url"])
    secure = url.scheme == "https"
    host, port = url.hostname or "", url.port or (443 if secure else 80)
    plain = socket.create_connection((host, port), CONNECT_TIMEOUT_S)
    try:
        return _start_tls(plain, host, state["pin"]) if secure else plain
    except BaseException:
        plain.close()
        raise


def _start_tls(plain: socket.socket, host: str, pin: str) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    if pin:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    stream = context.wrap_socket(plain, server_hostname=host)
    certificate = stream.getpeercert(binary_form=True) or b""
    if pin and hashlib.sha256(certificate).digest().hex(":").upper() != pin:
        stream.close()
        raise ssl.SSLError("the certificate has changed")
    return stream


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
        importlib.import_module("websockets.client")  # too slow to import when needed
        serve(0)


if __name__ == "__main__":
    main()
