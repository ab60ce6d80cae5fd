"""Whether the Python that runs has what the program loads."""

from __future__ import annotations

import sys
from importlib.util import find_spec

PACKAGES = {
    "fastapi": "fastapi", "uvicorn": "uvicorn", "websockets": "websockets", "jinja2": "jinja2",
    "pydantic": "pydantic", "httpx2": "httpx2", "PIL": "pillow", "openai": "openai",
    "yaml": "pyyaml", "segno": "segno",
}  # fmt: skip
"""Modules and what they are called where packages are."""


def missing() -> list[str]:
    return [name for module, name in PACKAGES.items() if not find_spec(module)]


def outside() -> str:
    """The Python that an installation is made by; our own would delete itself under its feet."""
    python: str = sys._base_executable  # type: ignore[attr-defined]
    return python
