"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["ok", "care", "fault", "unknown"]
TOO_LARGE = (
    "Use 1280x720, which is cheaper and more accurate: set it in the KVM, its EDID or the computer."
)
MARKS: dict[State, str] = {"ok": "ok", "care": "care", "fault": "FAULT", "unknown": "?"}


@dataclass(frozen=True)
class Finding:
    """`seen`: the result in words; `fix`: what to do, "" if there is no fault."""

    what: str
    state: State
    seen: str
    fix: str = ""


def check_size(what: str, size: tuple[int, int], also: str, max_size: tuple[int, int]) -> Finding:
    """Check whether a picture is small enough for a model at little cost."""
    seen = f"{size[0]}x{size[1]}, {also}"
    if size[0] > max_size[0] or size[1] > max_size[1]:
        return Finding(what, "care", seen, TOO_LARGE)
    return Finding(what, "ok", seen)


def read_text(path: Path) -> str:
    """Return a file of the kernel; "" if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def format_finding(finding: Finding) -> str:
    row = f"{MARKS[finding.state]:>6}  {finding.what:<16} {finding.seen}"
    return f"{row}\n{'':>6}  {'':<16} -> {finding.fix}" if finding.fix else row
