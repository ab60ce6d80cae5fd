"""The first start put together: with the page on the service's port, or in a terminal."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..extras import NAME
from ..page import ROOT, Files
from . import bundle
from .home import Home
from .job import Job
from .pins import needed
from .server import LAST_LOOK, Front


def on_the_page(program: Path, listener: socket.socket, announce: Callable[[], object]) -> bool:
    """Answers on `listener` until the packages are there; False if nobody wanted them.

    An installation that was begun before goes on without being asked for again. `announce` is
    called when the port answers.
    """
    home = Home(program)
    job = Job(program, home, bundle.wheels(program), lambda: _end(front))
    front = Front(listener, job, Files("install.html"), _about(home, job))
    signal.signal(signal.SIGTERM, lambda *_: _terminate(job))
    if home.begun:
        job.start()
    announce()
    try:
        front.serve_forever()
    except KeyboardInterrupt:
        _terminate(job)
    return job.status == "done"


def main(argv: list[str]) -> int:
    """The same for a person who types; returns the exit code."""
    argparse.ArgumentParser(
        prog=f"{NAME} install", description="Install the packages beside the program."
    ).parse_args(argv)
    job = Job(ROOT, Home(ROOT), bundle.wheels(ROOT), lambda: None)
    signal.signal(signal.SIGTERM, lambda *_: _terminate(job))
    job.start()
    shown = 0
    while True:
        ended = job.status != "running"
        for line in job.lines[shown:]:
            sys.stdout.write(f"{line}\n")
            shown += 1
        if ended:
            break
        time.sleep(0.2)
    sys.stdout.write(f"{job.words}\n")
    return 0 if job.status == "done" else 1


def _about(home: Home, job: Job) -> dict[str, Any]:
    return {
        "packages": [pin.about() for pin in needed(lock=home.lock)],
        "bundle": job.offline,
        "outdated": home.outdated,
    }


def _end(front: Front) -> None:
    threading.Timer(LAST_LOOK, front.end).start()


def _terminate(job: Job) -> None:
    job.stop()
    sys.exit(143)
