"""Optional packages: whether they are installed, and the command that installs them."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGED = ROOT.name in ("site-packages", "dist-packages")
"""Whether pip has installed the program, in place of a checkout or an unpacked bundle."""
NAME = "kvm-cua" if PACKAGED else "cua_webapp.py"
"""What it is called in a shell."""
PROGRAM = NAME if PACKAGED else f"{sys.executable} {ROOT / NAME}"
"""How it is started."""
MODULES = {
    "local": ("rapidocr", "onnxruntime", "numpy", "cv2"),
    "mcp": ("mcp",),
    "notify": ("apprise",),
}
"""What the program loads of each extra that it can install."""
PIP_MODULES = {"cluster": ("ray",), "jetkvm": ("aiortc",)}
"""The same, of extras that only pip installs: they are not for a KVM."""


def missing_modules(extra: str) -> list[str]:
    return [name for name in {**MODULES, **PIP_MODULES}.get(extra, ()) if not _is_there(name)]


def command(extra: str) -> str:
    """Install an extra, to type in a shell."""
    if extra in PIP_MODULES:
        return f"{sys.executable} -m pip install '{'kvm-cua' if PACKAGED else ROOT}[{extra}]'"
    return f"{PROGRAM} install --with {extra}"


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):  # without its parent, or set to None
        return False
