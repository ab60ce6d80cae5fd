"""The settings for a command, and its computer."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..extras import PROGRAM, missing_modules
from ..messages import Message, sentences
from .output import allow_interrupt, run_job

if TYPE_CHECKING:
    from ..kvms.simulated_computer import SimulatedComputer
    from ..settings import SettingsFile


def prepare_settings(
    options: argparse.Namespace, **more: str
) -> tuple[SimulatedComputer | None, SettingsFile]:
    """Return the settings, and the simulated computer, which boots while packages are loaded.

    `more`: added to the environment. Raises `CuaError`.
    """
    if options.demo:
        return _set_up_demo(options, {**os.environ, **more})
    from ..settings import SettingsFile, find_path

    file = SettingsFile(find_path(options.config), {**environ(options), **more})
    if not file.values.kvm and options.command != "serve":  # a page can name the KVM
        _need_devices(file)
    return None, file


def _set_up_demo(
    options: argparse.Namespace, environ: Mapping[str, str]
) -> tuple[SimulatedComputer, SettingsFile]:
    """Boot the simulated computer. The model is OCR and rules without `--model settings`."""
    as_set = options.model == "settings"
    if reads_screen(options):
        require_extra("local")
    from ..kvms.simulated_computer import SimulatedComputer
    from ..settings import ReadOnlySettingsFile, find_path

    path = find_path(options.config) if as_set or options.config else None
    file = ReadOnlySettingsFile(path, environ)
    file.detach(take_over=True, **({} if as_set else {"api_type": "local"}))
    return SimulatedComputer(), file


def reads_screen(options: argparse.Namespace) -> bool:
    """Whether the command needs the packages of the local operator."""
    as_set = options.model == "settings"
    return options.demo and not as_set and options.command != "mcp"  # there the client is the model


def environ(options: argparse.Namespace) -> dict[str, str]:
    """Return the environment, with the KVM of the command line and its password.

    Raises `CuaError`.
    """
    found = dict(os.environ)
    address = options.kvm or found.get("CUA_KVM")
    if not address:
        return found
    from ..kvms import registry
    from ..kvms.address import parse_address, split_password

    address, password = split_password(address)
    found["CUA_KVM"] = _name_kind(address)
    if password:
        found["CUA_KVM_PASSWORD"] = password
    if not options.kvm:
        return found
    kind = registry.KINDS[parse_address(found["CUA_KVM"]).kind]
    if not kind.is_local and not found.get("CUA_KVM_PASSWORD") and sys.stdin and sys.stdin.isatty():
        import getpass

        with allow_interrupt():  # the terminal's echo is off
            found["CUA_KVM_PASSWORD"] = getpass.getpass(f"Password for {found['CUA_KVM']}: ")
    return found


def _name_kind(address: str) -> str:
    """Detect the kind of KVM if it is not named, and report it on stderr. Raises `CuaError`."""
    from ..kvms import probe

    if probe.names_kind(address):
        return address
    found = run_job(probe.find_address(address))
    sys.stderr.write(Message("kvm.found", address=found) + "\n")
    return found


def require_extra(extra: str) -> None:
    """Raise `MissingExtra` if the packages of an extra are missing."""
    if missing_modules(extra):
        from ..types import MissingExtra

        raise MissingExtra(extra)


def describe_missing_kvm(options: argparse.Namespace) -> str:
    """Return a note if this machine is not a KVM and the command line names none, else "".

    Reads no settings, because the packages may be missing.
    """
    named = options.demo or options.kvm or options.fleet or os.environ.get("CUA_KVM")
    device = os.environ.get("CUA_HID_PREFIX", "/dev/hidg") + "0"
    return "" if named or os.access(device, os.F_OK) else Message("install.no_kvm")


def _need_devices(file: SettingsFile) -> None:
    devices = [f"{file.values.hid_prefix}{n}" for n in range(3)]
    missing = [device for device in devices if not os.access(device, os.F_OK)]
    if missing:
        from ..types import DeviceError

        words = Message("start.no_devices", device=missing[0], program=PROGRAM)
        raise DeviceError(sentences(file.warning, words))
