"""Install the packages: from a page on the service's port, or in a terminal."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from ...extras import NAME, PACKAGED, ROOT
from ...web.pages import Files
from . import bundle
from .environment import PackageSet
from .errors import no_pip
from .job import Job
from .pins import extras
from .server import END_DELAY_S, InstallServer

UNIT = "kvm-cua.service"


def install_on_page(
    listener: socket.socket, wanted: Sequence[str], note: str, announce: Callable[[], object]
) -> str | None:
    """Answer on `listener` until the packages are there, and use them.

    An interrupted installation continues without being asked for again. `note` is shown above the
    button; `announce` is called when the port answers. Returns the token of the page that asked
    for the installation, empty if none did, or None if nothing was installed.
    """
    job = make_job(wanted, lambda: _end(front))
    front = InstallServer(listener, job, Files("install.html"), _about(job, note))
    before = signal.signal(signal.SIGTERM, lambda *_: _terminate(job))
    if any(home.begun for home in job.homes):
        job.start()
    announce()
    try:
        front.serve_forever()
    except KeyboardInterrupt:
        _terminate(job)
    signal.signal(signal.SIGTERM, before)
    if job.status != "done":
        return None
    for home in job.homes:
        home.activate()
    return front.installer


def make_job(wanted: Sequence[str], done: Callable[[], None]) -> Job:
    """Make the job for these extras, and for the service's packages if some are missing."""
    from .installed import missing

    homes = [*([PackageSet()] if missing() else []), *map(PackageSet, wanted)] or [PackageSet()]
    return _job(homes, done)


def main(argv: list[str]) -> int:
    """Install in a terminal; return the exit code."""
    options = _parser().parse_args(argv)
    if options.systemd:
        sys.stdout.write(unit())
        return 0
    kept = [extra for extra in extras() if PackageSet(extra).outdated]
    own = [] if PACKAGED else [""]
    homes = [PackageSet(extra) for extra in dict.fromkeys([*own, *options.extras, *kept])]
    if not homes:
        sys.stderr.write(
            f"pip has installed this, with its packages. Extras: {NAME} install --with NAME\n"
        )
        return 2
    job = _job(homes, lambda: None)
    signal.signal(signal.SIGTERM, lambda *_: _terminate(job))
    job.start()
    _follow(job)
    sys.stdout.write(f"{job.words}\n")
    return 0 if job.status == "done" else 1


def unit() -> str:
    """The systemd unit of this program, with its own paths."""
    text = (files(__package__) / UNIT).read_text()
    return text.replace("/opt/kvm-cua", str(ROOT)).replace("/usr/bin/python3", sys.executable)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} install", description="Install the packages beside the program."
    )
    bundle.add_extras(parser)
    parser.add_argument(
        "--systemd", action="store_true", help="only print the unit of a systemd service"
    )
    return parser


def _follow(job: Job) -> None:
    """Print the lines of a job until it ends."""
    shown = 0
    while True:
        ended = job.status != "running"
        for line in job.lines[shown:]:
            sys.stdout.write(f"{line}\n")
            shown += 1
        if ended:
            return
        time.sleep(0.2)


def _job(homes: Sequence[PackageSet], done: Callable[[], None]) -> Job:
    wanted = [pin for home in homes for pin in home.pins]
    return Job(ROOT, homes, bundle.wheels(ROOT, wanted), done)


def _about(job: Job, note: str) -> dict[str, Any]:
    return {
        "packages": [pin.about() for home in job.homes if not home.complete for pin in home.pins],
        "bundle": job.offline,
        "outdated": any(home.outdated for home in job.homes),
        "notes": [words for words in (note, "" if job.has_pip else no_pip()) if words],
    }


def _end(front: InstallServer) -> None:
    threading.Timer(END_DELAY_S, front.end).start()


def _terminate(job: Job) -> None:
    job.stop()
    sys.exit(143)
