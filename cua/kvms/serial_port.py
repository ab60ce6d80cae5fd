"""A serial port as a file descriptor, also for the watchdog process.

RTS and DTR are off: on an Openterface, 4 s of RTS reset the chip.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import struct
import termios
from collections.abc import Sequence

LINES_OFF = struct.pack("I", termios.TIOCM_RTS | termios.TIOCM_DTR)
ANSWER_TIMEOUT_MS = 500


def open_port(path: str, *, exclusive: bool = False) -> int:
    """Open without blocking. Raises `OSError`; `BlockingIOError` if another process uses it."""
    port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        if not os.isatty(port):
            raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
        if exclusive:
            fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(port)
        raise
    with contextlib.suppress(OSError):  # a pseudo-terminal has no such lines
        fcntl.ioctl(port, termios.TIOCMBIC, LINES_OFF)
    return port


def set_baud(port: int, baud: str) -> None:
    """Set the rate, in raw mode with 8 bits, and discard waiting bytes. Raises `OSError`."""
    speed = getattr(termios, f"B{baud}", None)
    if speed is None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    control = termios.CS8 | termios.CREAD | termios.CLOCAL
    try:
        characters = termios.tcgetattr(port)[6]
        termios.tcsetattr(port, termios.TCSANOW, [0, 0, control, 0, speed, speed, characters])
        termios.tcflush(port, termios.TCIOFLUSH)
    except termios.error as error:
        raise OSError(*error.args) from error


def send(path: str, baud: str, messages: Sequence[bytes]) -> None:
    """Open the port; send each message after the previous answer. Raises `OSError`."""
    port = open_port(path)
    try:
        set_baud(port, baud)
        for message in messages:
            os.write(port, message)
            if not select.select([port], [], [], ANSWER_TIMEOUT_MS / 1000)[0]:
                raise TimeoutError
            os.read(port, 4096)
    finally:
        os.close(port)
