"""The commands of the program: one function for each.

Each returns an exit code, or raises a `CuaError`, which the caller prints. Modules are imported in
the functions, so that a command loads only the packages that it uses.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..exit_codes import FAILED, INTERRUPTED
from .command_context import prepare_settings, require_extra
from .listening_socket import find_host, find_own_hosts, listen
from .options import PROCEDURE
from .output import allow_interrupt, run_job, run_server, say

if TYPE_CHECKING:
    from ..app.machine import Machine
    from ..procedures.procedure import Procedure
    from ..settings import Settings


def pair(options: argparse.Namespace) -> int:
    """Print the pairing code. Needs no packages."""
    from ..web.auth.pairing import find_code
    from ..web.local_addresses import find_port_holder

    if not find_port_holder(options.port):  # a killed service may have left a useless code
        say(f"No service runs on port {options.port}. Start it, open its page, then ask again.")
        return FAILED
    found, words = find_code(options.port)
    say(words)
    return 0 if found else FAILED


def run(options: argparse.Namespace) -> int:
    from . import procedure

    return _run_task(options, options.task, procedure.load(options))[0]


def _run_task(
    options: argparse.Namespace,
    goal: str,
    found: tuple[Procedure, Mapping[str, str]] | None,
    **environ: str,
) -> tuple[int, Machine]:
    """Do a task, or the procedure `found`; return the exit code and the machine, which is closed.

    `environ`: added to the environment.
    """
    if options.gate:
        environ["CUA_GATE"] = options.gate
    simulated, file = prepare_settings(options, **environ)
    from ..agent.session import NewTask
    from ..app.headless_run import run_task
    from ..app.machine import Machine
    from .event_output import EventText, as_line, print_as

    machine = Machine(file, simulated)
    on_event = print_as(as_line if options.json else EventText())
    task = machine.make_replay(*found) if found else NewTask(goal)
    with _reporting_release():
        code = run_job(run_task(machine, task, on_event))
    return code, machine


def procedure(options: argparse.Namespace) -> int:
    from ..types import CuaError
    from . import procedure as command

    follows = PROCEDURE[options.what]
    if bool(options.procedure) + bool(options.goal) != len(follows.split()):
        raise CuaError(f"Write: procedure {options.what} {follows}".rstrip())
    if options.what == "run":
        return run(options)
    if options.what == "record":
        command.check_recording(options)
        with tempfile.TemporaryDirectory() as folder:
            has_own = not options.demo or "CUA_RECORD_DIR" in os.environ
            environ = {} if has_own else {"CUA_RECORD_DIR": folder}
            code, machine = _run_task(options, options.goal, None, **environ)
            return code or command.save(options, machine.archive)
    return command.manage(options)


def calibrate(options: argparse.Namespace) -> int:
    simulated, file = prepare_settings(options)
    from ..app.machine import Machine

    with _reporting_release():
        found = run_job(Machine(file, simulated).calibrate(options.what))
        say(f"{found} {'This is saved.' if file.path else 'Nothing is saved of a demo.'}")
    return 0


def power(options: argparse.Namespace) -> int:
    from . import kvm_commands

    return run_job(kvm_commands.power(_real_computer(options), options.button))


def media(options: argparse.Namespace) -> int:
    from . import kvm_commands

    values = _real_computer(options)
    return run_job(kvm_commands.media(values, options.what, options.name, as_disk=options.disk))


def _real_computer(options: argparse.Namespace) -> Settings:
    """Return the settings. Raises `CuaError` for the simulated computer: it has no power button."""
    if options.demo:
        from ..types import CuaError

        raise CuaError(f"`{options.command}` is for a KVM; the simulated computer has none.")
    return prepare_settings(options)[1].values


@contextlib.contextmanager
def _reporting_release() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        say("Interrupted; every key is released.")
        sys.exit(INTERRUPTED)


def mcp(options: argparse.Namespace) -> int:
    """Serve MCP clients. Standard output is for the protocol; messages to people go to stderr."""
    require_extra("mcp")
    import secrets

    simulated, file = prepare_settings(options)
    from ..app.machine import Machine
    from ..web.mcp.server import over_http, over_stdio
    from .procedure import find_folder

    machine = Machine(file, simulated, procedures=find_folder(options))
    with contextlib.suppress(KeyboardInterrupt):
        if options.http:
            token = os.environ.get("CUA_MCP_TOKEN") or secrets.token_urlsafe(32)
            listener = listen(options.host, options.port)
            port = listener.getsockname()[1]
            urls = [f"http://{host}:{port}/mcp" for host in find_host(listener) or find_own_hosts()]
            sys.stderr.write(f"{' or '.join(urls)} with the token {token}\n")
            run_server(over_http(machine, listener, token))
        else:
            run_job(over_stdio(machine))
    return 0


def check(options: argparse.Namespace) -> int:
    from ..settings import find_path, read_settings
    from . import check as command

    changes = {"dialect": options.dialect} if options.dialect else {}
    if options.demo_model:
        changes = {"api_type": "local"}
    values = read_settings(find_path(options.config)).model_copy(update=changes)
    return run_job(command.run(values, options.json))


def doctor(options: argparse.Namespace) -> int:
    """Diagnose faults. Needs no packages, and reports missing ones."""
    from .doctor import command

    with allow_interrupt():
        return command.main(options)


COMMANDS = {
    "run": run,
    "procedure": procedure,
    "check": check,
    "calibrate": calibrate,
    "power": power,
    "media": media,
    "mcp": mcp,
}
WITHOUT_PACKAGES = {"doctor": doctor, "pair": pair}
