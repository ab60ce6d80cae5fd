"""How one Python makes room for another without letting go of the port.

The socket goes along as systemd hands sockets over (LISTEN_FDS, LISTEN_PID): nobody is refused in
between, since the kernel keeps accepting. So a socket from systemd itself is understood as well.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

FIRST = 3
"""The descriptor of the first socket that is handed over."""


def become(
    python: Path | str, arguments: Sequence[str], listener: socket.socket | None
) -> NoReturn:
    """This process goes on as another Python, with the socket if there is one."""
    environ = dict(os.environ)
    if listener is not None:
        os.set_inheritable(os.dup2(listener.fileno(), FIRST), True)
        environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
    sys.stderr.flush()
    os.execve(python, [str(python), *arguments], environ)  # noqa: S606 - our own program


def handed_over() -> socket.socket | None:
    """The socket that this process was started with, if it was."""
    process, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    if process != str(os.getpid()) or count != "1":
        return None
    os.set_inheritable(FIRST, False)
    return socket.socket(fileno=FIRST)
