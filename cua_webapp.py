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
import importlib.util
import logging
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cua import manners
from cua.install.home import Home
from cua.install.takeover import become, handed_over

if TYPE_CHECKING:
    from ssl import SSLContext

    from cua.demo import VirtualComputer
    from cua.settings import SettingsFile

PACKAGES = {
    "fastapi": "fastapi", "uvicorn": "uvicorn", "websockets": "websockets", "jinja2": "jinja2",
    "pydantic": "pydantic", "httpx2": "httpx2", "PIL": "pillow", "openai": "openai",
    "yaml": "pyyaml", "segno": "segno",
}  # fmt: skip
INSTALLERS = ("install", "bundle")
"""Commands that make what the others run on."""
BARE = {
    "install": "cua.install.first",
    "bundle": "cua.install.bundle",
    "doctor": "cua.doctor.cli",
}
"""Commands that need no packages."""
COMMANDS = {"parse": "cua.dialects.cli", "gate": "cua.gate.cli"}
"""Commands that need none of the parts that this file puts together."""
CANNOT_START = 2
KINDS = {
    "everybody": "this machine only, no login",
    "login": "the KVM's own login, or a pairing code",
    "first-visitor": "the first page that is opened holds the session",
}
OLDEST = (3, 10)
ROOT = Path(__file__).resolve().parent


def main(argv: list[str]) -> int:
    if sys.version_info < OLDEST:
        _refuse(f"Python {'.'.join(map(str, OLDEST))} or newer is needed: this is {sys.version}.")
    name = argv[0] if argv else ""
    if name not in INSTALLERS:
        _use_our_packages(argv)
    if name in (*BARE, *COMMANDS, "pair", "eval"):
        return _command(name, argv[1:])
    options = _parser().parse_args(argv)
    if options.command == "serve" and _missing():
        _serve_after_installing(options, argv)
    _need_packages()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        commands = {
            "run": _run,
            "check": _check,
            "calibrate": _calibrate,
            "mcp": _mcp,
            "serve": _serve,
        }
        return commands[options.command](options)
    except (ImportError, SyntaxError) as error:
        if not Home(ROOT).inside:
            raise
        _repair(argv, str(error))


def _command(name: str, argv: list[str]) -> int:
    """One with a parser of its own."""
    if name not in BARE:
        _need_packages()
    if name in ("pair", "eval"):
        return _pair(argv) if name == "pair" else _evaluate(argv)
    code: int = importlib.import_module({**BARE, **COMMANDS}[name]).main(argv)
    return code


def _use_our_packages(argv: list[str]) -> None:
    """Where our own environment is whole this process goes on in it; a person's comes first."""
    home = Home(ROOT)
    if sys.prefix == sys.base_prefix and home.complete:
        become(home.python, [str(ROOT / "cua_webapp.py"), *argv], None)


def _repair(argv: list[str], what: str) -> NoReturn:
    """Our own packages cannot be loaded: the next start, which is now, makes them anew."""
    sys.stderr.write(f"The installed packages are damaged ({what}) and are installed again.\n")
    Home(ROOT).condemn()
    python: str = sys._base_executable  # type: ignore[attr-defined]
    become(python, [str(ROOT / "cua_webapp.py"), *argv], None)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cua_webapp.py", description="A computer-use agent for IP-KVMs, with a web page."
    )
    parser.set_defaults(command="serve")
    _add_common(parser)
    parser.add_argument(
        "--auth",
        nargs="?",
        const="1",
        default="0",
        choices=("0", "1"),
        help="listen on every address, let in whoever is logged in to the KVM or has the pairing "
        "code; one page holds the session, and closing it ends the service",
    )
    parser.add_argument(
        "--access",
        choices=("login", "first-visitor"),
        default="login",
        help="with --auth: who is let in; first-visitor: whoever comes first (default: login)",
    )
    parser.add_argument(
        "--tls-cert", type=Path, metavar="FILE", help="own certificate, for https on the same port"
    )
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="and its key")
    parser.add_argument("--host", help="address to listen on (default: 127.0.0.1, with --auth all)")
    parser.add_argument("--port", type=int, default=5000)
    commands = parser.add_subparsers(
        metavar="{run,check,calibrate,mcp,pair,install,bundle,doctor,parse,gate,eval}"
    )
    run = commands.add_parser("run", help="do one task in the terminal, without a page")
    run.set_defaults(command="run")
    _add_common(run, default=argparse.SUPPRESS)
    run.add_argument("task", help="what is to be done, in words")
    run.add_argument(
        "--gate",
        choices=("risk", "always", "never"),
        help="when to ask first; nobody can answer here, so a question ends the run with 3 "
        "(never: do it unattended)",
    )
    run.add_argument("--json", action="store_true", help="one JSON object a line")
    _add_check(commands)
    gain = commands.add_parser("calibrate", help="measure the gain of a relative pointer")
    gain.set_defaults(command="calibrate")
    _add_common(gain, default=argparse.SUPPRESS)
    _add_mcp(commands)
    commands.add_parser("pair", help="show the pairing code that a page waits for")
    commands.add_parser("install", help="install the packages beside the program")
    commands.add_parser("doctor", help="look at everything here, and say what helps")
    commands.add_parser("bundle", help="make one file for a KVM that has no Internet")
    commands.add_parser("parse", help="read a model's reply from stdin, print its actions")
    commands.add_parser("eval", help="see what a model gets done on a simulated computer")
    commands.add_parser("gate", help="read actions from stdin, print which would be asked about")
    return parser


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="see whether the model sees straight, on drawn screens",
        epilog="Ends with 0 when the model is ready, 3 when it is usable with care, 1 when not.",
    )
    check.set_defaults(command="check")
    _add_config(check, argparse.SUPPRESS)
    check.add_argument(
        "--demo-model", action="store_true", help="check the Local operator (OCR and rules)"
    )
    check.add_argument("--dialect", metavar="NAME", help="in place of the one in the settings")
    check.add_argument("--json", metavar="FILE", type=Path, help="where to write the report")


def _add_mcp(commands: Any) -> None:
    mcp = commands.add_parser(
        "mcp", help="lend screen, keyboard and mouse to a client of the Model Context Protocol"
    )
    mcp.set_defaults(command="mcp")
    _add_common(mcp, argparse.SUPPRESS)
    mcp.add_argument(
        "--http", action="store_true", help="over HTTP at /mcp with a token, not over stdio"
    )
    mcp.add_argument("--host", default="127.0.0.1", help="for HTTP (default: this machine only)")
    mcp.add_argument("--port", type=int, default=5001)


def _add_common(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    _add_config(parser, default)
    parser.add_argument(
        "--kvm",
        metavar="URL",
        default=default,
        help="the KVM to work through, such as pikvm://admin@192.168.1.5 (default: this machine); "
        "its password is asked for, or set in the environment as CUA_KVM_PASSWORD",
    )
    parser.add_argument(
        "--demo",
        action="store_true",
        default=default or False,
        help="work on a simulated computer, with OCR and rules in place of a model",
    )


def _add_config(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--config", metavar="PATH", default=default, help="settings file (/etc/kvm/cua_cfg.json)"
    )


def _serve_after_installing(options: argparse.Namespace, argv: list[str]) -> NoReturn:
    from cua.install import first

    if Home(ROOT).inside:
        _repair(argv, ", ".join(_missing()))
    listener = _listener(options)
    kind, hosts = "its packages are missing, the page installs them", [socket.gethostname()]
    if not first.on_the_page(ROOT, listener, lambda: _announce(listener, hosts, kind)):
        sys.exit(0)
    become(Home(ROOT).python, [str(ROOT / "cua_webapp.py"), *argv], listener)


def _listener(options: argparse.Namespace) -> socket.socket:
    """The socket that was handed over, or one of our own."""
    host = options.host or ("" if options.auth == "1" else "127.0.0.1")
    return handed_over() or _listen(host, options.port)


def _serve(options: argparse.Namespace) -> int:
    access = options.access if options.auth == "1" else "everybody"
    tls = _tls(options)
    listener = _listener(options)
    _warn(access, options.host)
    virtual, file = _surroundings(options)
    if not virtual and not file.values.kvm:
        manners.step_back()
    from cua.lobby import Lobby
    from cua.page import HEADERS, Files

    lobby = Lobby(listener, Files("index.html"), HEADERS)
    hosts = ["127.0.0.1"] if access == "everybody" else _own_hosts()
    addresses = _announce(listener, hosts, KINDS[access])
    import asyncio

    from cua.app import Machine
    from cua.pairing import Board
    from cua.serving import run_service

    board = Board(addresses, listener.getsockname()[1])

    machine = Machine(file, virtual)
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
        _refuse("--tls-cert and --tls-key belong together: name both.")
    from cua.doorway import context
    from cua.types import CuaError

    try:
        return context(options.tls_cert, options.tls_key)
    except CuaError as error:
        _refuse(str(error))


def _pair(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cua_webapp.py pair")
    parser.add_argument("--port", type=int, default=5000)
    from cua.pairing import shown

    _say(shown(parser.parse_args(argv).port))
    return 0


def _run(options: argparse.Namespace) -> int:
    import asyncio

    if options.gate:
        os.environ["CUA_GATE"] = options.gate
    virtual, file = _surroundings(options)
    from cua.app import Machine

    try:
        return asyncio.run(Machine(file, virtual).work(options.task, as_json=options.json))
    except asyncio.CancelledError:
        _say("Interrupted; every key is released.")
        return 130


def _calibrate(options: argparse.Namespace) -> int:
    import asyncio

    virtual, file = _surroundings(options)
    from cua.app import Machine
    from cua.types import CuaError

    try:
        found = asyncio.run(Machine(file, virtual).calibrate())
    except CuaError as error:
        _refuse(str(error))
    except asyncio.CancelledError:
        _say("Interrupted; every key is released.")
        return 130
    _say(f"A count of the relative mouse moves the pointer by {found:g} pixels; this is saved.")
    return 0


def _mcp(options: argparse.Namespace) -> int:
    """Standard output belongs to the protocol; what a person should know goes to stderr."""
    _need("mcp", ".[mcp]", "The Model Context Protocol is spoken by its official SDK")
    import asyncio
    import secrets

    virtual, file = _surroundings(options)
    from cua.app import Machine
    from cua.mcp_server import over_http, over_stdio

    machine = Machine(file, virtual)
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        if options.http:
            token = os.environ.get("CUA_MCP_TOKEN") or secrets.token_urlsafe(32)
            listener = _listen(options.host, options.port)
            port = listener.getsockname()[1]
            sys.stderr.write(f"http://{options.host}:{port}/mcp with the token {token}\n")
            asyncio.run(over_http(machine, listener, token))
        else:
            asyncio.run(over_stdio(machine))
    return 0


def _check(options: argparse.Namespace) -> int:
    import asyncio

    from cua import app
    from cua.settings import DEFAULT_PATH, SettingsFile
    from cua.types import CuaError

    changes = {"dialect": options.dialect} if options.dialect else {}
    if options.demo_model:
        changes = {"api_type": "local"}
    try:
        path = Path(options.config or os.environ.get("CUA_CONFIG", DEFAULT_PATH))
        values = SettingsFile(path).values.model_copy(update=changes)
        return asyncio.run(app.check(values, options.json))
    except CuaError as error:
        _refuse(str(error))
    except asyncio.CancelledError:
        _say("Interrupted.")
        return 130


def _evaluate(argv: list[str]) -> int:
    from cua import parts, watching
    from cua.evaluation import cli

    return cli.main(argv, parts.pilot, show=watching.show)


def _surroundings(
    options: argparse.Namespace,
) -> tuple[VirtualComputer | None, SettingsFile]:
    """The settings, and the virtual computer, which boots while the packages are being loaded."""
    if options.demo and os.environ.get("CUA_API_TYPE", "local") == "local":
        _need("rapidocr", ".[local]", "The demo reads the screen with OCR")
    from cua.demo import VirtualComputer

    virtual = VirtualComputer() if options.demo else None
    from cua.settings import DEFAULT_PATH, SettingsFile
    from cua.types import CuaError

    try:
        if virtual:
            path = Path(options.config) if options.config else None
            return virtual, SettingsFile(path, api_type="local", hid_prefix=virtual.hid_prefix)
        file = SettingsFile(_config(options, DEFAULT_PATH), _environ(options))
    except CuaError as error:
        _refuse(str(error))
    if not file.values.kvm:
        _need_devices(file.values.hid_prefix)
    return None, file


def _config(options: argparse.Namespace, usual: Path) -> Path:
    """Beside a KVM, on a laptop, the settings are the person's own."""
    named = options.config or os.environ.get("CUA_CONFIG")
    if named or usual.parent.exists() or os.access(usual.parent.parent, os.W_OK):
        return Path(named or usual)
    return Path.home() / ".config" / "kvm-cua" / "settings.json"


def _environ(options: argparse.Namespace) -> dict[str, str]:
    """The environment, with the KVM of the command line in it and its password."""
    environ = dict(os.environ)
    if not options.kvm:
        return environ
    from cua import kvms

    kvms.target(options.kvm)
    environ["CUA_KVM"] = options.kvm
    if not environ.get("CUA_KVM_PASSWORD") and sys.stdin and sys.stdin.isatty():
        import getpass

        environ["CUA_KVM_PASSWORD"] = getpass.getpass(f"Password for {options.kvm}: ")
    return environ


def _need_devices(prefix: str) -> None:
    missing = [device for n in range(3) if not Path(device := f"{prefix}{n}").exists()]
    if missing:
        _refuse(
            f"This machine has no {missing[0]}, so it is not a KVM that can be driven. Name one: "
            f"--kvm pikvm://ADDRESS (see README). To see it work here: "
            f"{sys.executable} {Path(__file__).name} --demo"
        )


def _listen(host: str, port: int) -> socket.socket:
    try:
        if not host and socket.has_dualstack_ipv6():
            return socket.create_server(
                ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=128
            )
        return socket.create_server((host, port), backlog=128)
    except OSError as error:
        from cua import port as ports

        _refuse(f"Port {port} cannot be used: {ports.holder(port) or error.strerror}.")


def _announce(listener: socket.socket, hosts: list[str], kind: str) -> list[str]:
    """Says where it is to be found, and returns these addresses."""
    port = listener.getsockname()[1]
    addresses = [f"http://{host}:{port}/" for host in hosts]
    _say(f"Authentication: {kind}. Open {' or '.join(addresses)}")
    if not sys.stdout.isatty():
        # Whoever waited for the line may close the pipe now; nothing may break on it.
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.close(quiet)
    return addresses


def _own_hosts() -> list[str]:
    from cua.kvm_login import own_address

    own = own_address()
    return [*([f"[{own}]" if ":" in own else own] if own else []), socket.gethostname()]


def _missing() -> list[str]:
    return [name for module, name in PACKAGES.items() if not importlib.util.find_spec(module)]


def _need_packages() -> None:
    if missing := _missing():
        _refuse(
            f"Missing packages: {', '.join(missing)}. Install them beside the program: "
            f"{sys.executable} {ROOT / 'cua_webapp.py'} install"
        )


def _need(module: str, extra: str, why: str) -> None:
    if not importlib.util.find_spec(module):
        _refuse(f"{why}, and its package {module} is missing. Install it: {_pip(extra)}")


def _pip(what: str) -> str:
    return f"cd {ROOT} && {sys.executable} -m pip install '{what}'"


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _refuse(words: str) -> NoReturn:
    sys.stderr.write(f"{words}\n")
    sys.exit(CANNOT_START)


def console() -> int:
    """`kvm-cua`, where it was installed as a package."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(console())
