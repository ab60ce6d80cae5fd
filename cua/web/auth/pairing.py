"""Six-digit pairing codes for users who are not logged in to the KVM.

A code is shown on the machine of the service: in its terminal, with a QR code for a phone, in the
system's log, and by `cua_webapp.py pair`. There is one code at a time, for two minutes, five tries
and one use. A code without tries left is not replaced before its time is over.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ...runtime_folder import find_runtime_folder

LIFETIME_S = 120.0
MAX_TRIES = 5
NO_CODE = "none"
"""In the file, in place of a code that has no tries left."""


class PairingCodes:
    """Makes and checks codes. `show` gets each new one.

    `withdraw` is called when one is used or has no tries left, with the seconds without another.
    """

    def __init__(
        self,
        show: Callable[[str], None],
        withdraw: Callable[[float], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._show, self._withdraw = show, withdraw
        self._clock = clock
        self._code = ""
        self._until = 0.0
        self._tries = 0

    def offer(self) -> None:
        """Make and show a code unless one is valid."""
        if self._clock() >= self._until:
            self._code = f"{secrets.randbelow(10**6):06}"
            self._until = self._clock() + LIFETIME_S
            self._tries = MAX_TRIES
            self._show(self._code)

    def redeem(self, code: str) -> None:
        """Check a code, which cannot be used again. Raises `CuaError` if it is not valid."""
        # `pair` reads codes where no package is installed
        from ...messages import Message
        from ...types import CuaError

        left = self._until - self._clock()
        if left <= 0:
            raise CuaError(Message("session.code_expired"))
        if self._tries > 0:
            self._tries -= 1
            if secrets.compare_digest(code.encode(), self._code.encode()):
                self._until = 0.0
                self._withdraw(0.0)
                return
            if self._tries > 0:
                raise CuaError(Message("session.code_wrong"))
            self._withdraw(left)
        raise CuaError(Message("session.code_spent", seconds=round(left)))


class CodeDisplay:
    """Shows codes in the terminal, the log and a file. `addresses`: URLs of the service."""

    def __init__(self, addresses: list[str], port: int) -> None:
        self._addresses = addresses
        self._file = _file(port)

    @property
    def is_interactive(self) -> bool:
        """Whether a terminal can show a code before a page asks for one."""
        return sys.stderr.isatty()

    def show(self, code: str) -> None:
        words = f"Pairing code: {code} (two minutes, five tries)"
        if self.is_interactive:
            sys.stderr.write(f"{_draw_qr_code(f'{self._addresses[0]}#{code}')}{words}\n")
        else:
            sys.stderr.write(f"{words}\n")
            if not writes_to_journal(sys.stderr.fileno()):
                import syslog

                syslog.syslog(syslog.LOG_NOTICE, f"cua: {words}")
        sys.stderr.flush()
        self._write_file(code, LIFETIME_S)

    def withdraw(self, seconds: float) -> None:
        """Tell `pair` that the code cannot be used, and how long there is no other."""
        self._write_file(NO_CODE, seconds)

    def close(self) -> None:
        self._file.unlink(missing_ok=True)

    def _write_file(self, code: str, seconds: float) -> None:
        """Write the code and its end for `pair`, if the folder is writable."""
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            self._file.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(self._file, flags, 0o600), "w") as file:
                file.write(f"{code} {time.monotonic() + seconds}")


def find_code(port: int) -> tuple[bool, str]:
    """Return whether a code is valid, and the text of `pair`."""
    code, left = _read_file(_file(port))
    if code == NO_CODE and left > 0:
        return False, f"Too many wrong codes. A page can ask for a new one in {left:.0f} s."
    if left > 0:
        return True, f"Pairing code: {code} ({left:.0f} s left)"
    others = [
        file.suffix[1:]
        for file in find_runtime_folder().glob("code.*")
        if (found := _read_file(file))[1] > 0 and found[0] != NO_CODE
    ]
    if others:
        return False, f"No code is valid for port {port}; one is at --port {others[0]}"
    return False, 'No code is valid. Open the page, or press "Try again" in it, then ask again.'


def _read_file(file: Path) -> tuple[str, float]:
    """Return the code and its remaining seconds."""
    try:
        code, until = file.read_text().split()
        return code, float(until) - time.monotonic()
    except (OSError, ValueError):
        return "", 0.0


def _file(port: int) -> Path:
    return find_runtime_folder() / f"code.{port}"


def writes_to_journal(descriptor: int) -> bool:
    """Whether systemd connected a file descriptor to its journal, which has the system's log."""
    about = os.fstat(descriptor)
    return os.environ.get("JOURNAL_STREAM") == f"{about.st_dev}:{about.st_ino}"


def _draw_qr_code(url: str) -> str:
    import io

    import segno

    out = io.StringIO()
    segno.make(url, error="l").terminal(out, compact=True, border=2)
    return out.getvalue()
