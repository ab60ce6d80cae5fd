"""The command `doctor`: run all checks and print their findings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ...web.pages import ROOT
from ..install.packages import missing
from ..output import run_job
from . import hardware, machine
from .finding import Finding, format_findings

if TYPE_CHECKING:
    from ...evaluation.checkup.model_under_test import ModelUnderTest
    from ...kvms.registry import Kvm

NEEDS_PACKAGES = "not checked: packages are missing"
CORRECT_SETTING = (
    "Correct it where it is set: in the file, in the environment (CUA_...) or the command."
)


class Findings:
    """Prints findings: as text each one at once, as JSON all of them at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._found: list[Finding] = []

    def add(self, finding: Finding) -> None:
        self._found.append(finding)
        if not self._as_json:
            sys.stdout.write(format_findings([finding]) + "\n")
            sys.stdout.flush()

    def end(self) -> None:
        if self._as_json:
            sys.stdout.write(json.dumps([asdict(each) for each in self._found], indent=1) + "\n")

    @property
    def has_fault(self) -> bool:
        return any(each.state == "fault" for each in self._found)


def main(options: argparse.Namespace, environ: Callable[[], Mapping[str, str]]) -> int:
    """Return the exit code: 1 if there is a fault, else 0.

    `environ` returns the variables that override the file; it may raise `CuaError`.
    """
    findings = Findings(as_json=options.json)
    try:
        for finding in machine.examine(ROOT, options.port):
            findings.add(finding)
        if missing():
            _check_without_packages(findings)
        else:
            _check_with_settings(options, environ, findings)
    finally:  # also after Ctrl-C
        findings.end()
    return int(findings.has_fault)


def _check_without_packages(findings: Findings) -> None:
    for finding in hardware.examine(os.environ.get("CUA_HID_PREFIX", "/dev/hidg")):
        findings.add(finding)
    findings.add(Finding("video stream", "unknown", NEEDS_PACKAGES))
    findings.add(Finding("model", "unknown", NEEDS_PACKAGES))


def _check_with_settings(
    options: argparse.Namespace, environ: Callable[[], Mapping[str, str]], findings: Findings
) -> None:
    from ...app import factory
    from ...app.computer import unknown
    from ...kvms import host_server
    from ...settings import OnlyRead, place
    from ...types import CuaError

    def on_event(level: str, words: str) -> None:
        if level == "warning":
            findings.add(Finding("KVM", "care", words))

    try:
        path = place(options.config)
        file = OnlyRead(path, environ())
        factory.usable(file)
        kvm, subject = factory.examined(file.values, on_event)
    except CuaError as error:
        findings.add(Finding("settings", "fault", str(error), CORRECT_SETTING))
        return
    seen = file.warning or (str(path) if path.exists() else f"none yet at {path}")
    findings.add(Finding("settings", "care" if file.warning else "ok", seen))
    why = unknown(file)
    if why:  # the settings here belong to another computer
        findings.add(Finding("KVM", "fault", why))
    elif not file.values.kvm:
        for finding in hardware.examine(file.values.hid_prefix):
            findings.add(finding)
    certificate = host_server.read(Path(file.values.kvm_config)).certificate
    findings.add(machine.https(certificate, options.port))
    no_kvm = not file.values.kvm and bool(hardware.missing(file.values.hid_prefix))
    run_job(
        _check_video_and_model(
            None if why else kvm, no_kvm, subject, file.values.img_keep_n, findings
        )
    )


async def _check_video_and_model(
    kvm: Kvm | None, no_kvm: bool, subject: ModelUnderTest, keep: int, findings: Findings
) -> None:
    """`no_kvm`: this machine is not a KVM, so a missing video stream is not reported again."""
    from . import model_server, video

    if kvm:
        try:
            found = await video.examine(kvm.frames)
            if not (no_kvm and found.state == "fault"):
                findings.add(found)
        finally:
            await kvm.close()
    async for finding in model_server.examine(subject, keep):
        findings.add(finding)
