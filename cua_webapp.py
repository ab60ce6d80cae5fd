"""The front door: `python cua_webapp.py [--auth [1]] [--demo] …`, `… run "TASK"` or `… check`.

Needs only the standard library until the packages are known to be there; where they are missing,
the page on the port offers to install them, and the program goes on in their Python. The KVM's own
server starts it, waits for a line with "Authentication" on its stdout and then closes that pipe: so
the port answers before the line goes out, and nothing is written to stdout after it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import logging
import socket
import sys
from typing import TYPE_CHECKING, NoReturn

from cua import manners
from cua.entry import commands
from cua.entry.listening import announce, at, listen, own_hosts
from cua.entry.options import command_line
from cua.entry.surroundings import surroundings
from cua.entry.terminal import interrupted, refuse, settle
from cua.extras import PACKAGED, ROOT
from cua.install.faults import of_system
from cua.install.home import Home
from cua.install.loaded import missing, outside
from cua.install.takeover import become, handed_over

if TYPE_CHECKING:
    from ssl import SSLContext


INSTALLERS = {"install": "cua.install.first", "bundle": "cua.install.bundle"}
"""Commands that make what the others run on."""
OWN = {"parse": "cua.dialects.cli", "gate": "cua.gate.cli"}
"""Commands that need none of the parts that this file puts together."""
KINDS = {
    "everybody": "this machine only, no login",
    "login": "the KVM's own login, or a pairing code",
    "first-visitor": "the first page that is opened holds the session",
}
OLDEST = (3, 10)


def main(argv: list[str]) -> int:
    if sys.version_info < OLDEST:
        refuse(f"Python {'.'.join(map(str, OLDEST))} or newer is needed: this is {sys.version}.")
    name = argv[0] if argv else ""
    if name in INSTALLERS and PACKAGED:
        refuse(f"pip has installed this, with its packages. {name} is for a checkout of it.")
    if name not in INSTALLERS:
        _use_our_packages(argv)
    elif Home(ROOT).inside:
        become(outside(), [str(ROOT / "cua_webapp.py"), *argv], None)
    if name in (*INSTALLERS, *OWN, "pair", "eval"):
        return _command(name, argv[1:])
    options = command_line().parse_args(argv)
    if options.command == "serve" and missing():
        _serve_after_installing(options, argv)
    if options.command == "doctor":
        return commands.doctor(options)
    _need_packages()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    return _carried_out(options, argv)


def _carried_out(options: argparse.Namespace, argv: list[str]) -> int:
    """Whatever part cannot be made, or finds later that it cannot go on, says so in its words."""
    from cua.types import CuaError

    try:
        return {"serve": _serve, **commands.COMMANDS}[options.command](options)
    except CuaError as error:
        refuse(str(error))
    except (ImportError, SyntaxError) as error:
        if not Home(ROOT).inside:
            raise
        _repair(argv, str(error))


def _command(name: str, argv: list[str]) -> int:
    """One with a parser of its own."""
    if name not in INSTALLERS:
        _need_packages()
    if name in ("pair", "eval"):
        return commands.pair(argv) if name == "pair" else commands.evaluate(argv)
    code: int = importlib.import_module({**INSTALLERS, **OWN}[name]).main(argv)
    return code


def _use_our_packages(argv: list[str]) -> None:
    """Where our own environment is whole this process goes on in it; a person's comes first, if it
    has what is needed.
    """
    home = Home(ROOT)
    settled = sys.prefix != sys.base_prefix and (home.inside or not missing())
    if home.complete and not settled:
        become(home.python, [str(ROOT / "cua_webapp.py"), *argv], None)


def _repair(argv: list[str], what: str) -> NoReturn:
    """Our own packages cannot be loaded: the next start, which is now, makes them anew."""
    damaged = f"The installed packages are damaged ({what})"
    try:
        Home(ROOT).condemn()
    except OSError as error:
        refuse(f"{damaged}. {of_system(error)}")
    sys.stderr.write(f"{damaged} and are installed again.\n")
    become(outside(), [str(ROOT / "cua_webapp.py"), *argv], None)


def _serve_after_installing(options: argparse.Namespace, argv: list[str]) -> NoReturn:
    from cua.install import first

    if Home(ROOT).inside:
        _repair(argv, ", ".join(missing()))
    listener = _listener(options)
    kind, hosts = "its packages are missing, the page installs them", [socket.gethostname()]
    if not first.on_the_page(ROOT, listener, lambda: announce(listener, hosts, kind)):
        sys.exit(0)
    become(Home(ROOT).python, [str(ROOT / "cua_webapp.py"), *argv], listener)


def _listener(options: argparse.Namespace) -> socket.socket:
    """The socket that was handed over, or one of our own."""
    host = options.host or ("" if options.auth == "1" else "127.0.0.1")
    return handed_over() or listen(host, options.port)


def _serve(options: argparse.Namespace) -> int:
    access = options.access if options.auth == "1" else "everybody"
    tls = _tls(options)
    listener = _listener(options)
    _warn(access, options.host)
    virtual, file = surroundings(options)
    if not virtual and not file.values.kvm:
        manners.step_back()
    from cua.lobby import Lobby
    from cua.page import HEADERS, Files

    lobby = Lobby(listener, Files("index.html"), HEADERS)
    hosts = at(listener) or (["127.0.0.1"] if access == "everybody" else own_hosts())
    import asyncio

    from cua.app import Machine
    from cua.pairing import Board
    from cua.serving import run_service

    machine = Machine(file, virtual)
    addresses = announce(listener, hosts, KINDS[access])  # what cannot start promises no page
    board = Board(addresses, listener.getsockname()[1])
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run_service(machine, listener, lobby, access=access, board=board, tls=tls))
    return 0


def _warn(access: str, host: str | None) -> None:
    if access == "everybody" and host not in (None, "127.0.0.1", "localhost", "::1"):
        sys.stderr.write(f"Warning: whoever reaches {host} can drive it. Use --auth.\n")
    if access == "first-visitor":
        sys.stderr.write("Warning: whoever opens the page first can drive it.\n")


def _tls(options: argparse.Namespace) -> SSLContext | None:
    if not (options.tls_cert or options.tls_key):
        return None
    if not (options.tls_cert and options.tls_key):
        refuse("--tls-cert and --tls-key belong together: name both.")
    from cua.doorway import context

    return context(options.tls_cert, options.tls_key)


def _need_packages() -> None:
    if lacking := missing():
        if Home(ROOT).inside:
            with contextlib.suppress(OSError):
                Home(ROOT).condemn()
        refuse(
            f"Missing packages: {', '.join(lacking)}. Install them beside the program: "
            f"{outside()} {ROOT / 'cua_webapp.py'} install"
        )


def console() -> int:
    """`kvm-cua`, where it was installed as a package."""
    settle()
    try:
        return main(sys.argv[1:])
    except (KeyboardInterrupt, EOFError):
        return interrupted()


if __name__ == "__main__":
    sys.exit(console())
