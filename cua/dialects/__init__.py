"""The models' languages: one file per family, each imported when it is first used.

A dialect is pure: the history of a task becomes messages, a reply becomes actions in fractions of
the screen. To add one: a file here, a prompt in `prompts/`, a row in this table.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ..types import CuaError, Dialect

DEFAULT = "kvm"


class _Kind(NamedTuple):
    label: str
    help: str
    module: str
    cls: str
    models: str = "(?!)"
    """Pattern of the model names that choose it; the first row that fits wins."""


_KINDS = {
    "qwen3_vl": _Kind(
        "Qwen3-VL",
        "Its own computer_use calls as JSON; coordinates 0 to 1000.",
        "qwen3_vl",
        "Qwen3VL",
        r"qwen-?3-?vl",
    ),
    "kvm": _Kind(
        "KVM lines",
        "Plain line commands for any model that sees images; coordinates 0 to 1.",
        "kvm",
        "Kvm",
    ),
}


def names() -> list[tuple[str, str, str]]:
    """For the settings form: value, label, one line of help."""
    return [(name, kind.label, kind.help) for name, kind in _KINDS.items()]


def patterns() -> list[tuple[str, str]]:
    """Name and pattern of the model names that choose it, in the order in which they are tried."""
    return [(name, kind.models) for name, kind in _KINDS.items() if kind.models != "(?!)"]


def for_model(model_name: str) -> str:
    """The dialect that a model speaks, by its name; `kvm` for one that is not known."""
    name = model_name.strip().lower().rstrip("/")
    for part in (name.rpartition("/")[2], name):
        for dialect, pattern in patterns():
            if re.search(pattern, part):
                return dialect
    return DEFAULT


def create(name: str) -> Dialect:
    """Raises `CuaError` for an unknown name."""
    kind = _kind(name)
    made: Dialect = getattr(import_module(f".{kind.module}", __name__), kind.cls)()
    return made


def default_prompt(name: str) -> str:
    """What the model is told first, unless the person wrote something else."""
    _kind(name)
    folder = prompts_dir()
    rules = (folder / "_rules.md").read_text("utf-8").strip()
    return (folder / f"{name}.md").read_text("utf-8").strip().replace("{rules}", rules)


def prompts_dir() -> Path:
    return Path(__file__).resolve().parents[2] / "prompts"


def _kind(name: str) -> _Kind:
    if name not in _KINDS:
        raise CuaError(f"There is no dialect `{name}`: choose one of {', '.join(_KINDS)}.")
    return _KINDS[name]
