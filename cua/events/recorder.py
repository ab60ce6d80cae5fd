"""The run log on disk: a folder per task with append-only files.

A folder, `000012/`, has `events.jsonl` and the screenshots `<seq>.jpg`; events between two tasks
are in the folder of the first. A line is an event:

    {"seq": 7, "boot": "1f3a9c02", "at": 1760000000.1, "mono": 81.2, "kind": "frame",
     "data": {...}, "picture": "7.jpg"}

`at` is Unix time (a KVM often starts in 1970), `mono` the seconds of a monotonic clock; `boot`
identifies the process. A folder begins with a copy of the last `session_started`, which names the
model. Events are written in a thread; those in `SYNCED` are synced. An empty file `incomplete`
marks a folder in which something could not be written. Other files are left alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ..messages import Message, system_reason, to_json
from .log import Event

logger = logging.getLogger(__name__)

EVENTS_FILE = "events.jsonl"
INCOMPLETE_FILE = "incomplete"
FOLDER_DIGITS = 6
"""Length of a folder's name."""
SYNCED = {"task", "said", "approval", "answered", "done", "failed", "question", "status"}
"""Kinds that are synced to disk at once; the others are not, to spare flash memory."""
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
RESERVED_BYTES = 2 * 2**20
"""Disk space left free for the settings and other programs."""
MAX_WAITING_EVENTS = 2000
"""From so many waiting events on, pictures are left out, as the disk is too slow."""


class Summary(NamedTuple):
    """One recorded task. `ended`: its last status, "running" if the process died in it; `seconds`:
    time spent running; `incomplete`: something could not be written; `picture`: name of the last.
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
    """Writes to `folder`, at most `max_bytes()`; `warn` is called once per task if that fails."""

    def __init__(
        self, folder: Path, max_bytes: Callable[[], int], boot: str, warn: Callable[[str], None]
    ) -> None:
        self.folder, self._max_bytes, self._boot, self._warn = folder, max_bytes, boot, warn
        self.reached = 0
        """The number of the last event that was written, or could not be."""
        self._waiting: list[Event] = []
        self._has_events = asyncio.Event()
        self._session_line = b""
        self._current: Path | None = None
        self._unwritten = b""
        """First lines of the task's folder that are not written yet."""
        self._sizes: Counter[str] = Counter()
        """Bytes by folder, those of earlier processes too."""
        self._fault = ""
        self._warned = False
        self._incomplete = False
        """Whether an event or picture of this task is lost."""

    def take(self, event: Event) -> None:
        """Queue an event; `run` writes it."""
        self._waiting.append(event)
        self._has_events.set()

    async def run(self) -> None:
        """Write queued events until cancelled, then the remaining ones."""
        try:
            while True:
                await self._has_events.wait()
                events = self._take_waiting()
                writing = asyncio.ensure_future(asyncio.to_thread(self._write_all, events))
                try:
                    await asyncio.shield(writing)
                finally:  # also when cancelled: these events are no longer waiting
                    await asyncio.wait([writing])
                    self._warn_once(writing.result())
        finally:
            self._warn_once(self._write_all(self._take_waiting()))

    def _take_waiting(self) -> list[Event]:
        events, self._waiting = self._waiting, []
        self._has_events.clear()
        return events

    def _write_all(self, events: Sequence[Event]) -> str:
        """Write events; return why one was lost, or ""."""
        self._fault, pictures = "", len(events) < MAX_WAITING_EVENTS
        for event in events:
            with self._catch_errors():
                self._write(event, pictures)
            self.reached = event.seq
        return self._fault

    @contextlib.contextmanager
    def _catch_errors(self) -> Iterator[None]:
        """Turn an error into `_fault`, so that later events are still recorded."""
        reason = ""
        try:
            yield
        except OSError as error:
            reason = system_reason(error.strerror or str(error))
        except Exception as error:
            logger.exception("an event could not be recorded")
            reason = f"{type(error).__name__}: {error}"
        if reason:
            self._fault = Message("events.not_recorded", folder=str(self.folder), reason=reason)
            self._mark_incomplete()

    def _mark_incomplete(self) -> None:
        """Create the empty marker file, which most full disks still have room for."""
        self._incomplete = True
        if self._current:
            with contextlib.suppress(OSError):
                (self._current / INCOMPLETE_FILE).touch(mode=0o600)

    def _warn_once(self, fault: str) -> None:
        if fault and not self._warned:
            self._warned = True
            self._warn(fault)

    def _write(self, event: Event, pictures: bool) -> None:
        if event.kind == "session_started":
            self._session_line = self._line(event)
        if event.kind == "task":
            self._current, self._unwritten = None, self._session_line + self._line(event)
            self._incomplete = False
        if self._current is None:
            self._current = self._start_folder()
            if self._incomplete:
                self._mark_incomplete()
        name = ""
        if event.picture and pictures:
            with self._catch_errors():  # the line is kept without it
                self._add(self._current / f"{event.seq}.jpg", event.picture)
                name = f"{event.seq}.jpg"
        elif event.picture:
            self._mark_incomplete()
        lines = self._unwritten + (b"" if event.kind == "task" else self._line(event, name))
        self._add(self._current / EVENTS_FILE, lines, sync=event.kind in SYNCED)
        self._unwritten = b""
        self._make_room()

    def _line(self, event: Event, picture: str = "") -> bytes:
        line = {
            "seq": event.seq,
            "boot": self._boot,
            "at": round(event.at, 3),
            "mono": round(event.mono, 3),
            "kind": event.kind,
            "data": to_json(event.data),
        }
        whole = {**line, "picture": picture} if picture else line
        return json.dumps(whole, ensure_ascii=False).encode() + b"\n"

    def _start_folder(self) -> Path:
        """Create the next folder."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._count()
        self._make_room()
        taken = [int(each.name) for each in self.folder.iterdir() if _is_number(each.name)]
        new = self.folder / f"{max(taken, default=0) + 1:0{FOLDER_DIGITS}d}"
        self._retry_with_room(lambda: new.mkdir(mode=0o700))
        self._warned = False
        return new

    def _count(self) -> None:
        """Update `_sizes`: folders may have been deleted. Known ones are not counted again."""
        known = self._sizes
        self._sizes = Counter()
        for each in _records(self.folder):
            self._sizes[each.name] = known[each.name] or _folder_bytes(each)

    def _add(self, path: Path, data: bytes, *, sync: bool = False) -> None:
        self._retry_with_room(lambda: self._append(path, data, sync))

    def _retry_with_room(self, write: Callable[[], None]) -> None:
        """Retry once after making room: other programs may have filled the disk."""
        try:
            write()
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
            self._make_room()
            write()

    def _append(self, path: Path, data: bytes, sync: bool) -> None:
        """Append all of `data` or nothing: half a line would spoil the next one."""
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
            self._sizes[path.parent.name] += os.fstat(file).st_size - before
            os.close(file)

    def _make_room(self) -> None:
        """Delete the oldest tasks; if the current one alone is too large, its oldest pictures."""
        free = shutil.disk_usage(self.folder).free
        size = self._sizes.total()
        most = max(0, min(self._max_bytes(), size + free - RESERVED_BYTES))
        for folder in _records(self.folder) if size > most else ():
            if size <= most:
                return
            if folder == self._current:
                _drop_pictures(folder, size - int(most * 0.9))
            else:
                shutil.rmtree(folder, ignore_errors=True)
            size -= self._sizes[folder.name] - _folder_bytes(folder)
            self._sizes[folder.name] = _folder_bytes(folder)


class Archive:
    """Reads what a `Recorder` wrote to `folder`. Blocking: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def tasks(self) -> list[Summary]:
        """Newest first."""
        found = (
            summarize(folder.name, self.events(folder.name), (folder / INCOMPLETE_FILE).exists())
            for folder in _records(self.folder)
        )
        return [each for each in reversed(list(found)) if each]

    def events(self, id: str) -> list[dict[str, Any]]:
        """Return all complete lines of a task as described above; [] if there are none."""
        folder = self._folder(id)
        if folder is None:
            return []
        with contextlib.suppress(OSError):
            return list(_lines(folder))
        return []

    def since(self, boot: str, after: int) -> Iterator[Event]:
        """Yield the kept events of process `boot` after number `after`, without screenshots."""
        for folder in self._folders_after(boot, after):
            with contextlib.suppress(OSError):
                for each in _lines(folder):  # the first line repeats an older event
                    if each.get("boot") == boot and each["seq"] > after:
                        after = each["seq"]
                        yield _event(each)

    def screenshot(self, boot: str, seq: int) -> bytes | None:
        """Return the JPEG of event `seq` of process `boot`; None if it is gone."""
        folders = self._folders_after(boot, seq - 1)
        return self.picture(folders[0].name, f"{seq}.jpg") if folders else None

    def _folders_after(self, boot: str, after: int) -> list[Path]:
        """Return the folders of process `boot` with events after `after`, oldest first."""
        found: list[Path] = []
        for folder in reversed(_records(self.folder)):
            whose, first = _read_start(folder)
            if whose != boot:
                break
            found.insert(0, folder)
            if first <= after + 1:
                break
        return found

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
        return self.folder / id if _is_number(id) else None


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    """Raises `OSError`."""
    with (folder / EVENTS_FILE).open("rb") as file:
        yield from filter(None, map(_parsed, file))


def _read_start(folder: Path) -> tuple[str, int]:
    """Return the `boot` of a folder and the number of its first event.

    The first line may be a copy of an older event.
    """
    lines: list[dict[str, Any]] = []
    with contextlib.suppress(OSError):
        lines = list(islice(_lines(folder), 2))
    return (lines[-1].get("boot", ""), lines[-1]["seq"]) if lines else ("", 0)


def _event(line: dict[str, Any]) -> Event:
    picture = b"" if "picture" in line else None
    return Event(line["seq"], line["at"], line["kind"], line["data"], picture, line["mono"])


def _parsed(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        event = json.loads(
            line.decode("utf-8", "replace"), parse_constant=str
        )  # NaN stands in records of old versions
        return event if isinstance(event, dict) else None
    return None


def summarize(id: str, events: Sequence[dict[str, Any]], incomplete: bool) -> Summary | None:
    task = next((event for event in events if event["kind"] == "task"), None)
    if task is None:
        return None
    intro: dict[str, Any] = next(
        (each["data"] for each in events if each["kind"] == "session_started"), {}
    )
    statuses = [each for each in events if each["kind"] == "status" and each["seq"] > task["seq"]]
    return Summary(
        id,
        task["data"]["text"],
        task["at"],
        _sum_seconds([task, *statuses], events[-1]["mono"]),
        sum(each["kind"] == "frame" for each in events),
        _last_status(each["data"]["status"] for each in statuses),
        intro.get("model", ""),
        bool(intro.get("demo")),
        incomplete,
        next((each["picture"] for each in reversed(events) if "picture" in each), ""),
    )


def _last_status(statuses: Iterable[str]) -> str:
    """Return the last status before the reset; a stop after the end does not change it."""
    last = "running"
    for status in statuses:
        if status == "idle":
            return "idle" if last == "running" else last
        if status != "stopped" or last not in ("done", "failed"):
            last = status
    return last


def _sum_seconds(turns: Sequence[dict[str, Any]], end: float) -> float:
    """Return the seconds from the task on, without those between a stop and the next start."""
    seconds = 0.0
    for turn, after in zip(turns, [*(each["mono"] for each in turns[1:]), end], strict=True):
        if turn["data"].get("status", "running") == "running":
            seconds += max(0.0, after - turn["mono"])
    return round(seconds, 3)


def _drop_pictures(folder: Path, size: int) -> None:
    """Delete the oldest pictures, at least `size` bytes in all; keep the last one."""
    ours = (each for each in folder.glob("*.jpg") if each.stem.isdecimal() and each.is_file())
    for picture in sorted(ours, key=lambda path: int(path.stem))[:-1]:
        if size <= 0:
            return
        size -= picture.stat().st_size
        picture.unlink()


def _records(folder: Path) -> list[Path]:
    """Return the folders of a `Recorder` by number."""
    with contextlib.suppress(OSError):
        ours = (each for each in folder.iterdir() if _is_number(each.name))
        return sorted(each for each in ours if (each / EVENTS_FILE).is_file())
    return []


def _is_number(name: str) -> bool:
    return len(name) == FOLDER_DIGITS and name.isascii() and name.isdecimal()


def _folder_bytes(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
