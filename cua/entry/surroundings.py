"""What a command works with: the settings that are in force, and the computer it is for."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .terminal import PROGRAM, need, refuse

if TYPE_CHECKING:
    from ..demo import VirtualComputer
    from ..settings import SettingsFile


def surroundings(
    options: argparse.Namespace,
) -> tuple[VirtualComputer | None, SettingsFile]:
    """The settings, and the virtual computer, which boots while the packages are being loaded.

    Raises `CuaError`.
    """
    if options.demo and os.environ.get("CUA_API_TYPE", "local") == "local":
        need("rapidocr", "local", "The demo reads the screen with OCR")
    from ..demo import VirtualComputer

    virtual = VirtualComputer() if options.demo else None
    from ..settings import SettingsFile, place

    if virtual:
        path = Path(options.config) if options.config else None
        try:
            return virtual, SettingsFile(path, api_type="local", hid_prefix=virtual.hid_prefix)
        except BaseException:
            virtual.stop()
            raise
    file = SettingsFile(place(options.config), environ(options))
    if not file.values.kvm:
        _need_devices(file.values.hid_prefix)
    return None, file


def environ(options: argparse.Namespace) -> dict[str, str]:
    """The environment, with the KVM of the command line in it and its password.

    Raises `CuaError`.
    """
    found = dict(os.environ)
    if not options.kvm:
        return found
    from .. import kvms

    kvms.target(options.kvm)
    found["CUA_KVM"] = options.kvm
    if not found.get("CUA_KVM_PASSWORD") and sys.stdin and sys.stdin.isatty():
        import getpass

        found["CUA_KVM_PASSWORD"] = getpass.getpass(f"Password for {options.kvm}: ")
    return found


def _need_devices(prefix: str) -> None:
    missing = [device for n in range(3) if not Path(device := f"{prefix}{n}").exists()]
    if missing:
        refuse(
            f"This machine has no {missing[0]}, so it is not a KVM that can be driven. Name one: "
            f"--kvm pikvm://ADDRESS (see README). To see it work here: {PROGRAM} --demo"
        )
