"""Stands in for the writer process on this side, when the writer runs in the guest.

    python -m tests.usb.relay SOCKET …

Takes messages at its stdin and hands them to the virtio port whose socket that is, and back.
"""

from __future__ import annotations

import os
import select
import socket
import sys

from cua.hid.writer.packets import ANSWER

TALK = 0


def main(path: str) -> None:
    port = socket.socket(socket.AF_UNIX)
    port.connect(path)
    poll = select.poll()
    poll.register(port, select.POLLIN)
    poll.register(TALK, select.POLLIN)
    rest = b""
    while True:
        for fd, _ in poll.poll():
            data = os.read(fd, 4096)
            if not data:
                return
            if fd == TALK:
                port.sendall(data)
            else:
                rest = _cut(rest + data)


def _cut(data: bytes) -> bytes:
    """Whole messages go on; the beginning of another one comes back."""
    while len(data) >= ANSWER.size:
        os.write(TALK, data[: ANSWER.size])
        data = data[ANSWER.size :]
    return data


if __name__ == "__main__":
    main(sys.argv[1])
