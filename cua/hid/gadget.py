"""The KVM's own USB gadget: /dev/hidg0 (keyboard), hidg1 (relative mouse), hidg2 (pointer).

A separate process (`cua.hid.writer`) writes the reports, so that no key stays down if this process
dies. This is its client side, and the messages for its answers.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from ..messages import Message, system_reason
from ..runtime_folder import find_runtime_folder
from ..types import DeviceError, InputReleased
from .reports import ENDPOINTS, Endpoint
from .writer import packets
from .writer_client import Answer, WriterLink, ended_error

REAL_PREFIX = "/dev/hidg"
HOST_TIMEOUT_S = 8.0
"""Time after which an action fails if the computer does not accept a report."""
_SETTINGS = {packets.MISSING: "kvm", packets.PLAIN_FILE: "hid_prefix"}
"""Status of the writer -> the setting that fixes it."""


class Gadget:
    """Writes reports to `<prefix>0`, `1` and `2`, which may be FIFOs, through the writer process.

    Callbacks run in the event loop: `on_foreign_write` when another process writes to an endpoint,
    `on_state` with the reason why the computer cannot take input ("" when it can again). `system`
    is the mount point of sysfs, "" for none; by default it is used for the real devices only.
    """

    WRITER = "cua.hid.writer"

    def __init__(
        self,
        prefix: str = REAL_PREFIX,
        on_foreign_write: Callable[[Endpoint], None] = lambda _: None,
        on_state: Callable[[str], None] = lambda _: None,
        *,
        system: str | None = None,
    ) -> None:
        self._prefix = prefix
        self._on_foreign_write = on_foreign_write
        self._on_state = on_state
        self.leds: int | None = None
        """See `hid.inputs.Device`."""
        self._journal = _journal_path(prefix)
        if system is None:
            system = "/sys" if prefix == REAL_PREFIX else ""
        arguments = (prefix, str(self._journal), system)
        self._link = WriterLink(self.WRITER, arguments, self._handle_notice)

    @property
    def writer_pid(self) -> int | None:
        return self._link.pid

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        """Return when the host has received the report, exactly once.

        Renews the lease: keys stay pressed for 250 ms without another request. Until the host
        receives the report, the request is repeated every 50 ms, which also renews the lease.

        Raises `DeviceError` after `HOST_TIMEOUT_S`, and `InputReleased` if the report relies on
        keys that have been released in between.
        """
        request = (packets.REPORT, ENDPOINTS.index(endpoint), report)
        until, writer = time.monotonic() + HOST_TIMEOUT_S, self.writer_pid
        answer, queued = await self._link.ask(*request), False
        while answer.status in (packets.QUEUED, packets.NOT_TAKEN) and time.monotonic() < until:
            queued |= answer.status == packets.QUEUED
            if self.writer_pid != writer:  # a new one does not know the queued report
                raise ended_error()
            answer = await self._link.ask(*request, number=answer.number)
        if answer.status != packets.OK:
            released = answer.status == packets.INPUT_RELEASED and not queued
            kind = InputReleased if released else DeviceError
            message = self.describe(answer.status, answer.detail, endpoint, report)
            raise kind(message, setting=_SETTINGS.get(answer.status, ""))

    def release(self, *, everything: bool = False) -> None:
        """Release all keys and buttons now; the pointer stays where it is.

        `everything`: also keys and buttons that another program may have pressed, except those of
        the absolute pointer, which a report would move. Blocks the event loop, at most 0.2 s if
        the host does not answer: a release must not be cancelled.
        """
        kind = packets.RELEASE_EVERYTHING if everything else packets.RELEASE
        for _ in range(2):  # the second attempt uses a new writer
            with contextlib.suppress(DeviceError):  # still due; the next write raises the reason
                if self._link.ask_now(kind):
                    return

    async def state(self) -> str:
        """Return the kernel's USB state: "configured" if a host is connected, "" if unknown."""
        return (await self._link.ask(packets.QUERY)).detail

    def close(self) -> None:
        self._link.close()

    def describe(self, status: int, detail: str, endpoint: Endpoint, report: bytes) -> Message:
        """Return a message for a status of the writer, with what to do."""
        path, devices = f"{self._prefix}{ENDPOINTS.index(endpoint)}", f"{self._prefix}*"
        device = Message("hid.keyboard" if endpoint == "keyboard" else "hid.mouse")
        not_taken = Message("hid.not_taken", device=device)
        reason = system_reason(os.strerror(int(detail))) if detail.isdecimal() else detail
        return {
            packets.ASLEEP: Message("hid.asleep", device=device, state=detail),
            packets.NOT_TAKEN: not_taken,
            packets.QUEUED: not_taken,
            packets.MISSING: Message("hid.missing", path=path),
            packets.DENIED: Message("hid.denied", path=path, user=os.geteuid(), devices=devices),
            packets.NO_READER: Message("hid.no_reader", path=path),
            packets.PLAIN_FILE: Message("hid.plain_file", path=path),
            packets.BROKEN: Message("hid.broken", path=path, reason=reason),
            packets.ODD_LENGTH: Message("hid.odd_length", path=path, length=detail),
            packets.FORBIDDEN: Message("hid.forbidden", path=path, report=report.hex()),
            packets.INPUT_RELEASED: Message("hid.released"),
            packets.BUSY: Message("hid.busy", pid=detail),
            packets.NO_JOURNAL: Message("hid.no_journal", path=str(self._journal), reason=reason),
        }[status]

    def _handle_notice(self, notice: Answer) -> None:
        if notice.kind == packets.FOREIGN_WRITE:
            self._on_foreign_write(ENDPOINTS[notice.endpoint])
        elif notice.kind == packets.LEDS:
            self.leds = notice.endpoint if notice.status == packets.OK else None
        else:
            self._on_state(_describe_state(notice.detail))


def _describe_state(state: str) -> str:
    """Return a message for the kernel's USB state; "" if input is possible or it is unknown."""
    if state in ("", "configured"):
        return ""
    if state == "suspended":
        return Message("hid.suspended")
    gone = state in ("not attached", "disconnected")
    return Message("hid.not_attached") if gone else Message("hid.attaching")


def _journal_path(prefix: str) -> Path:
    """Return the path of the writer's journal: beside FIFOs, else where a restart finds it."""
    if not prefix.startswith("/dev/"):
        return Path(f"{prefix}.journal")
    folder = find_runtime_folder()
    with contextlib.suppress(OSError):  # the writer reports it
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder / "hid"
