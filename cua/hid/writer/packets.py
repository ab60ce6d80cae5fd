"""The packets between the agent's process and the writer: one of fixed size per message.

A packet (SOCK_SEQPACKET) arrives whole or not at all, so neither side needs a buffer or a parser
that could lose its place.
"""

from __future__ import annotations

import struct

KEYBOARD, MOUSE, POINTER = ENDPOINTS = range(3)
LENGTHS = (8, 4, 6)
"""Bytes of a report, by endpoint."""

REQUEST = struct.Struct("<BBBxI8s")
"""Kind, endpoint, length of the report, number of the request, report."""
REPORT, RELEASE, RELEASE_EVERYTHING, QUERY = range(1, 5)

ANSWER = struct.Struct("<BBBxI16s")
"""Kind, status, endpoint, number of the answered request, a detail in ASCII."""
HELLO, DONE, FOREIGN_WRITE, STATE, LEDS = range(1, 6)
"""HELLO: ready for requests. DONE: a request was handled. FOREIGN_WRITE: another process wrote to
the endpoint. STATE: the USB side has changed; the detail is the kernel's state of it. LEDS: the
computer has set the keyboard's LEDs; their bits replace the endpoint (a status other than OK:
unknown)."""

LEASE_S = 0.25
"""Longest press without a request; a desktop repeats a key that is pressed longer."""

OK = 0
ASLEEP = 1
"""The USB side is not configured; the detail is the kernel's state of it."""
NOT_TAKEN = 2
"""The host does not poll this endpoint, so the report was not written."""
MISSING, DENIED, NO_READER, PLAIN_FILE, BROKEN = range(3, 8)
"""The device file cannot be used; for BROKEN the detail is the number of the error."""
ODD_LENGTH = 8
"""The endpoint wants reports of an unknown format; the detail is their length."""
FORBIDDEN = 9
INPUT_RELEASED = 10
"""The report is refused: it relies on a press that was released in between."""
BUSY = 11
"""Another writer has locked the devices; the detail is its process ID."""
NO_JOURNAL = 12
"""The journal cannot be opened; the detail is the number of the error."""
QUEUED = 13
"""The kernel has the report and the host has not polled it: the same request with the same number
continues to wait and writes nothing."""


class WriterError(Exception):
    """A report was not, or perhaps not, delivered; `status` gives the reason."""

    def __init__(self, status: int, detail: str | None = "") -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail or ""


def pack_answer(
    kind: int, status: int = OK, endpoint: int = 0, number: int = 0, detail: str = ""
) -> bytes:
    return ANSWER.pack(kind, status, endpoint, number, detail.encode()[:16])
