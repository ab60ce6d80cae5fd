"""The pressed endpoints and the pointer's place, in a file on /run that outlives the process.

The state is one 64-bit word in shared memory, stored at once, so a kill cannot leave half of it. It
is written before the report that it describes; the next writer releases what is still pressed.
"""

from __future__ import annotations

import fcntl
import mmap
import os

from .packets import BUSY, NO_JOURNAL, WriterError

MAGIC = int.from_bytes(b"CUA-HID1", "little")
_MAGIC, _STATE, _OWNER = range(3)
SIZE_BYTES = 3 * 8
_PLACE_KNOWN = 1 << 8


class Journal:
    """Locks the file, which stands for the devices. Raises `WriterError`."""

    def __init__(self, path: str) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self._fd = os.open(path, flags, 0o600)
        except OSError as error:
            raise WriterError(NO_JOURNAL, str(error.errno)) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = int.from_bytes(os.pread(self._fd, 8, _OWNER * 8), "little")
            os.close(self._fd)
            raise WriterError(BUSY, str(owner)) from error
        os.ftruncate(self._fd, SIZE_BYTES)
        self._map = mmap.mmap(self._fd, SIZE_BYTES)
        self._words = memoryview(self._map).cast("Q")
        if self._words[_MAGIC] != MAGIC:
            self._words[_STATE] = 0
            self._words[_MAGIC] = MAGIC
        self._words[_OWNER] = os.getppid()

    @property
    def pressed_mask(self) -> int:
        """A bit for each endpoint on which a key or button may be pressed."""
        return self._words[_STATE] & 0xFF

    @property
    def place(self) -> bytes | None:
        """The four bytes of the pointer's place, None before the first report."""
        word = self._words[_STATE]
        return (word >> 16).to_bytes(4, "little") if word & _PLACE_KNOWN else None

    def mark_pressed(self, endpoint: int) -> None:
        self._words[_STATE] |= 1 << endpoint

    def mark_released(self, endpoint: int) -> None:
        self._words[_STATE] &= ~(1 << endpoint)

    def set_place(self, place: bytes) -> None:
        self._words[_STATE] = (
            self.pressed_mask | _PLACE_KNOWN | int.from_bytes(place, "little") << 16
        )
