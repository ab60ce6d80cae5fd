"""Describes an earlier attempt at a task for the model, from the record."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..events.archive import Archive
from ..messages import ENGLISH, catalogue, translate

AGAIN = (
    "An earlier attempt at this task did not end, so parts of it may be done already. Look what is "
    "done before you repeat anything."
)
MAX_ACTIONS = 20


def describe_earlier(records: Path) -> str:
    """Return a text to put before a task that is repeated; slow with long records."""
    archive = Archive(records)
    lines = [AGAIN]
    if tasks := archive.tasks():
        done, begun = _read_actions(archive.events(tasks[0].id))
        if done:
            lines.append(f"Its record says that it did: {'; '.join(done[-MAX_ACTIONS:])}.")
        if begun:
            lines.append(f"It was interrupted, perhaps in the middle of: {'; '.join(begun)}.")
    return " ".join(lines) + "\n\n"


def _read_actions(events: Iterable[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the actions of steps that were executed, and those that began but did not end."""
    english = catalogue(ENGLISH)
    done: list[str] = []
    planned: list[str] = []
    begun = 0
    for event in events:
        data = event["data"]
        if event["kind"] == "reply":
            planned, begun = [translate(each["words"], english) for each in data["actions"]], 0
        elif event["kind"] == "acting":
            begun = data["index"] + 1
        elif event["kind"] == "step":
            done += planned[:begun] if data["ok"] else planned[: max(begun - 1, 0)]
            planned, begun = [], 0
    return [*done, *planned[: max(begun - 1, 0)]], planned[max(begun - 1, 0) : begun]
