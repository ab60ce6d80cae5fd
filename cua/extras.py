"""The packages that not everybody needs: how they are installed here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGED = ROOT.name in ("site-packages", "dist-packages")
"""Whether pip has installed the program, in place of a checkout or an unpacked bundle."""
NAME = "kvm-cua" if PACKAGED else "cua_webapp.py"
"""What it is called in a shell."""


def command(extra: str) -> str:
    """To type in a shell. Our own installation has no pip, and takes nothing more."""
    folder = "the checkout that it was installed from" if PACKAGED else ROOT
    if find_spec("pip"):
        return f"cd {folder} && {sys.executable} -m pip install '.[{extra}]'"
    return (
        f"cd {folder} && python3 -m venv venv && venv/bin/pip install '.[{extra}]', and start it "
        "there with venv/bin/python"
    )
