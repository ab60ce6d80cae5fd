"""Words to the person in the terminal, and the end of a start that cannot be."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import NoReturn

CANNOT_START = 2
ROOT = Path(__file__).resolve().parents[2]


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def refuse(words: str) -> NoReturn:
    sys.stderr.write(f"{words}\n")
    sys.exit(CANNOT_START)


def need(module: str, extra: str, why: str) -> None:
    if not importlib.util.find_spec(module):
        refuse(f"{why}, and its package {module} is missing. Install it: {_pip(extra)}")


def _pip(what: str) -> str:
    return f"cd {ROOT} && {sys.executable} -m pip install '{what}'"
