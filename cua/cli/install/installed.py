"""Find missing packages, and use the folders of installed ones."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from ...extras import MODULES, missing_modules
from .environment import PackageSet

PACKAGES = {
    "fastapi": "fastapi", "uvicorn": "uvicorn", "websockets": "websockets", "jinja2": "jinja2",
    "pydantic": "pydantic", "httpx2": "httpx2", "PIL": "pillow",
    "yaml": "pyyaml", "segno": "segno", "dashscope": "dashscope", "cryptography": "cryptography",
}  # fmt: skip
"""Modules and the names of their packages."""


def missing() -> list[str]:
    """Return the names of packages that cannot be imported."""
    return [name for module, name in PACKAGES.items() if not find_spec(module)]


def use_installed() -> None:
    """Use the complete folders; a virtual environment with all packages has precedence."""
    base = PackageSet()
    own = sys.prefix != sys.base_prefix and not missing()
    for home in (*([] if own else [base]), *map(PackageSet, MODULES)):
        if home.complete and not (home.extra and not missing_modules(home.extra)):
            home.activate()
