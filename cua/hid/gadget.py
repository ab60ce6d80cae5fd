"""The KVM's own USB gadget: /dev/hidg0 (keyboard), hidg1 (relative mouse), hidg2 (pointer).

Non-blocking throughout. The kernel keeps one report per endpoint in flight and refuses the next
until the host has polled, so "writable again" is the host's acknowledgement. A host that is asleep
or unplugged must cost milliseconds, never a blocked program with a key down.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import time
from pathlib import Path

from ..types import DeviceError
from .strokes import LENGTHS, Endpoint

DEADLINE = 0.05
"""Seconds that a report may wait for the host."""
RELEASE_DEADLINE = 0.02
"""Seconds that a release may wait; it blocks, so that nothing can come between."""

_NOT_LISTENING = (
    "The computer does not take {what} input: it may be asleep, switched off, or the KVM's USB "
    "cable is not connected. Wake it or check the cable, then send again."
)
_WHAT: dict[Endpoint, str] = {"keyboard": "keyboard", "mouse": "mouse", "pointer": "mouse"}
_RELEASED: dict[Endpoint, bytes] = {"keyboard": bytes(8), "mouse": bytes(4)}


class Gadget:
    """Writes reports to `<prefix>0`, `1` and `2`, which may be FIFOs that stand for them.

    Knows what it has left pressed; a report that was refused counts as pressed until a release has
    gone out.
    """

    def __init__(self, prefix: str = "/dev/hidg") -> None:
        self._paths: dict[Endpoint, Path] = {
            endpoint: Path(f"{prefix}{n}") for n, endpoint in enumerate(LENGTHS)
        }
        self._fds: dict[Endpoint, int] = {}
        self._last: dict[Endpoint, bytes] = {}
        self._owed: set[Endpoint] = set()

    def missing(self) -> list[str]:
        """The paths that are not there."""
        return [str(path) for path in self._paths.values() if not path.exists()]

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """Hand one report to the host. Raises `DeviceError` after 50 ms of refusal."""
        if len(report) != LENGTHS[endpoint]:
            raise DeviceError(f"A {endpoint} report has {LENGTHS[endpoint]} bytes: {report.hex()}")
        fd = self._open(endpoint)
        if not _resting(endpoint, report):
            self._owed.add(endpoint)
        deadline = time.monotonic() + DEADLINE
        while not self._try(endpoint, fd, report):
            left = deadline - time.monotonic()
            if left <= 0 or not await _writable(fd, left):
                raise DeviceError(_NOT_LISTENING.format(what=_WHAT[endpoint]))
        if _resting(endpoint, report):
            self._owed.discard(endpoint)

    def release(self) -> None:
        """All keys and buttons up, now; the pointer stays where it is.

        Blocks for at most 20 ms per endpoint: a release is often refused only because the report
        before it is still in flight, and dropping it would leave a key held.
        """
        for endpoint in sorted(self._owed):
            self._release(endpoint)

    def release_everything(self) -> None:
        """For the start: a predecessor that was killed may have left keys or buttons down.

        The absolute pointer is left alone, since a report would move it to a place of our choosing.
        """
        self._owed |= {"keyboard", "mouse"}
        self.release()

    def close(self) -> None:
        self.release()
        for fd in self._fds.values():
            os.close(fd)
        self._fds.clear()

    def _release(self, endpoint: Endpoint) -> None:
        report = _RELEASED.get(endpoint) or _buttons_up(self._last.get(endpoint))
        if report is None:  # refused before any pointer report was taken: nothing can be down
            self._owed.discard(endpoint)
            return
        deadline = time.monotonic() + RELEASE_DEADLINE
        while True:
            try:
                if self._try(endpoint, self._open(endpoint), report):
                    self._owed.discard(endpoint)
                    return
            except DeviceError:
                return  # still owed; the next write or release tries again
            if time.monotonic() > deadline:
                return
            time.sleep(0.001)

    def _open(self, endpoint: Endpoint) -> int:
        fd = self._fds.get(endpoint)
        if fd is not None:
            return fd
        path = self._paths[endpoint]
        try:
            fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise DeviceError(_cannot_open(path, error)) from error
        if stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise DeviceError(f"{path} is a plain file, not a HID device; remove it and reconnect.")
        self._fds[endpoint] = fd
        return fd

    def _try(self, endpoint: Endpoint, fd: int, report: bytes) -> bool:
        """Whether the report was taken; False if the host has not polled the last one yet."""
        try:
            os.write(fd, report)
        except BlockingIOError:
            return False
        except OSError as error:
            self._forget(endpoint)
            raise DeviceError(_NOT_LISTENING.format(what=_WHAT[endpoint])) from error
        self._last[endpoint] = report
        return True

    def _forget(self, endpoint: Endpoint) -> None:
        """The device has gone away; the next write opens it anew."""
        os.close(self._fds.pop(endpoint))


def _resting(endpoint: Endpoint, report: bytes) -> bool:
    return not any(report) if endpoint == "keyboard" else report[0] == 0


def _buttons_up(report: bytes | None) -> bytes | None:
    return None if report is None else bytes([0, *report[1:5], 0])


async def _writable(fd: int, seconds: float) -> bool:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_writer(fd, ready.set)
    try:
        await asyncio.wait_for(ready.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    finally:
        loop.remove_writer(fd)
    return True


def _cannot_open(path: Path, error: OSError) -> str:
    if error.errno == errno.ENXIO:
        return f"Nobody takes input at {path}: the KVM's USB side is not running."
    if error.errno == errno.EACCES:
        return f"No permission to write to {path}: start this program as root."
    if error.errno == errno.ENOENT:
        return f"{path} is missing: this machine has no KVM keyboard and mouse. Try --demo."
    return f"Cannot open {path}: {error.strerror}."
