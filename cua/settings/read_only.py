"""The settings file for whoever only looks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from .file import SettingsFile
from .model import Settings


class OnlyRead(SettingsFile):
    """What is wrong with the file is said, and the file left as it is."""

    def _tighten(self, path: Path, secret: str) -> None:
        self.warning = (
            f"Others on this machine can read the {secret} in {path}: the next start of the "
            "service shuts them out. Consider replacing it."
        )

    def _set_aside(self, path: Path) -> dict[str, Any]:
        self.warning = (
            f"{path} could not be understood: it is neither JSON nor a Python dict. Correct it; "
            "the next start of the service puts it aside and begins without settings."
        )
        return {}


def looked_up(path: Path) -> Settings:
    """Those in force; what is wrong with the file is said to whoever types."""
    file = OnlyRead(path)
    if file.warning:
        sys.stderr.write(f"{file.warning}\n")
    return file.values
