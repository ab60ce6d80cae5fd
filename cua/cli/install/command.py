"""Install the packages: from a page on the service's port, or in a terminal."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from importlib.resources import files

from ...extras import NAME, PACKAGED, ROOT
from ..output import refuse
from .bundle import add_extras
from .installation import Installation
from .package_folders import PackageSet, missing
from .pins import list_extras
from .server import InstallServer

UNIT = "kvm-cua.service"


def install_on_page(
    listener: socket.socket, wanted: Sequence[str], note: str, announce: Callable[[], object]
) -> str | None:
    """Answer on `listener` until the service's packages and the extras `wanted` are installed.

    An interrupted installation continues without a request. `note` is shown above the button;
    `announce` is called when the port answers. Returns the token of the page that requested the
    installation, "" if none did, or None if nothing was installed.
    """
    sets = [*([PackageSet()] if missing() else []), *map(PackageSet, wanted)]
    installation = Installation(sets, lambda: server.end_soon())
    server = InstallServer(listener, installation, note)
    before = signal.signal(signal.SIGTERM, lambda *_: _terminate(installation))
    if any(each.interrupted for each in sets):
        installation.start()
    announce()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        _terminate(installation)
    signal.signal(signal.SIGTERM, before)
    if installation.status != "done":
        return None
    for each in sets:
        each.activate()
    return server.installer


def main(argv: list[str]) -> int:
    """Install in a terminal; return the exit code."""
    options = _parser().parse_args(argv)
    if options.systemd:
        sys.stdout.write(unit())
        return 0
    kept = [extra for extra in list_extras() if PackageSet(extra).outdated]
    own = [] if PACKAGED else [""]
    sets = [PackageSet(extra) for extra in dict.fromkeys([*own, *options.extras, *kept])]
    if not sets:
        refuse(f"pip has installed this, with its packages. Extras: {NAME} install --with NAME")
    installation = Installation(sets)
    signal.signal(signal.SIGTERM, lambda *_: _terminate(installation))
    installation.start()
    _print_output(installation)
    sys.stdout.write(f"{installation.words}\n")
    return 0 if installation.status == "done" else 1


def unit() -> str:
    """The systemd unit of this program, with its own paths."""
    text = (files(__package__) / UNIT).read_text()
    return text.replace("/opt/kvm-cua", str(ROOT)).replace("/usr/bin/python3", sys.executable)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} install", description="Install the packages beside the program."
    )
    add_extras(parser)
    parser.add_argument(
        "--systemd", action="store_true", help="only print the unit of a systemd service"
    )
    return parser


def _print_output(installation: Installation) -> None:
    """Print the lines of an installation until it ends."""
    shown, running = 0, True
    while running:
        time.sleep(0.2)
        running = installation.status == "running"
        for line in installation.lines[shown:]:
            sys.stdout.write(f"{line}\n")
            shown += 1


def _terminate(installation: Installation) -> None:
    installation.stop()
    sys.exit(143)
