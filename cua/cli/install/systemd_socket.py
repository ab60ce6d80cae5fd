"""A socket that systemd hands over (LISTEN_FDS, LISTEN_PID)."""

from __future__ import annotations

import os
import socket

FIRST = 3
"""The descriptor of the first socket that is handed over."""


def handed_over() -> socket.socket | None:
    """The socket that this process was started with, if it was."""
    process, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    if process != str(os.getpid()) or count != "1":
        return None
    os.set_inheritable(FIRST, False)
    return socket.socket(fileno=FIRST)
