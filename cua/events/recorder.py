"""The run log on disk: a folder per task with append-only files.

A folder, `000012/`, has `events.jsonl` and the screenshots `<seq>.jpg`; events between two tasks
are in the folder of the earlier one. A line is an event:

    {"seq": 7, "boot": "1f3a9c02", "at": 1760000000.1, "mono": 81.2, "kind": "frame",
     "data": {...}, "picture": "7.jpg"}

`at` is Unix time (a KVM often starts in 1970), `mono` the seconds of a monotonic clock; `boot`
identifies the process. A folder begins with a copy of the last `session_started`, which names the
model. Events are written in a thread; those in `SYNCED` are synced. Other files stay unchanged.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..messages import Message, os_reason, to_json
from ..timeouts import finish
from .archive import EVENTS_FILE, list_folders, next_folder, read_lines
from .log import Event

logger = logging.getLogger(__name__)

SYNCED = {"task", "said", "approval", "answered", "done", "failed", "question", "status"}
"""Kinds that are synced to disk at once; others are not, to reduce wear of flash memory."""
RESERVED_BYTES = 2 * 2**20
"""Disk space left free for the settings and other programs."""


class Recorder:
    """Writes to `folder`, at most `max_bytes()` and one event; `warn` gets one error per task."""

    def __init__(
        self, folder: Path, max_bytes: Callable[[], int], boot: str, warn: Callable[[str], None]
    ) -> None:
        self.folder, self._max_bytes, self._boot, self._warn = folder, max_bytes, boot, warn
        self.reached = 0
        """The number of the last event that was processed, whether or not it could be written."""
        self._queued: list[Event] = []
        self._has_events = asyncio.Event()
        self._session_line = b""
        self._current: Path | None = None
        self._folders: dict[int, Path] = {}
        """The folders of this process, by the number of the first event."""
        self._unwritten = b""
        """First lines of the task's folder that are not written yet."""
        self._sizes: Counter[str] = Counter()
        """Size in bytes by folder, with those of earlier processes."""
        self._fault = ""
        self._warned = False

    def since(self, after: int) -> Iterator[Event]:
        """Yield the recorded events of this process after number `after`, without screenshots."""
        for folder in self._folders_after(after):
            with contextlib.suppress(OSError):  # deleted to make room
                for each in read_lines(folder):  # the first line may repeat an older event
                    if each["seq"] > after:
                        after = each["seq"]
                        picture = b"" if "picture" in each else None
                        yield Event(
                            after, each["at"], each["kind"], each["data"], picture, each["mono"]
                        )

    def screenshot(self, seq: int) -> bytes | None:
        """Return the JPEG of event `seq` of this process; None if it is gone."""
        for folder in self._folders_after(seq - 1)[:1]:
            with contextlib.suppress(OSError):
                return (folder / f"{seq}.jpg").read_bytes()
        return None

    def _folders_after(self, after: int) -> list[Path]:
        firsts = list(self._folders)
        newer = firsts[max(0, bisect(firsts, after + 1) - 1) :]
        return [self._folders[first] for first in newer]

    def queue_event(self, event: Event) -> None:
        self._queued.append(event)
        self._has_events.set()

    async def run(self) -> None:
        """Write queued events until cancelled, then write the rest."""
        try:
            while True:
                await self._has_events.wait()
                events = self._take_queued()
                writing = asyncio.ensure_future(asyncio.to_thread(self._write_all, events))
                try:
                    await finish(writing)
                finally:  # also when cancelled: these events are no longer queued
                    self._warn_once(writing.result())
        finally:
            self._warn_once(self._write_all(self._take_queued()))

    def _take_queued(self) -> list[Event]:
        events, self._queued = self._queued, []
        self._has_events.clear()
        return events

    def _write_all(self, events: Sequence[Event]) -> str:
        """Write events; return why one was lost, or ""."""
        self._fault = ""
        for event in events:
            with self._catch_errors():
                self._write(event)
            self.reached = event.seq
        return self._fault

    @contextlib.contextmanager
    def _catch_errors(self) -> Iterator[None]:
        """Turn an error into `_fault`, so that later events are still recorded."""
        reason = ""
        try:
            yield
        except OSError as error:
            reason = os_reason(error)
        except Exception as error:
            logger.exception("an event could not be recorded")
            reason = f"{type(error).__name__}: {error}"
        if reason:
            self._fault = Message("events.not_recorded", folder=str(self.folder), reason=reason)

    def _warn_once(self, fault: str) -> None:
        if fault and not self._warned:
            self._warned = True
            self._warn(fault)

    def _write(self, event: Event) -> None:
        if event.kind == "session_started":
            self._session_line = self._encode_line(event)
        if event.kind == "task":
            self._current, self._unwritten = None, self._session_line + self._encode_line(event)
        if self._current is None:
            self._current = self._folders[event.seq] = self._start_folder()
        self._free_space()  # other programs may have filled the disk
        name = ""
        if event.picture:
            with self._catch_errors():  # the line is still written
                self._append(self._current / f"{event.seq}.jpg", event.picture)
                name = f"{event.seq}.jpg"
        lines = self._unwritten + (b"" if event.kind == "task" else self._encode_line(event, name))
        self._append(self._current / EVENTS_FILE, lines, sync=event.kind in SYNCED)
        self._unwritten = b""

    def _encode_line(self, event: Event, picture: str = "") -> bytes:
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
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._update_sizes()
        self._free_space()
        new = next_folder(self.folder)
        new.mkdir(mode=0o700)
        self._warned = False
        return new

    def _update_sizes(self) -> None:
        """Drop the sizes of deleted folders and add those of new ones."""
        known = self._sizes
        self._sizes = Counter()
        for each in list_folders(self.folder):
            self._sizes[each.name] = known[each.name] or _folder_bytes(each)

    def _append(self, path: Path, data: bytes, *, sync: bool = False) -> None:
        """Append all of `data` or nothing: half a line would spoil the next one."""
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        before = os.fstat(file).st_size
        try:
            while data:  # a full disk may accept only a part
                data = data[os.write(file, data) :]
            if sync:
                os.fsync(file)
        except OSError:
            os.ftruncate(file, before)
            raise
        finally:
            self._sizes[path.parent.name] += os.fstat(file).st_size - before
            os.close(file)

    def _free_space(self) -> None:
        """Delete the oldest tasks; if the current one alone is too large, its oldest pictures."""
        free = shutil.disk_usage(self.folder).free
        size = self._sizes.total()
        most = max(0, min(self._max_bytes(), size + free - RESERVED_BYTES))
        for folder in list_folders(self.folder) if size > most else ():
            if size <= most:
                return
            if folder == self._current:
                _drop_pictures(folder, size - int(most * 0.9))
            else:
                shutil.rmtree(folder, ignore_errors=True)
            size -= self._sizes[folder.name] - _folder_bytes(folder)
            self._sizes[folder.name] = _folder_bytes(folder)


def _drop_pictures(folder: Path, size: int) -> None:
    """Delete the oldest pictures, at least `size` bytes in all; keep the last one."""
    ours = (each for each in folder.glob("*.jpg") if each.stem.isdecimal() and each.is_file())
    for picture in sorted(ours, key=lambda path: int(path.stem))[:-1]:
        if size <= 0:
            return
        size -= picture.stat().st_size
        picture.unlink()


def _folder_bytes(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
