"""The command line; standard library only, so `--help` works without the packages."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

from ..extras import NAME

ENVIRONMENT = Path(__file__).with_name("environment.md")
"""The table of environment variables; `python -m tests.environment` writes it."""
MAX_PORT = 65535


class SeparateCommand(NamedTuple):
    """A command with a parser of its own: its module has `main(argv)`."""

    module: str
    help: str
    needs_packages: bool = True


SEPARATE = {
    "install": SeparateCommand(
        "cua.cli.install.command", "install the packages beside the program", needs_packages=False
    ),
    "bundle": SeparateCommand(
        "cua.cli.install.bundle",
        "pack program and packages into one file, for a KVM without Internet",
        needs_packages=False,
    ),
    "parse": SeparateCommand(
        "cua.cli.parse_reply", "read a model's reply from stdin, print its actions"
    ),
    "gate": SeparateCommand("cua.cli.gate", "read actions from stdin, print which need approval"),
    "eval": SeparateCommand(
        "cua.cli.evaluate", "measure a model on tasks of a simulated computer or a real desktop"
    ),
    "fleet": SeparateCommand(
        "cua.cli.fleet", "do one task on many computers, each behind a KVM of its own"
    ),
}


GATE_HELP = (
    "when to ask before an action; a question ends the run with exit code 3 "
    "(never: only before power, disk images and what the provider flags)"
)
PROCEDURE = {"list": "", "show": "NAME", "record": 'NAME "TASK"', "save": "NAME", "run": "NAME"}
"""What `procedure` can do -> what follows the word, all of it."""


def port(text: str) -> int:
    """Parse a port number; 0 means any free port."""
    if not text.isascii() or not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a port: give a number from 0 to {MAX_PORT}"
        )
    return int(text)


def count(text: str) -> int:
    """Parse a number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return int(text)


class _CommandLine(argparse.ArgumentParser):
    def format_help(self) -> str:
        return f"{super().format_help()}\n{_list_environment(ENVIRONMENT.read_text('utf-8'))}"


def _list_environment(table: str) -> str:
    """Return the rows of the Markdown table for `--help`."""
    lines = ["environment variables, which override the settings file:"]
    for row in table.splitlines():
        if row.startswith("| CUA_"):
            name, values, default, meaning = (cell.strip() for cell in row[1:-1].split(" | "))
            text = textwrap.fill(f"{meaning} [{values}]", width=73)
            lines += [f"  {name}={default}", textwrap.indent(text, " " * 6)]
    return "\n".join(lines) + "\n"


def create_command_line() -> argparse.ArgumentParser:
    parser = _CommandLine(
        prog=NAME, description="A computer-use agent for IP-KVMs, with a web page."
    )
    _add_common(parser)
    _add_serve(parser)
    commands = parser.add_subparsers(dest="command", parser_class=argparse.ArgumentParser)
    parser.set_defaults(command="serve", config=None, kvm=None, demo=False, model="demo")
    for add in (
        *(_add_run, _add_procedure, _add_check, _add_calibrate, _add_power, _add_media, _add_mcp),
        *(_add_doctor, _add_pair),
    ):
        add(commands)
    for name, command in SEPARATE.items():
        commands.add_parser(name, help=command.help)
    return parser


def _add_serve(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    access = "with --auth: who may use the page, by login or as its first visitor (default: login)"
    auth = (
        "listen on every address and require the KVM's login or the pairing code; one page holds "
        "the session, and closing it ends the service"
    )
    add("--auth", nargs="?", const="1", default="0", choices=("0", "1"), help=auth)
    add("--access", choices=("login", "first-visitor"), default="login", help=access)
    add("--tls-cert", type=Path, metavar="FILE", help="certificate for https on the same port")
    add("--tls-key", type=Path, metavar="FILE", help="private key of the certificate")
    add("--host", help="address to listen on (default: 127.0.0.1, with --auth all)")
    add("--port", type=port, default=5000)
    add(
        "--fleet", type=Path, metavar="FILE", help="serve all computers of an inventory on one page"
    )


def _add_run(commands: Any) -> None:
    run = commands.add_parser("run", help="do one task in the terminal, without a page")
    run.add_argument("task", nargs="?", help="the task, in plain language")
    add_procedure_options(run)
    _add_run_options(run)


def add_procedure_options(parser: argparse.ArgumentParser) -> None:
    help = "a procedure, or its file, in place of the task"
    parser.add_argument("--procedure", metavar="NAME", default="", help=help)
    _add_values(parser, "with --procedure: the value of a parameter")


def _add_values(parser: argparse.ArgumentParser, help: str) -> None:
    add, name = parser.add_argument, "NAME=VALUE"
    add("--with", dest="values", action="append", default=[], metavar=name, help=help)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--gate", choices=("risk", "always", "never"), help=GATE_HELP)
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")


def _add_procedure(commands: Any) -> None:
    procedure = commands.add_parser(
        "procedure", help="do a recorded chore again, without a model; make one from a task"
    )
    procedure.set_defaults(command="procedure")
    add = procedure.add_argument
    add("what", nargs="?", choices=PROCEDURE, default="list")
    add("procedure", metavar="NAME", nargs="?", default="", help="the procedure, or its file")
    add("goal", metavar="TASK", nargs="?", help="record: the task that is done and then saved")
    values = "run: the value of a parameter; else: the text of the task that becomes one"
    _add_values(procedure, values)
    add("--task", metavar="ID", help="save: number of the task (default: the last)")
    _add_run_options(procedure)


def _add_calibrate(commands: Any) -> None:
    gain = commands.add_parser(
        "calibrate", help="measure how far a relative mouse moves, or count lost keys"
    )
    gain.add_argument("what", nargs="?", choices=("mouse", "keys"), default="mouse")
    _add_common(gain)


def _add_power(commands: Any) -> None:
    power = commands.add_parser(
        "power", help="press a button of the computer's case, or say whether it is on"
    )
    buttons = ("state", "press", "hold", "reset", "wake")
    meaning = "hold cuts it off, wake sends a Wake-on-LAN packet (default: state)"
    power.add_argument("button", nargs="?", choices=buttons, default="state", help=meaning)
    add_config(power)
    _add_kvm(power)


def _add_media(commands: Any) -> None:
    media = commands.add_parser(
        "media", help="list, upload and mount images of disks that the KVM stores"
    )
    add = media.add_argument
    add("what", nargs="?", choices=("list", "upload", "fetch", "mount", "eject"), default="list")
    add("name", nargs="?", help="file to upload, URL to fetch, or image to mount")
    add("--disk", action="store_true", help="mount as a disk instead of a CD")
    add_config(media)
    _add_kvm(media)


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="test on drawn screens that the model clicks where it should",
        epilog="Exits with 0 if the model is ready, 3 if it is usable with care, 1 if not.",
    )
    add_config(check)
    add = check.add_argument
    add("--demo-model", action="store_true", help="check the Local operator (OCR and rules)")
    add("--dialect", metavar="NAME", help="instead of the one in the settings")
    add("--json", metavar="FILE", type=Path, help="where to write the report")


def _add_doctor(commands: Any) -> None:
    doctor = commands.add_parser(
        "doctor",
        help="find faults of the KVM, its video and the model, with remedies",
        description="Check the machine, the KVM, its video and the model, and name remedies.",
        epilog="Exits with 1 if there is a fault. The model gets drawn pictures, never the screen.",
    )
    add_config(doctor)
    _add_kvm(doctor)
    doctor.add_argument("--json", action="store_true", help="print JSON")
    _add_service_port(doctor)


def _add_pair(commands: Any) -> None:
    pair = commands.add_parser("pair", help="show the pairing code that a page waits for")
    _add_service_port(pair)


def _add_service_port(parser: argparse.ArgumentParser) -> None:
    help = "port of the service (5000)"
    parser.add_argument("--port", type=port, default=argparse.SUPPRESS, help=help)


def _add_mcp(commands: Any) -> None:
    mcp = commands.add_parser(
        "mcp", help="serve screen, keyboard and mouse over the Model Context Protocol"
    )
    _add_common(mcp)
    add = mcp.add_argument
    add("--http", action="store_true", help="use HTTP at /mcp with a token instead of stdio")
    add("--host", default="127.0.0.1", help="address for HTTP (default: 127.0.0.1)")
    add("--port", type=port, default=5001)


def _add_common(parser: argparse.ArgumentParser) -> None:
    """Add options that may stand before the command: there no default must overwrite them."""
    add_config(parser)
    _add_kvm(parser)
    add = parser.add_argument
    demo = "use a simulated computer, with OCR and rules instead of a model"
    add("--demo", action="store_true", default=argparse.SUPPRESS, help=demo)
    model = "with --demo: OCR and rules, or the model in the settings (default: demo)"
    add("--model", choices=("demo", "settings"), default=argparse.SUPPRESS, help=model)


def _add_kvm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kvm",
        metavar="URL",
        default=argparse.SUPPRESS,
        help="the KVM to use, such as pikvm://admin@192.168.1.5, or kvm://192.168.1.5 to find its "
        "kind (default: this machine); "
        "its password is asked for, or set in the environment as CUA_KVM_PASSWORD",
    )


def add_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="settings file (default: /etc/kvm/cua_cfg.json on a KVM, else "
        "~/.config/kvm-cua/settings.json)",
    )
