"""Which file the settings are in: the same one for every command."""

from __future__ import annotations

import os
from pathlib import Path

from ..types import CuaError

DEFAULT_PATH = Path("/etc/kvm/cua_cfg.json")


def place(named: str | None, usual: Path = DEFAULT_PATH) -> Path:
    """Beside a KVM, on a laptop, the settings are the person's own. `named`: on the command line.

    Raises `CuaError` for somebody who has no home.
    """
    if named := named or os.environ.get("CUA_CONFIG"):
        return Path(named)
    if usual.parent.exists() or os.access(usual.parent.parent, os.W_OK):
        return usual
    try:
        return Path.home() / ".config" / "kvm-cua" / "settings.json"
    except RuntimeError:
        raise CuaError("You have no home folder for the settings: name a --config.") from None
