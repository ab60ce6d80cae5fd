"""The KVM's own USB gadget: /dev/hidg0 (keyboard), hidg1 (relative mouse), hidg2 (pointer).

A process of its own writes to them (`cua.writer`), so that no key stays down whatever becomes of
this one; here is what the hands see of it, and what its answers mean in words.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from ..types import DeviceError
from ..writer import wire
from .link import Answer, Link
from .reports import LENGTHS, Endpoint

REAL = "/dev/hidg"
ENDPOINTS: tuple[Endpoint, ...] = tuple(LENGTHS)

WORDS = {
    # What the writer's status means, and what to do about it.
    wire.ASLEEP: "The computer takes no {what} input: it is asleep, switched off, or not connected "
    "by USB (the KVM says: {detail}). Wake it or check the cable, then send again.",
    wire.NOT_TAKEN: "The computer does not take {what} input: it may be asleep, switched off, or "
    "show a screen that does not use it. Wake it or check the KVM's USB cable, then send again.",
    wire.MISSING: "{path} is missing: this machine is no KVM, or the KVM's USB side is being "
    "restarted. Send again in a moment, or try --demo.",
    wire.DENIED: "No permission to write to {path}: start this program as root.",
    wire.NOBODY: "Nobody takes input at {path}: the KVM's USB side is not running.",
    wire.PLAIN_FILE: "{path} is a plain file, not a HID device; remove it and reconnect.",
    wire.BROKEN: "Cannot write to {path}: {detail}. Reset HID at the KVM's own page.",
    wire.ODD_LENGTH: "{path} wants reports of {detail} bytes, which this program does not know. "
    "Update this program, or the KVM.",
    wire.FORBIDDEN: "The report {report} is none that may go to {path}; it was not sent.",
    wire.LET_GO: "What was held down had to be let go in the middle of this, because the program "
    "stood still or its writer was ended. Look at the screen, then send again.",
    wire.INTERRUPTED: "The report to {path} was given up for something more urgent.",
    wire.BUSY: "Another copy of this program (process {detail}) holds the keyboard and mouse. "
    "End it, then send again.",
    wire.NO_JOURNAL: "Cannot keep {journal}: {detail}. Start this program as root.",
}


STATES = {
    # The kernel's word for the USB side, and what it means; others are on the way to the first.
    "configured": "",
    "suspended": "The computer is asleep, and takes no keys until somebody wakes it.",
    "not attached": "The computer does not see the KVM's keyboard: it is switched off, or the "
    "KVM's USB cable is not connected to it.",
}
STATES["disconnected"] = STATES["not attached"]
_COMING = "The computer is getting to know the KVM's keyboard."


class Gadget:
    """Has reports written to `<prefix>0`, `1` and `2`, which may be FIFOs that stand for them.

    `on_stranger` is called, in the event loop, when somebody else writes to an endpoint, `on_state`
    with a sentence when the computer cannot take input from now on, and with "" when it can, and
    `on_lamps` with the bits of the keyboard's lamps, None when nobody knows them any more.
    `system` is where the kernel tells about the USB side; by default only for the real devices.
    """

    WRITER = "cua.writer"

    def __init__(
        self,
        prefix: str = REAL,
        on_stranger: Callable[[Endpoint], None] = lambda _: None,
        on_state: Callable[[str], None] = lambda _: None,
        on_lamps: Callable[[int | None], None] = lambda _: None,
        *,
        system: str | None = None,
    ) -> None:
        self._paths: dict[Endpoint, Path] = {
            endpoint: Path(f"{prefix}{n}") for n, endpoint in enumerate(ENDPOINTS)
        }
        self._on_stranger = on_stranger
        self._on_state = on_state
        self._on_lamps = on_lamps
        self._journal = _journal(prefix)
        if system is None:
            system = "/sys" if prefix == REAL else ""
        arguments = (prefix, str(self._journal), system)
        self._link = Link(self.WRITER, arguments, self._met)

    @property
    def writer(self) -> int | None:
        """The number of the writer's process."""
        return self._link.pid

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """Returns when the host has taken the report. Raises `DeviceError` after 50 ms of refusal.

        Renews the lease: what is down stays so for 250 ms without another word.
        """
        if len(report) != LENGTHS[endpoint]:
            raise DeviceError(f"A {endpoint} report has {LENGTHS[endpoint]} bytes: {report.hex()}")
        answer = await self._link.ask(wire.REPORT, ENDPOINTS.index(endpoint), report)
        if answer.status != wire.OK:
            raise self._error(answer, endpoint, report)

    def release(self) -> None:
        """All keys and buttons up, now; the pointer stays where it is.

        The event loop stands still meanwhile, 0.1 s at most with a host that does not answer: a
        release that could be cancelled would be none.
        """
        self._ask_now(wire.RELEASE)

    def release_everything(self) -> None:
        """For the start: somebody else may have left keys or buttons down.

        The absolute pointer is left alone, since a report would move it to a place of our choosing.
        """
        self._ask_now(wire.RELEASE_EVERYTHING)

    async def state(self) -> str:
        """The kernel's word for the USB side, "configured" when a host listens; "" if unknown."""
        return (await self._link.ask(wire.QUERY)).detail

    def close(self) -> None:
        self._link.close()

    def _ask_now(self, kind: int) -> None:
        for _ in range(2):  # the second time, of a new writer
            with contextlib.suppress(DeviceError):  # still owed; the next write says why
                if self._link.ask_now(kind):
                    return

    def _met(self, notice: Answer) -> None:
        if notice.kind == wire.STRANGER:
            self._on_stranger(ENDPOINTS[notice.endpoint])
        elif notice.kind == wire.LAMPS:
            self._on_lamps(notice.endpoint if notice.status == wire.OK else None)
        else:
            self._on_state(STATES.get(notice.detail, _COMING) if notice.detail else "")

    def _error(self, answer: Answer, endpoint: Endpoint, report: bytes) -> DeviceError:
        words = WORDS[answer.status].format(
            what="keyboard" if endpoint == "keyboard" else "mouse",
            path=self._paths[endpoint],
            detail=answer.detail,
            report=report.hex(),
            journal=self._journal,
        )
        return DeviceError(words)


def _journal(prefix: str) -> Path:
    """Where the writer keeps what is down: beside stand-ins, else where a restart finds it."""
    if not prefix.startswith("/dev/"):
        return Path(f"{prefix}.journal")
    run = "/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")  # noqa: S108
    folder = Path(run) / "cua"
    with contextlib.suppress(OSError):  # the writer says so in words
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder / "hid"
