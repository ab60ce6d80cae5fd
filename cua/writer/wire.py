"""The messages between the agent's process and the writer: fixed sizes, one a packet.

A packet (SOCK_SEQPACKET) is whole or not there, so neither side needs a buffer or a parser that
could get out of step.
"""

from __future__ import annotations

import struct

KEYBOARD, MOUSE, POINTER = ENDPOINTS = range(3)
LENGTHS = (8, 4, 6)
"""Bytes of a report as the agent writes it, by endpoint."""

REQUEST = struct.Struct("<BBBxI8s")
"""Kind, endpoint, bytes of the report that count, number of the request, report."""
REPORT, RELEASE, RELEASE_EVERYTHING, QUERY = range(1, 5)

ANSWER = struct.Struct("<BBBxI16s")
"""Kind, status, endpoint, number of the request that it answers, a detail in ASCII."""
HELLO, DONE, STRANGER, STATE, LAMPS = range(1, 6)
"""Ready for requests; a request is done with; somebody else wrote to the endpoint; the USB side has
changed, and the detail is the kernel's word for how it is now; the computer has set the keyboard's
lamps, whose bits stand in place of an endpoint (a status other than OK: nobody knows any more)."""

OK = 0
ASLEEP = 1
"""The USB side is not configured; the detail is the kernel's word for its state."""
NOT_TAKEN = 2
"""The host is there but does not poll this endpoint."""
MISSING, DENIED, NOBODY, PLAIN_FILE, BROKEN = range(3, 8)
"""The device file cannot be used; for BROKEN the detail is the number of the error."""
ODD_LENGTH = 8
"""The endpoint wants reports that nobody here knows; the detail is their length."""
FORBIDDEN = 9
LET_GO = 10
"""Keys were released meanwhile; what was to go on with them held must not."""
INTERRUPTED = 11
BUSY = 12
"""Another writer holds the devices; the detail is the number of its process."""
NO_JOURNAL = 13


class Failed(Exception):
    """A report was not delivered, or not known to be; `status` says why."""

    def __init__(self, status: int, detail: str | None = "") -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail or ""
