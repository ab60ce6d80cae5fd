"""Words to the person in the terminal, and the end of a start that cannot be."""

from __future__ import annotations

import importlib.util
import io
import os
import signal
import sys
from typing import NoReturn

from ..extras import NAME, PACKAGED, ROOT, command

CANNOT_START = 2
INTERRUPTED = 130
PROGRAM = NAME if PACKAGED else f"{sys.executable} {ROOT / 'cua_webapp.py'}"
"""How it is started."""


def settle() -> None:
    """Whatever the terminal is like: words that it cannot show do not end the program, none of its
    channels is left to a socket, and one that is closed is as an order to end.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
    for channel in (sys.stdout, sys.stderr):
        if isinstance(channel, io.TextIOWrapper):
            channel.reconfigure(errors="backslashreplace")
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def interrupted() -> int:
    sys.stderr.write("Interrupted.\n")
    return INTERRUPTED


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def refuse(words: str) -> NoReturn:
    sys.stderr.write(f"{words}\n")
    sys.exit(CANNOT_START)


def need(module: str, extra: str, why: str) -> None:
    if not importlib.util.find_spec(module):
        refuse(f"{why}, and its package {module} is missing. Install it: {command(extra)}")
