"""The entry point: `python cua_webapp.py [--auth [1]] [--demo] …`, `… run "TASK"` or `… check`.

Imports only the standard library until the packages are found. If they are missing, the page on
the port offers to install them, and the program continues with them.

The KVM's own server starts this program, waits for a line with "Authentication" on its stdout,
opens the page and closes that pipe. So the line is written as soon as the port answers, before
other imports, and nothing follows it on stdout. Later failures are shown in the page.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import logging
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING, NoReturn

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # without a traceback until `prepare_terminal`

try:
    from cua.cli import commands, output
    from cua.cli.command_context import describe_missing_kvm, prepare_settings, reads_screen
    from cua.cli.install.errors import DAMAGED_PROGRAM, of_system
    from cua.cli.install.package_folders import PackageSet, missing, use_installed
    from cua.cli.listening_socket import (
        FIRST,
        announce,
        find_host,
        find_own_hosts,
        listen,
        take_systemd_socket,
    )
    from cua.cli.options import SEPARATE, SeparateCommand, create_command_line
    from cua.extras import PROGRAM, ROOT, missing_modules
except Exception as error:  # noqa: BLE001 - a truncated file may raise anything
    raise SystemExit(f"This copy of the program is damaged ({error}). Copy it again.") from None

if TYPE_CHECKING:
    from collections.abc import Callable
    from ssl import SSLContext

    from starlette.types import ASGIApp

    from cua.app.machine import Machine
    from cua.web.fleet.fleet import Fleet
    from cua.web.startup_page import StartupPage

    CreateApp = Callable[..., ASGIApp]

KINDS = {
    "everybody": "this machine only, no login",
    "login": "the KVM's own login, or a pairing code",
    "first-visitor": "the first page that is opened holds the session",
}
MIN_PYTHON = (3, 10)


def main(argv: list[str]) -> int:
    if sys.version_info < MIN_PYTHON:
        output.refuse(
            f"Python {'.'.join(map(str, MIN_PYTHON))} or newer is needed: this is {sys.version}."
        )
    separate = SEPARATE.get(argv[0]) if argv else None
    if not separate or separate.needs_packages:
        use_installed()
    if separate:
        return _run_separate(separate, argv[1:])
    options = create_command_line().parse_args(argv)
    if options.command == "serve" and (missing() or _missing_extras(options)):
        return _serve_after_installing(options)
    if command := commands.WITHOUT_PACKAGES.get(options.command):
        return command(options)
    _need_packages()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    return _run_command(options)


def _run_command(options: argparse.Namespace) -> int:
    """Run the command; exit with the text of a `CuaError`."""
    try:
        if options.command == "serve":
            return _serve(options)
        return commands.COMMANDS[options.command](options)
    except Exception as error:
        _repair_damaged(error)
        output.refuse_sentence(error)
        raise


def _repair_damaged(error: Exception, listener: socket.socket | None = None) -> None:
    """Reinstall our packages if it is them that cannot be imported; else return."""
    if isinstance(error, (ImportError, SyntaxError)) and PackageSet().active:
        _repair(str(error), listener)


def _run_separate(command: SeparateCommand, argv: list[str]) -> int:
    if command.needs_packages:
        _need_packages()
    module = importlib.import_module(command.module)
    try:
        with output.allow_interrupt():
            code: int = module.main(argv)
    except Exception as error:
        output.refuse_sentence(error)
        raise
    return code


def _repair(what: str, listener: socket.socket | None = None) -> NoReturn:
    """Remove the damaged packages and restart the program, which installs them again."""
    damaged = f"The installed packages are damaged ({what})"
    try:
        PackageSet().remove_damaged()
    except OSError as error:
        output.refuse(f"{damaged}. {of_system(error)}")
    sys.stderr.write(f"{damaged}. Installing them again.\n")
    sys.stderr.flush()
    environ = dict(os.environ)
    if listener is not None:
        os.set_inheritable(os.dup2(listener.fileno(), FIRST), True)
        environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
    os.execve(sys.executable, sys.orig_argv, environ)  # noqa: S606 - this very command


def _missing_extras(options: argparse.Namespace) -> list[str]:
    """Return the extras that this command cannot start without."""
    return ["local"] if reads_screen(options) and missing_modules("local") else []


def _serve_after_installing(options: argparse.Namespace) -> int:
    from cua.cli.install.command import install_on_page

    if PackageSet().complete and missing():
        _repair(", ".join(missing()))
    listener = _listener(options)
    kind, hosts = "its packages are missing, the page installs them", [socket.gethostname()]
    note = describe_missing_kvm(options)
    with output.allow_interrupt():
        installer = install_on_page(
            listener, _missing_extras(options), note, lambda: announce(listener, hosts, kind)
        )
    return 0 if installer is None else _serve(options, listener, installer)


def _listener(options: argparse.Namespace) -> socket.socket:
    """Return the socket from systemd, or open the port."""
    host = options.host or ("" if options.auth == "1" else "127.0.0.1")
    return take_systemd_socket() or listen(host, options.port)


def _serve(
    options: argparse.Namespace, installed: socket.socket | None = None, installer: str = ""
) -> int:
    """Run the service.

    `installed` is the socket of the installation page, `installer` the token of the page that
    started the installation.
    """
    if options.fleet and (options.demo or options.kvm):
        output.refuse("--fleet serves the computers of its inventory: leave out --demo and --kvm.")
    if options.fleet:
        from cua.fleet.inventory import read_inventory

        read_inventory(options.fleet)  # raises before an address is announced
    access = options.access if options.auth == "1" else "everybody"
    tls = _tls(options)
    listener = installed or _listener(options)
    _warn(access, options.host)
    from cua.web.pages import Files
    from cua.web.startup_page import StartupPage

    files = Files("fleet.html" if options.fleet else "index.html")
    startup_page = StartupPage(listener, files)
    hosts = find_host(listener) or (["127.0.0.1"] if access == "everybody" else find_own_hosts())
    addresses = announce(listener, hosts, KINDS[access])
    try:
        _run_service(options, listener, startup_page, access, addresses, tls, installer)
    except Exception as error:
        page_waits = installed or (options.auth == "1" and not sys.stdout.isatty())
        if not page_waits or startup_page.closed:
            raise
        _repair_damaged(error, listener)
        from cua.cli.failed_start import report

        return report(error, startup_page, listener)
    return 0


def _run_service(
    options: argparse.Namespace,
    listener: socket.socket,
    startup_page: StartupPage,
    access: str,
    addresses: list[str],
    tls: SSLContext | None,
    installer: str,
) -> None:
    """Import and start the service behind the page, and run it to its end."""
    service, create, on_kvm = (_make_fleet if options.fleet else _make_machine)(options)
    from cua.cli.install.on_demand import OnDemand
    from cua.web.auth.pairing import CodeDisplay
    from cua.web.server import run_service

    extras = OnDemand()
    running = run_service(
        service,
        lambda admission: create(service, admission, extras, startup_page.files),
        listener,
        startup_page,
        access=access,
        code_display=CodeDisplay(addresses, listener.getsockname()[1]),
        tls=tls,
        on_kvm=on_kvm,
        installer=installer,
    )
    with contextlib.suppress(KeyboardInterrupt):
        output.run_server(running)


def _make_machine(options: argparse.Namespace) -> tuple[Machine | Fleet, CreateApp, bool]:
    """Return the machine, what makes its application, and whether this is the KVM."""
    simulated, file = prepare_settings(options)
    from cua.app.machine import Machine
    from cua.web.application import create

    return Machine(file, simulated), create, not simulated and not file.values.kvm


def _make_fleet(options: argparse.Namespace) -> tuple[Machine | Fleet, CreateApp, bool]:
    from cua.cli.fleet_page import make_fleet
    from cua.web.fleet.application import create

    return make_fleet(options.fleet, options.config), create, False


def _warn(access: str, host: str | None) -> None:
    if access == "everybody" and host not in (None, "127.0.0.1", "localhost", "::1"):
        sys.stderr.write(
            f"Warning: anyone who can reach {host} can control the computer. Use --auth.\n"
        )
    if access == "first-visitor":
        sys.stderr.write("Warning: the first to open the page can control the computer.\n")


def _tls(options: argparse.Namespace) -> SSLContext | None:
    if not (options.tls_cert or options.tls_key):
        return None
    if not (options.tls_cert and options.tls_key):
        output.refuse("--tls-cert and --tls-key belong together: give both.")
    from cua.web.listener import load_tls_context

    return load_tls_context(options.tls_cert, options.tls_key)


def _need_packages() -> None:
    if lacking := missing():
        if PackageSet().active:
            with contextlib.suppress(OSError):
                PackageSet().remove_damaged()
        output.refuse(f"Missing packages: {', '.join(lacking)}. Install them: {PROGRAM} install")


def _refuse_damaged_bundle() -> None:
    """Return if every file of the program is what the bundle's checksums say."""
    from cua.cli.install.bundle import damaged

    if names := damaged(ROOT):
        output.refuse(DAMAGED_PROGRAM.format(what=names[0]))


def console() -> int:
    """Entry point of the installed command `kvm-cua`."""
    output.prepare_terminal()
    try:
        return main(sys.argv[1:])
    except (KeyboardInterrupt, EOFError):
        return output.report_interrupt()
    except (ImportError, SyntaxError) as error:
        output.refuse(DAMAGED_PROGRAM.format(what=error))
    except OSError as error:
        return output.report_unwritable(error)
    except Exception:
        _refuse_damaged_bundle()
        raise
    finally:
        output.flush_output()


if __name__ == "__main__":
    sys.exit(console())
