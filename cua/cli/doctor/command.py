"""The command `doctor`: run all checks and print their findings."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ...extras import ROOT
from ..command_context import environ
from ..install.package_folders import missing
from ..output import run_job, say
from . import hardware, machine
from .finding import Finding, format_finding

if TYPE_CHECKING:
    from ...evaluation.checkup.model_under_test import ModelUnderTest
    from ...kvms.kvm import Kvm

Add = Callable[[Finding], None]
NEEDS_PACKAGES = "not checked: packages are missing"
CORRECT_SETTING = (
    "Correct it where it is set: in the file, in the environment (CUA_...) or the command."
)


def main(options: argparse.Namespace) -> int:
    """Print findings: text at once, JSON at the end; return 1 if there is a fault."""
    found: list[Finding] = []

    def add(finding: Finding) -> None:
        found.append(finding)
        if not options.json:
            say(format_finding(finding))

    try:
        for finding in machine.examine(ROOT, options.port):
            add(finding)
        if missing():
            _check_without_packages(add)
        else:
            _check_with_settings(options, add)
    finally:  # also after Ctrl-C
        if options.json:
            say(json.dumps([asdict(each) for each in found], indent=1))
    return int(any(each.state == "fault" for each in found))


def _check_without_packages(add: Add) -> None:
    for finding in hardware.examine(os.environ.get("CUA_HID_PREFIX", "/dev/hidg")):
        add(finding)
    for what in ("video stream", "model"):
        add(Finding(what, "unknown", NEEDS_PACKAGES))


def _check_with_settings(options: argparse.Namespace, add: Add) -> None:
    from ...app import factory
    from ...app.computer import find_address_fault
    from ...events.log import EventLog
    from ...kvms import local_web_server
    from ...kvms.exclusive_lock import InUse
    from ...settings import RECOMMENDED_SCREEN, ReadOnlySettingsFile, find_path
    from ...types import CuaError

    def on_event(level: str, words: str) -> None:
        if level == "warning":
            add(Finding("KVM", "care", words))

    try:
        path = find_path(options.config)
        file = ReadOnlySettingsFile(path, environ(options))
        factory.drop_unknown_names(file)
        kvm = factory.create_kvm(file.values, on_event)
        subject = factory.make_subject(file.values, RECOMMENDED_SCREEN, EventLog())
    except InUse as error:  # the KVM serves one connection, which an agent uses
        add(Finding("KVM", "care", str(error)))
        return
    except CuaError as error:
        add(Finding("settings", "fault", str(error), CORRECT_SETTING))
        return
    add(_describe_settings(file.warning, path))
    why = find_address_fault(file)
    if why:  # the settings here belong to another computer
        add(Finding("KVM", "fault", why))
    elif not file.values.kvm:
        for finding in hardware.examine(file.values.hid_prefix):
            add(finding)
    certificate = local_web_server.read(Path(file.values.kvm_config)).certificate
    add(machine.https(certificate, options.port))
    no_kvm = not file.values.kvm and bool(hardware.missing(file.values.hid_prefix))
    used = None if why else kvm
    run_job(_check_video_and_model(used, no_kvm, subject, file.values.img_keep_n, add))


def _describe_settings(warning: str, path: Path) -> Finding:
    seen = warning or (str(path) if path.exists() else f"none yet at {path}")
    return Finding("settings", "care" if warning else "ok", seen)


async def _check_video_and_model(
    kvm: Kvm | None, no_kvm: bool, subject: ModelUnderTest, keep: int, add: Add
) -> None:
    """`no_kvm`: this machine is not a KVM, so a missing video stream is not reported again."""
    from . import model_server, video

    if kvm:
        try:
            found = await video.examine(kvm.frames)
            if not (no_kvm and found.state == "fault"):
                add(found)
        finally:
            await kvm.close()
    async for finding in model_server.examine(subject, keep):
        add(finding)
