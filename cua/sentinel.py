"""The process that lets go of what is down behind a KVM elsewhere when the agent's own cannot.

A KVM may keep a key down for ever when whoever pressed it dies in the middle of a stroke, and so do
all of them when it only stands still. This process waits at the other end of a pipe for that. It is
told what would have to be said to let go, before anything goes down; when the pipe ends, or is
silent for too long while something is down, it goes to the KVM by its own connection and says it.

Lines of JSON come in: `url` of the WebSocket, `headers` of somebody who has logged in, `pin` (the
fingerprint of the KVM's certificate; empty: one that this system trusts), `down` and `say` (what
lets go, in hex). An empty line says that the agent is still there.
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

LEASE = 1.0
"""Seconds of silence with something down: a machine that is merely busy is not gone."""
TRIES = (0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each attempt to reach the KVM."""
REPEATS = (0.0, 0.03, 0.15, 0.5)
"""Seconds before it is said again: a KVM may drop a report, or read the agent's last one late."""
PATIENCE = 5.0


def serve(ears: int) -> None:
    """Until the pipe has ended, and what was down then is up."""
    said: dict[str, Any] = {"down": False}
    for line in _lines(ears, lambda: LEASE if said["down"] else None):
        if line is None:
            let_go(said)
            said["down"] = False
        elif line:
            said.update(json.loads(line))
    if said["down"]:
        let_go(said)


def let_go(said: dict[str, Any]) -> None:
    for pause in TRIES:
        time.sleep(pause)
        with contextlib.suppress(OSError), _stream(said) as stream:  # nobody is left to be told
            _say(stream, said)
            return


def _say(stream: socket.socket, said: dict[str, Any]) -> None:
    """Returns when the KVM has read it."""
    machine = _opened(stream, said)
    for pause in REPEATS:
        time.sleep(pause)
        for message in said["say"]:
            machine.send_binary(bytes.fromhex(message))
        machine.send_ping(b"")
        _flush(stream, machine)
    pongs = 0
    while pongs < len(REPEATS):
        pongs += _heard(stream, machine)


def _opened(stream: socket.socket, said: dict[str, Any]) -> Any:
    """The protocol's state machine of an open connection."""
    client = importlib.import_module("websockets.client")
    uri = importlib.import_module("websockets.uri").parse_uri(said["url"].replace("http", "ws", 1))
    machine = client.ClientProtocol(uri)
    request = machine.connect()
    for name, value in said["headers"].items():
        request.headers[name] = value
    machine.send_request(request)
    _flush(stream, machine)
    while machine.state.name == "CONNECTING":
        _heard(stream, machine)
    if machine.handshake_exc:
        raise OSError("it does not open a WebSocket")
    return machine


def _flush(stream: socket.socket, machine: Any) -> None:
    for data in machine.data_to_send():
        stream.sendall(data)


def _heard(stream: socket.socket, machine: Any) -> int:
    """Waits until something comes; returns how many pongs are in it."""
    data = stream.recv(65536)
    if not data:
        raise OSError("the KVM closed the connection")
    machine.receive_data(data)
    _flush(stream, machine)
    return sum(getattr(event, "opcode", 0) == 0xA for event in machine.events_received())


def _stream(said: dict[str, Any]) -> socket.socket:
    """The certificate is looked at before a login is shown."""
    url = urlsplit(said["url"])
    secure = url.scheme == "https"
    host, port = url.hostname or "", url.port or (443 if secure else 80)
    plain = socket.create_connection((host, port), PATIENCE)
    try:
        return _wrapped(plain, host, said["pin"]) if secure else plain
    except BaseException:
        plain.close()
        raise


def _wrapped(plain: socket.socket, host: str, pin: str) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    if pin:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    stream = context.wrap_socket(plain, server_hostname=host)
    certificate = stream.getpeercert(binary_form=True) or b""
    if pin and hashlib.sha256(certificate).digest().hex(":").upper() != pin:
        stream.close()
        raise ssl.SSLError("another certificate")
    return stream


def _lines(ears: int, patience: Callable[[], float | None]) -> Iterator[bytes | None]:
    """Lines until the end; None when none has come for as long as `patience` says."""
    poll, rest = select.poll(), b""
    poll.register(ears, select.POLLIN)
    while True:
        seconds = patience()
        if not poll.poll(None if seconds is None else seconds * 1000):
            yield None
            continue
        data = os.read(ears, 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


def main() -> None:
    """Leaves its parent at once, so that nobody has to wait for it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends with the pipe, after the agent
    if os.fork() == 0:
        os.setsid()
        importlib.import_module("websockets.client")  # there is no time for it later
        serve(0)


if __name__ == "__main__":
    main()
