"""The folder that the processes of this program share until the machine is restarted."""

from __future__ import annotations

import os
from pathlib import Path

ROOT_FOLDER = Path("/run/cua")


def find_runtime_folder() -> Path:
    """Return its path; systemd sets the variable, and the unit names `ROOT_FOLDER`."""
    if os.environ.get("RUNTIME_DIRECTORY"):
        return Path(os.environ["RUNTIME_DIRECTORY"])
    if os.geteuid() == 0:
        return ROOT_FOLDER
    return Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp")) / "cua"  # noqa: S108
