"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "care", "fault", "unknown"]
MARKS: dict[State, str] = {"ok": "ok", "care": "care", "fault": "FAULT", "unknown": "?"}


@dataclass(frozen=True)
class Finding:
    """What was `seen`, and its `cure`: what to do about it, "" if nothing is wrong."""

    what: str
    state: State
    seen: str
    cure: str = ""


def format_finding(finding: Finding) -> str:
    row = f"{MARKS[finding.state]:>6}  {finding.what:<16} {finding.seen}"
    return f"{row}\n{'':>6}  {'':<16} -> {finding.cure}" if finding.cure else row
