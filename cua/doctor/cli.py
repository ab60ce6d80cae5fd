"""`python cua_webapp.py doctor`: looks at everything, says what it sees and what helps."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..page import ROOT
from . import hardware, machine
from .finding import Finding, in_words

if TYPE_CHECKING:
    from ..checkup.subject import Subject
    from ..kvms import Kvm

NEEDS_PACKAGES = "not looked at: the packages are missing"
NAMED = "Correct it where it was said: in the file, in the environment (CUA_...) or the command."


def main(argv: list[str]) -> int:
    """Exit code 0, or 1 if there is a fault."""
    options = _parser().parse_args(argv)
    findings = [*machine.look(ROOT, options.port)]
    if findings[1].what == "packages" and findings[1].state == "fault":
        findings += _without_packages()
    else:
        findings += _through_the_settings(options)
    if options.json:
        sys.stdout.write(json.dumps([each.as_json() for each in findings], indent=1) + "\n")
    else:
        sys.stdout.write(in_words(findings) + "\n")
    return int(any(each.state == "fault" for each in findings))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cua_webapp.py doctor",
        description="Look at the machine, the KVM, its stream and the model, and say what helps.",
        epilog="Ends with 1 if there is a fault. The model gets drawn pictures, never the screen.",
    )
    parser.add_argument("--json", action="store_true", help="for a program")
    parser.add_argument("--config", metavar="PATH", help="settings file (/etc/kvm/cua_cfg.json)")
    parser.add_argument("--port", type=int, default=5000, help="of the service (%(default)s)")
    return parser


def _without_packages() -> Iterator[Finding]:
    yield from hardware.look(os.environ.get("CUA_HID_PREFIX", "/dev/hidg"))
    yield Finding("video stream", "unknown", NEEDS_PACKAGES)
    yield Finding("model", "unknown", NEEDS_PACKAGES)


def _through_the_settings(options: argparse.Namespace) -> list[Finding]:
    from .. import kvm_server, parts
    from ..console import unknown
    from ..settings import SettingsFile, place
    from ..types import CuaError

    said: list[Finding] = []

    def hear(level: str, words: str) -> None:
        if level == "warning":
            said.append(Finding("KVM", "care", words))

    try:
        path = place(options.config)
        file = SettingsFile(path)
        parts.usable(file)
        kvm, subject = parts.examined(file.values, hear)
    except CuaError as error:
        return [Finding("settings", "fault", str(error), NAMED)]
    seen = file.warning or (str(path) if path.exists() else f"none yet at {path}")
    found = [Finding("settings", "care" if file.warning else "ok", seen)]
    why = unknown(file)
    if why:  # what stands here is another computer's
        found.append(Finding("KVM", "fault", why))
    elif not file.values.kvm:
        found += hardware.look(file.values.hid_prefix)
    found.append(machine.https(kvm_server.read(Path(file.values.kvm_config)).certificate))
    asked = _asked(None if why else kvm, said, subject, file.values.img_keep_n)
    return found + asyncio.run(asked)


async def _asked(
    kvm: Kvm | None, said: list[Finding], subject: Subject, keep: int
) -> list[Finding]:
    """`said` is what the KVM warns of when it is looked through."""
    from . import eyes, mind

    found: list[Finding] = []
    if kvm:
        try:
            found = [await eyes.look(kvm.frames)]
        finally:
            await kvm.close()
    return [*found, *said, *[finding async for finding in mind.look(subject, keep)]]
