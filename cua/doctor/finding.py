"""One thing that was looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["ok", "care", "fault", "unknown"]
MARKS: dict[State, str] = {"ok": "ok", "care": "care", "fault": "FAULT", "unknown": "?"}


@dataclass(frozen=True)
class Finding:
    """`seen` is what there is, `cure` what to do about it, "" where nothing is wrong."""

    what: str
    state: State
    seen: str
    cure: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def in_words(findings: Iterable[Finding]) -> str:
    rows = []
    for each in findings:
        rows.append(f"{MARKS[each.state]:>6}  {each.what:<16} {each.seen}")
        if each.cure:
            rows.append(f"{'':>6}  {'':<16} -> {each.cure}")
    return "\n".join(rows)
