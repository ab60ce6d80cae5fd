"""Our end of the process that lets go when this one is killed or stands still (`cua.sentinel`)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..hid.reports import Endpoint
from ..sentinel import LEASE
from ..types import DeviceError

ROOT = Path(__file__).parent.parent.parent
BEAT = LEASE / 8

_CANNOT_START = (
    "The process that lets go of the keys if this one dies cannot start ({reason}). Restart this "
    "program."
)


class Way(NamedTuple):
    """How it gets to the KVM: see `cua.sentinel`."""

    url: str
    headers: dict[str, str]
    pin: str


class Sentinel:
    """`said`: a report that lets go -> the KVM's own messages.

    It is told before a report goes out what is down with it.
    """

    def __init__(self, said: Callable[[Endpoint, bytes], list[bytes]]) -> None:
        self._said = said
        self._way: Way | None = None
        self._pipe = -1
        self._starting: asyncio.Future[int] | None = None
        self._closed = False
        self._down: dict[Endpoint, bytes] = {}
        self._word = 0.0
        self._beat: asyncio.TimerHandle | None = None
        self._late = False

    async def stand_by(self, way: Way) -> None:
        """Starts it where it is not there, and tells it the way. Raises `DeviceError`."""
        self._way = way
        await self.ready()
        self._tell(way._asdict())

    async def ready(self) -> None:
        """Starts it again where it has ended. Raises `DeviceError`."""
        if self._pipe < 0 and self._way:
            if not self._starting:
                self._starting = asyncio.get_running_loop().run_in_executor(None, _start)
                self._starting.add_done_callback(self._started)
            await asyncio.shield(self._starting)

    def _started(self, start: asyncio.Future[int]) -> None:
        """Also when nobody waits for it any more: the process ends with its pipe alone."""
        self._starting = None
        if start.cancelled() or start.exception():
            return
        self._pipe = start.result()
        if self._closed or not self._way:
            self.close()
        else:
            self._tell({**self._way._asdict(), **self._holding()})

    def hold(self, down: Mapping[Endpoint, bytes]) -> None:
        """What is down from now on, by the reports that let go of it."""
        self._notice()
        if down != self._down:
            self._down = dict(down)
            self._tell(self._holding())
        if down and not self._beat and not self._closed:
            self._renew()

    def stood_still(self) -> bool:
        """Whether this process has, for so long that what was down was let go of; said once."""
        self._notice()
        late, self._late = self._late, False
        return late

    def close(self) -> None:
        """What is still down is let go of by it."""
        self._closed = True
        if self._beat:
            self._beat.cancel()
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1

    def _renew(self) -> None:
        self._beat = None
        if self._down:
            self._notice()
            self._write(b"\n")
            self._beat = asyncio.get_running_loop().call_later(BEAT, self._renew)

    def _notice(self) -> None:
        now = time.monotonic()
        self._late |= bool(self._down) and now - self._word > LEASE
        self._word = now

    def _holding(self) -> dict[str, Any]:
        say = [m.hex() for each in sorted(self._down.items()) for m in self._said(*each)]
        return {"down": bool(self._down), "say": say}

    def _tell(self, facts: dict[str, Any]) -> None:
        self._write(json.dumps(facts).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        """One that has ended is started again by the next report."""
        if self._pipe < 0:
            return
        try:
            os.write(self._pipe, line)
        except OSError:
            os.close(self._pipe)
            self._pipe = -1


def _start() -> int:
    """The pipe to it."""
    read, write = os.pipe()
    try:
        subprocess.run(
            [sys.executable, "-m", "cua.sentinel"],
            stdin=read,
            stdout=subprocess.DEVNULL,  # which may be somebody's pipe
            cwd=ROOT,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        os.close(write)
        raise DeviceError(_CANNOT_START.format(reason=error)) from error
    finally:
        os.close(read)
    os.set_blocking(write, False)
    return write
