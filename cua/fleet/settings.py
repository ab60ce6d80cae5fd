"""The settings of one computer: those of the settings file, changed by its inventory entry."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..settings import ReadOnlySettingsFile, Settings, SettingsFile
from ..settings.file import ENV_PREFIX
from .inventory import Computer

OF_ONE_KVM = (
    *("kvm", "kvm_user", "kvm_password", "kvm_code", "kvm_certificate"),
    *("stream_url", "hid_prefix", "wake_mac", "pointer_gain", "record_dir"),
)
"""Settings not taken from the environment or the settings file, which describe another KVM."""
OF_ONE_SERVER = ("api_type", "base_url", "api_key")
"""Settings of the model server, taken together: an API key must not go to another server."""


class ComputerSettings(NamedTuple):
    """Settings that depend on no file or environment of the machine that uses them."""

    values: dict[str, Any]
    fixed: dict[str, str]
    """Settings of the inventory and the command line, as environment variables."""

    def open(self, learned: Path, **more: str) -> SettingsFile:
        """`learned`: the file for values measured at this KVM, such as its certificate."""
        return SettingsFile(learned, {**self.fixed, **_as_environ(more)}, **{**self.values, **more})


def resolve_settings(computer: Computer, path: Path, **chosen: Any) -> ComputerSettings:
    """Return the settings of a run. Raises `CuaError`.

    `path`: the settings file, which is only read. `chosen`: from the command line; they come first.
    """
    changes = {**computer.changes, **chosen}
    own = {*OF_ONE_KVM, *changes, *(OF_ONE_SERVER if changes.keys() & {*OF_ONE_SERVER} else ())}
    base = ReadOnlySettingsFile(path, _without(own))
    reset = {name: Settings.model_fields[name].default for name in OF_ONE_KVM}
    values = base.propose({**reset, **changes})
    return ComputerSettings(values.model_dump(), _as_environ(changes))


def _as_environ(changes: Mapping[str, Any]) -> dict[str, str]:
    return {ENV_PREFIX + name.upper(): _as_text(value) for name, value in changes.items()}


def _without(names: set[str]) -> Mapping[str, str]:
    dropped = {ENV_PREFIX + name.upper() for name in names}
    return {name: value for name, value in os.environ.items() if name not in dropped}


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
