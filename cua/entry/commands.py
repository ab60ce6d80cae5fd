"""A function for each command that puts parts together; each returns its exit code, or raises the
`CuaError` that its caller says.

Packages are imported where they are used: none of them is needed by all.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

from ..extras import NAME
from .listening import at, listen, own_hosts
from .options import port
from .surroundings import environ, surroundings
from .terminal import need, say


def pair(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"{NAME} pair")
    parser.add_argument("--port", type=port, default=5000)
    from ..pairing import shown

    say(shown(parser.parse_args(argv).port))
    return 0


def run(options: argparse.Namespace) -> int:
    import asyncio

    if options.gate:
        os.environ["CUA_GATE"] = options.gate
    virtual, file = surroundings(options)
    from ..app import Machine

    try:
        return asyncio.run(Machine(file, virtual).work(options.task, as_json=options.json))
    except asyncio.CancelledError:
        say("Interrupted; every key is released.")
        return 130


def calibrate(options: argparse.Namespace) -> int:
    import asyncio

    virtual, file = surroundings(options)
    from ..app import Machine

    try:
        found = asyncio.run(Machine(file, virtual).calibrate(options.what))
    except asyncio.CancelledError:
        say("Interrupted; every key is released.")
        return 130
    say(f"{found} {'This is saved.' if file.path else 'Nothing is saved of a demo.'}")
    return 0


def mcp(options: argparse.Namespace) -> int:
    """Standard output belongs to the protocol; what a person should know goes to stderr."""
    need("mcp", "mcp", "The Model Context Protocol is spoken by its official SDK")
    import asyncio
    import secrets

    virtual, file = surroundings(options)
    from ..app import Machine
    from ..mcp_server import over_http, over_stdio

    machine = Machine(file, virtual)
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        if options.http:
            token = os.environ.get("CUA_MCP_TOKEN") or secrets.token_urlsafe(32)
            listener = listen(options.host, options.port)
            port = listener.getsockname()[1]
            urls = [f"http://{host}:{port}/mcp" for host in at(listener) or own_hosts()]
            sys.stderr.write(f"{' or '.join(urls)} with the token {token}\n")
            asyncio.run(over_http(machine, listener, token))
        else:
            asyncio.run(over_stdio(machine))
    return 0


def check(options: argparse.Namespace) -> int:
    import asyncio

    from .. import app
    from ..settings import looked_up, place

    changes = {"dialect": options.dialect} if options.dialect else {}
    if options.demo_model:
        changes = {"api_type": "local"}
    try:
        values = looked_up(place(options.config)).model_copy(update=changes)
        return asyncio.run(app.check(values, options.json))
    except asyncio.CancelledError:
        say("Interrupted.")
        return 130


def evaluate(argv: list[str]) -> int:
    from .. import parts, watching
    from ..evaluation import cli

    return cli.main(argv, parts.pilot, show=watching.show)


def doctor(options: argparse.Namespace) -> int:
    """Needs no packages, and says which are missing."""
    from ..doctor import cli

    return cli.main(options, lambda: environ(options))


COMMANDS = {"run": run, "check": check, "calibrate": calibrate, "mcp": mcp}
"""Those that take the options of the command line."""
