"""Where the settings file is: the same place for every command."""

from __future__ import annotations

import os
from pathlib import Path

from ..messages import Message
from ..types import CuaError

DEFAULT_PATH = Path("/etc/kvm/cua_cfg.json")


def find_path(named: str | None) -> Path:
    """Return the path; not on a KVM and without root it is in the user's home folder.

    `named`: the path on the command line. Raises `CuaError` for a user without a home folder.
    """
    if named := named or os.environ.get("CUA_CONFIG"):
        return Path(named)
    if DEFAULT_PATH.parent.exists() or os.access(DEFAULT_PATH.parent.parent, os.W_OK):
        return DEFAULT_PATH
    try:
        return Path.home() / ".config" / "kvm-cua" / "settings.json"
    except RuntimeError:
        raise CuaError(Message("settings.no_home")) from None
