"""Runs in the guest: our writer on the real /dev/hidg*, its messages on a virtio port.

    python -S -E /kvm.py PORT

The port is a stream and the messages have fixed sizes, so they only have to be cut apart. While
a process on the host holds the other end of the port, the writer has a client.
"""

from __future__ import annotations

import os
import select
import socket
import sys
import time

from cua.hid.writer.packets import REQUEST


def main(path: str) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    writer = [sys.executable, "-S", "-E", "-m", "cua.hid.writer", "/dev/hidg", "/run/hid", "/sys"]
    to_stdin = (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0)
    os.posix_spawn(sys.executable, writer, os.environ, file_actions=[to_stdin])
    theirs.close()
    select.select([ours], [], [])  # its greeting
    os.close(os.open("/run/ready", os.O_CREAT))
    port = os.open(path, os.O_RDWR)
    poll = select.poll()
    poll.register(port, select.POLLIN)
    while any(event & select.POLLHUP for _, event in poll.poll(50)):  # no client yet
        time.sleep(0.05)
    _pump(port, ours)


def _pump(port: int, talk: socket.socket) -> None:
    """Until either end is gone."""
    poll = select.poll()
    poll.register(port, select.POLLIN)
    poll.register(talk, select.POLLIN)
    rest = b""
    while True:
        for fd, event in poll.poll():
            data = os.read(fd, 4096) if event & select.POLLIN else b""
            if not data:
                return
            if fd == port:
                rest = _cut(rest + data, talk)
            else:
                os.write(port, data)


def _cut(data: bytes, talk: socket.socket) -> bytes:
    """Whole messages go on; the beginning of another one comes back."""
    while len(data) >= REQUEST.size:
        talk.send(data[: REQUEST.size])
        data = data[REQUEST.size :]
    return data


if __name__ == "__main__":
    main(sys.argv[1])
