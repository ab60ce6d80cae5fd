"""The command line, by the standard library alone: `--help` works before the packages are there."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..extras import NAME

MOST = 65535
"""The highest port."""


def port(text: str) -> int:
    """0: any that is free."""
    if not text.isascii() or not text.isdecimal() or int(text) > MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 0 to {MOST}")
    return int(text)


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME, description="A computer-use agent for IP-KVMs, with a web page."
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
    parser.add_argument("--port", type=port, default=5000)
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
    gain = commands.add_parser(
        "calibrate", help="measure how far a relative mouse goes, or whether keys are lost"
    )
    gain.add_argument("what", nargs="?", choices=("mouse", "keys"), default="mouse")
    gain.set_defaults(command="calibrate")
    _add_common(gain, default=argparse.SUPPRESS)
    _add_mcp(commands)
    commands.add_parser("pair", help="show the pairing code that a page waits for")
    commands.add_parser("install", help="install the packages beside the program")
    _add_doctor(commands)
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


def _add_doctor(commands: Any) -> None:
    doctor = commands.add_parser(
        "doctor",
        help="look at everything here, and say what helps",
        description="Look at the machine, the KVM, its stream and the model, and say what helps.",
        epilog="Ends with 1 if there is a fault. The model gets drawn pictures, never the screen.",
    )
    doctor.set_defaults(command="doctor")
    _add_config(doctor, argparse.SUPPRESS)
    _add_kvm(doctor, argparse.SUPPRESS)
    doctor.add_argument("--json", action="store_true", help="for a program")
    doctor.add_argument(
        "--port", type=port, default=argparse.SUPPRESS, help="of the service (5000)"
    )


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
    mcp.add_argument("--port", type=port, default=5001)


def _add_common(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    _add_config(parser, default)
    _add_kvm(parser, default)
    parser.add_argument(
        "--demo",
        action="store_true",
        default=default or False,
        help="work on a simulated computer, with OCR and rules in place of a model",
    )


def _add_kvm(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--kvm",
        metavar="URL",
        default=default,
        help="the KVM to work through, such as pikvm://admin@192.168.1.5 (default: this machine); "
        "its password is asked for, or set in the environment as CUA_KVM_PASSWORD",
    )


def _add_config(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--config", metavar="PATH", default=default, help="settings file (/etc/kvm/cua_cfg.json)"
    )
