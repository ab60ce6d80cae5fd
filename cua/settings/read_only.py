"""The settings file for commands that must not change it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..messages import Message
from .fields import Settings
from .file import SettingsFile


class ReadOnlySettingsFile(SettingsFile):
    """Warns about faults of the file without correcting them."""

    def _restrict(self, path: Path, secret: str) -> None:
        self.warning = Message("settings.is_readable", secret=secret, path=str(path))

    def _set_aside(self, path: Path) -> dict[str, Any]:
        self.warning = Message("settings.not_parsed", path=str(path))
        return {}


def read_settings(path: Path) -> Settings:
    """Return the settings in use; print a warning about the file to stderr."""
    file = ReadOnlySettingsFile(path)
    if file.warning:
        sys.stderr.write(f"{file.warning}\n")
    return file.values
