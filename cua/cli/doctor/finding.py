"""The result of one check."""

from __future__ import annotations

from collections.abc import Iterable
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


def format_findings(findings: Iterable[Finding]) -> str:
    rows = []
    for each in findings:
        rows.append(f"{MARKS[each.state]:>6}  {each.what:<16} {each.seen}")
        if each.cure:
            rows.append(f"{'':>6}  {'':<16} -> {each.cure}")
    return "\n".join(rows)
