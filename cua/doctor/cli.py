"""`python cua_webapp.py doctor`: looks at everything, says what it sees and what helps."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..install.loaded import missing
from ..page import ROOT
from . import hardware, machine
from .finding import Finding, in_words

if TYPE_CHECKING:
    from ..checkup.subject import Subject
    from ..kvms import Kvm

NEEDS_PACKAGES = "not looked at: the packages are missing"
NAMED = "Correct it where it was said: in the file, in the environment (CUA_...) or the command."


class Told:
    """What was found: in words each finding as soon as it is there, as JSON all of them at last."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._found: list[Finding] = []

    def add(self, finding: Finding) -> None:
        self._found.append(finding)
        if not self._as_json:
            sys.stdout.write(in_words([finding]) + "\n")
            sys.stdout.flush()

    def end(self) -> None:
        if self._as_json:
            sys.stdout.write(json.dumps([each.as_json() for each in self._found], indent=1) + "\n")

    @property
    def faulty(self) -> bool:
        return any(each.state == "fault" for each in self._found)


def main(options: argparse.Namespace, environ: Callable[[], Mapping[str, str]]) -> int:
    """Exit code 0, or 1 if there is a fault. `environ`: what wins over the file; may raise
    `CuaError`.
    """
    told = Told(as_json=options.json)
    try:
        for finding in machine.look(ROOT, options.port):
            told.add(finding)
        if missing():
            _without_packages(told)
        else:
            _through_the_settings(options, environ, told)
    finally:  # an impatient person's Ctrl-C leaves what is known
        told.end()
    return int(told.faulty)


def _without_packages(told: Told) -> None:
    for finding in hardware.look(os.environ.get("CUA_HID_PREFIX", "/dev/hidg")):
        told.add(finding)
    told.add(Finding("video stream", "unknown", NEEDS_PACKAGES))
    told.add(Finding("model", "unknown", NEEDS_PACKAGES))


def _through_the_settings(
    options: argparse.Namespace, environ: Callable[[], Mapping[str, str]], told: Told
) -> None:
    from .. import kvm_server, parts
    from ..console import unknown
    from ..settings import OnlyRead, place
    from ..types import CuaError

    def hear(level: str, words: str) -> None:
        if level == "warning":
            told.add(Finding("KVM", "care", words))

    try:
        path = place(options.config)
        file = OnlyRead(path, environ())
        parts.usable(file)
        kvm, subject = parts.examined(file.values, hear)
    except CuaError as error:
        told.add(Finding("settings", "fault", str(error), NAMED))
        return
    seen = file.warning or (str(path) if path.exists() else f"none yet at {path}")
    told.add(Finding("settings", "care" if file.warning else "ok", seen))
    why = unknown(file)
    if why:  # what stands here is another computer's
        told.add(Finding("KVM", "fault", why))
    elif not file.values.kvm:
        for finding in hardware.look(file.values.hid_prefix):
            told.add(finding)
    certificate = kvm_server.read(Path(file.values.kvm_config)).certificate
    told.add(machine.https(certificate, options.port))
    asyncio.run(_asked(None if why else kvm, subject, file.values.img_keep_n, told))


async def _asked(kvm: Kvm | None, subject: Subject, keep: int, told: Told) -> None:
    from . import eyes, mind

    if kvm:
        try:
            told.add(await eyes.look(kvm.frames))
        finally:
            await kvm.close()
    async for finding in mind.look(subject, keep):
        told.add(finding)
