"""Reads the records on disk that `recorder.py` writes and describes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Events = Sequence[dict[str, Any]]
"""Recorded events in order; each has `kind` and `data`, and the name of its `picture`, if any."""
EVENTS_FILE = "events.jsonl"
FOLDER_DIGITS = 6
"""Number of digits in a folder's name."""


class Summary(NamedTuple):
    """One recorded task. `event`: its first event, as process and number; `ended`: its last status,
    "running" if the process died, "partly" if it is done except what the person declined;
    `seconds`: running time; `spent`: the cost, in the currency of the prices; `procedure`: the
    procedure's name; `values`: those of its parameters; `not_understood`: it ended with a question
    for another task; `incomplete`: a part could not be written; `picture`: the last of the screen.
    """

    id: str
    event: str
    goal: str
    at: float
    seconds: float
    spent: float
    steps: int
    ended: str
    model: str
    demo: bool
    procedure: str | bool  # True in an old record
    values: dict[str, str]
    not_understood: bool
    incomplete: bool
    picture: str


class Archive:
    """Reads what a `Recorder` wrote to `folder`. Blocking: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def tasks(self) -> list[Summary]:
        """Return the recorded tasks, the newest first."""
        newest_first = (each.name for each in reversed(list_folders(self.folder)))
        return list(filter(None, (summarize(id, self.events(id)) for id in newest_first)))

    def events(self, id: str) -> list[dict[str, Any]]:
        """Return all complete lines of a task; [] if there are none."""
        folder = self._folder(id)
        if folder is None:
            return []
        with contextlib.suppress(OSError):
            return list(read_lines(folder))
        return []

    def picture(self, id: str, name: str) -> bytes | None:
        """Return the JPEG named by `picture` in a line of task `id`; None if it is gone."""
        folder = self._folder(id)
        stem, _, suffix = name.partition(".")
        if folder is None or not stem.isdecimal() or suffix != "jpg":
            return None
        with contextlib.suppress(OSError):
            return (folder / name).read_bytes()
        return None

    def _folder(self, id: str) -> Path | None:
        return self.folder / id if is_folder_name(id) else None


def read_lines(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a folder in order. Raises `OSError`."""
    with (folder / EVENTS_FILE).open("rb") as file:
        yield from filter(None, map(_parse_line, file))


def _parse_line(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        event = json.loads(
            line.decode("utf-8", "replace"), parse_constant=str
        )  # records of old versions contain NaN
        return event if isinstance(event, dict) else None
    return None


def summarize(id: str, events: Events) -> Summary | None:
    task = next((event for event in events if event["kind"] == "task"), None)
    if task is None:
        return None
    intro = find_intro(events)
    begun = [each for each in events if each["seq"] >= task["seq"]]
    anew = any(each.get("anew") for each in list_data(begun, "question"))
    ends = ("done", "failed", *["asking"] * anew)
    ended = _last_status((each["status"] for each in list_data(begun, "status")), ends)
    if ended == "done" and any(each.get("refused") for each in list_data(begun, "done")):
        ended = "partly"
    return Summary(
        id,
        f"{task['boot']}:{task['seq']}",
        task["data"]["text"],
        task["at"],
        _sum_seconds(begun),
        _sum_cost(begun),
        sum(each["kind"] == "frame" for each in events),
        ended,
        intro.get("model", ""),
        bool(intro.get("demo")),
        task["data"].get("procedure", ""),
        task["data"].get("values", {}),
        ended == "asking" and anew,
        _is_incomplete(begun),
        next((each["picture"] for each in reversed(events) if _shows_screen(each)), ""),
    )


def _shows_screen(event: dict[str, Any]) -> bool:
    return "picture" in event and event["kind"] != "file"  # what the person attached


def _is_incomplete(events: Events) -> bool:
    """Whether an event or a screenshot is missing that should have been written."""
    numbers = [each["seq"] for each in events]
    lost = any("picture" not in each for each in events if each["kind"] in ("frame", "closer"))
    return lost or numbers[-1] - numbers[0] >= len(numbers)


def find_intro(events: Events) -> dict[str, Any]:
    """Return the data of the first `session_started`, which names the model; {} without one."""
    return next(iter(list_data(events, "session_started")), {})


def list_data(events: Events, kind: str) -> list[dict[str, Any]]:
    return [each["data"] for each in events if each["kind"] == kind]


def _last_status(statuses: Iterable[str], ends: Sequence[str]) -> str:
    """Return the last status before the reset, ignoring a stop after one of `ends`."""
    last = "running"
    for status in statuses:
        if status == "idle":
            return "idle" if last == "running" else last
        if status != "stopped" or last not in ends:
            last = status
    return last


def _sum_seconds(events: Events) -> float:
    """Return the seconds that the task ran, without those in which the person was asked."""
    seconds, status, is_asked, before = 0.0, "running", False, events[0]["mono"]
    for event in events:
        if status == "running" and not is_asked:
            seconds += max(0.0, event["mono"] - before)
        before = event["mono"]
        if event["kind"] in ("status", "approval", "answered"):
            is_asked = event["kind"] == "approval"
            status = event["data"].get("status", status)
    return round(seconds, 3)


def _sum_cost(events: Events) -> float:
    """Return the cost of the last proposal of a plan, which contains all before it, and of the
    replies and failures after it.
    """
    cost = 0.0
    for kind, data in ((each["kind"], each["data"]) for each in events):
        if kind == "plan" and not data["approved"]:
            cost = data.get("cost", 0.0)
        elif kind in ("reply", "failed"):
            cost += data.get("cost", 0.0)
    return round(cost, 6)


def list_folders(folder: Path, file: str = EVENTS_FILE) -> list[Path]:
    """Return the numbered folders that have `file`, by number; [] if `folder` is not there."""
    with contextlib.suppress(OSError):
        ours = (each for each in folder.iterdir() if is_folder_name(each.name))
        return sorted(each for each in ours if (each / file).is_file())
    return []


def next_folder(folder: Path) -> Path:
    """Return the path of the next numbered folder, without creating it."""
    taken = [int(each.name) for each in folder.iterdir() if is_folder_name(each.name)]
    return folder / f"{max(taken, default=0) + 1:0{FOLDER_DIGITS}d}"


def is_folder_name(name: str) -> bool:
    return len(name) == FOLDER_DIGITS and name.isascii() and name.isdecimal()
