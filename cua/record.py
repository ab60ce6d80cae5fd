"""The run log: what happened, task by task, in files that only grow.

A folder per task, `000012/`, with `events.jsonl` and the screenshots `<seq>.jpg` beside it; what
happens between two tasks stands in the folder of the one before. A line is an event:

    {"seq": 7, "boot": "1f3a9c02", "at": 1760000000.1, "mono": 81.2, "kind": "frame",
     "data": {...}, "picture": "7.jpg"}

`at` is Unix time (a KVM often starts in 1970), `mono` the seconds of a clock that is never set;
`boot` names the process. The first line of a folder is the last `session_started` again, so that a
task tells by itself which model it was given to. Written in a thread; what matters is synced.
Where something could not be written, an empty file `incomplete` says so.
Whatever else lies in the same place is somebody else's: it is not counted, read or deleted.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .events import Event

logger = logging.getLogger(__name__)

EVENTS = "events.jsonl"
INCOMPLETE = "incomplete"
DIGITS = 6
"""Of a folder's name."""
SYNCED = {"task", "said", "approval", "answered", "done", "failed", "question", "status"}
"""Kinds that have to be on the disk before the next ones: flash is spared the others."""
FULL = (errno.ENOSPC, errno.EDQUOT)
SPARE = 2 * 2**20
"""Bytes of the disk that are left to others, the settings among them."""
MAX_BEHIND = 2000
"""Events that may wait for a slow disk; then pictures are left out."""


class Summary(NamedTuple):
    """One recorded task. `ended` is its last status, "running" if the process died in it; `seconds`
    are those in which it was at work; `incomplete` if something of it could not be written;
    `picture` is the name of the last one.
    """

    id: str
    goal: str
    at: float
    seconds: float
    steps: int
    ended: str
    model: str
    demo: bool
    incomplete: bool
    picture: str


class Recorder:
    """Writes to `folder`, `most` bytes at most; `warn` is told once a task when that fails."""

    def __init__(self, folder: Path, most: int, boot: str, warn: Callable[[str], None]) -> None:
        self.folder, self._most, self._boot, self._warn = folder, most, boot, warn
        self._waiting: list[Event] = []
        self._grown = asyncio.Event()
        self._intro = b""
        self._current: Path | None = None
        self._owed = b""
        """Lines with which the task's folder has still to begin."""
        self._size = 0
        """Bytes of all records, those of earlier processes too; counted at each beginning."""
        self._fault = ""
        self._told = False
        self._lacking = False
        """Whether something of this task is lost."""

    def take(self, event: Event) -> None:
        """Costs nothing: the writing is done elsewhere."""
        self._waiting.append(event)
        self._grown.set()

    async def run(self) -> None:
        """Until it is cancelled; then what is left is written."""
        try:
            while True:
                await self._grown.wait()
                await self._write_waiting()
        finally:
            self._tell(self._guarded(self._taken()))

    async def _write_waiting(self) -> None:
        # A cancellation must not come between taking events and writing them.
        writing = asyncio.ensure_future(asyncio.to_thread(self._guarded, self._taken()))
        try:
            self._tell(await asyncio.shield(writing))
        except asyncio.CancelledError:
            await asyncio.wait([writing])
            raise

    def _taken(self) -> list[Event]:
        events, self._waiting = self._waiting, []
        self._grown.clear()
        return events

    def _guarded(self, events: Sequence[Event]) -> str:
        """Why something of it is lost, or ""."""
        self._fault, pictures = "", len(events) < MAX_BEHIND
        for event in events:
            with self._trying():
                self._write(event, pictures)
        return self._fault

    @contextlib.contextmanager
    def _trying(self) -> Iterator[None]:
        """Whatever goes wrong here is told, and what comes after it is recorded all the same."""
        why: object = ""
        try:
            yield
        except OSError as error:
            why = error.strerror or error
        except Exception as error:
            logger.exception("an event could not be recorded")
            why = f"{type(error).__name__}: {error}"
        if why:
            self._fault = f"What happens cannot be recorded in {self.folder}: {why}."
            self._lack()

    def _lack(self) -> None:
        """An empty file finds room on most full disks."""
        self._lacking = True
        if self._current:
            with contextlib.suppress(OSError):
                (self._current / INCOMPLETE).touch(mode=0o600)

    def _tell(self, fault: str) -> None:
        if fault and not self._told:
            self._told = True
            self._warn(fault)

    def _write(self, event: Event, pictures: bool) -> None:
        if event.kind == "session_started":
            self._intro = self._line(event)
        if event.kind == "task":
            self._current, self._owed = None, self._intro + self._line(event)
            self._lacking = False
        if self._current is None:
            self._current = self._begun()
            if self._lacking:
                self._lack()
        name = ""
        if event.picture and pictures:
            with self._trying():  # the line is kept without it
                self._add(self._current / f"{event.seq}.jpg", event.picture)
                name = f"{event.seq}.jpg"
        elif event.picture:
            self._lack()
        lines = self._owed + (b"" if event.kind == "task" else self._line(event, name))
        self._add(self._current / EVENTS, lines, sync=event.kind in SYNCED)
        self._owed = b""
        self._make_room()

    def _line(self, event: Event, picture: str = "") -> bytes:
        line = {
            "seq": event.seq,
            "boot": self._boot,
            "at": round(event.at, 3),
            "mono": round(event.mono, 3),
            "kind": event.kind,
            "data": event.data,
        }
        whole = {**line, "picture": picture} if picture else line
        return json.dumps(whole, ensure_ascii=False).encode() + b"\n"

    def _begun(self) -> Path:
        """A folder for what comes."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._size = sum(map(_bytes, _records(self.folder)))
        self._make_room()
        taken = [int(each.name) for each in self.folder.iterdir() if _is_number(each.name)]
        new = self.folder / f"{max(taken, default=0) + 1:0{DIGITS}d}"
        self._with_room(lambda: new.mkdir(mode=0o700))
        self._told = False
        return new

    def _add(self, path: Path, data: bytes, *, sync: bool = False) -> None:
        self._with_room(lambda: self._append(path, data, sync))

    def _with_room(self, write: Callable[[], None]) -> None:
        """Others may have filled the disk since room was made: once more, then."""
        try:
            write()
        except OSError as error:
            if error.errno not in FULL:
                raise
            self._make_room()
            write()

    def _append(self, path: Path, data: bytes, sync: bool) -> None:
        """All of it or nothing: what is cut off would swallow the next line."""
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        before = os.fstat(file).st_size
        try:
            while data:  # a full disk takes a part of it
                data = data[os.write(file, data) :]
            if sync:
                os.fsync(file)
        except OSError:
            os.ftruncate(file, before)
            raise
        finally:
            self._size += os.fstat(file).st_size - before
            os.close(file)

    def _make_room(self) -> None:
        """The oldest tasks go as wholes; of one too large by itself, its oldest pictures."""
        free = shutil.disk_usage(self.folder).free
        most = max(0, min(self._most, self._size + free - SPARE))
        for folder in _records(self.folder) if self._size > most else ():
            if self._size <= most:
                return
            before = _bytes(folder)
            if folder == self._current:
                _drop_pictures(folder, self._size - int(most * 0.9))
            else:
                shutil.rmtree(folder, ignore_errors=True)
            self._size -= before - _bytes(folder)


class Archive:
    """Reads what a `Recorder` wrote to `folder`. Blocking: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def tasks(self) -> list[Summary]:
        """Newest first."""
        found = (
            _summary(folder.name, self.events(folder.name), (folder / INCOMPLETE).exists())
            for folder in _records(self.folder)
        )
        return [each for each in reversed(list(found)) if each]

    def events(self, id: str) -> list[dict[str, Any]]:
        """All lines of a task as the module describes them; [] if there is none. A line that was
        cut off by a crash is left out.
        """
        folder = self._folder(id)
        if folder is None:
            return []
        with contextlib.suppress(OSError):
            lines = (folder / EVENTS).read_text("utf-8", "replace").split("\n")
            return [event for line in lines if (event := _parsed(line))]
        return []

    def picture(self, id: str, name: str) -> bytes | None:
        """The JPEG that a line of task `id` names in its `picture`."""
        folder = self._folder(id)
        stem, _, suffix = name.partition(".")
        if folder is None or not stem.isdecimal() or suffix != "jpg":
            return None
        with contextlib.suppress(OSError):
            return (folder / name).read_bytes()
        return None

    def _folder(self, id: str) -> Path | None:
        return self.folder / id if _is_number(id) else None


def _parsed(line: str) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        event = json.loads(line, parse_constant=str)  # NaN stands in records of old versions
        return event if isinstance(event, dict) else None
    return None


def _summary(id: str, events: Sequence[dict[str, Any]], incomplete: bool) -> Summary | None:
    task = next((event for event in events if event["kind"] == "task"), None)
    if task is None:
        return None
    intro: dict[str, Any] = next(
        (each["data"] for each in events if each["kind"] == "session_started"), {}
    )
    statuses = [each for each in events if each["kind"] == "status" and each["seq"] > task["seq"]]
    stops = [each for each in statuses if each["data"]["status"] != "running"]
    resumed = not stops or statuses[-1]["data"]["status"] == "running"
    return Summary(
        id,
        task["data"]["text"],
        task["at"],
        _worked([task, *statuses], events[-1]["mono"]),
        sum(each["kind"] == "frame" for each in events),
        "running" if resumed else stops[-1]["data"]["status"],
        intro.get("model", ""),
        bool(intro.get("demo")),
        incomplete,
        next((each["picture"] for each in reversed(events) if "picture" in each), ""),
    )


def _worked(turns: Sequence[dict[str, Any]], end: float) -> float:
    """Seconds from the task on, without those between a stop and the next start."""
    seconds = 0.0
    for turn, after in zip(turns, [*(each["mono"] for each in turns[1:]), end], strict=True):
        if turn["data"].get("status", "running") == "running":
            seconds += max(0.0, after - turn["mono"])
    return round(seconds, 3)


def _drop_pictures(folder: Path, size: int) -> None:
    """The oldest of at least `size` bytes in all; the last one stays."""
    ours = (each for each in folder.glob("*.jpg") if each.stem.isdecimal() and each.is_file())
    for picture in sorted(ours, key=lambda path: int(path.stem))[:-1]:
        if size <= 0:
            return
        size -= picture.stat().st_size
        picture.unlink()


def _records(folder: Path) -> list[Path]:
    """Those of a `Recorder`, in the order of their numbers."""
    with contextlib.suppress(OSError):
        ours = (each for each in folder.iterdir() if _is_number(each.name))
        return sorted(each for each in ours if (each / EVENTS).is_file())
    return []


def _is_number(name: str) -> bool:
    return len(name) == DIGITS and name.isascii() and name.isdecimal()


def _bytes(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
