"""Who listens on a TCP port of this machine, from /proc: the answer to "address already in use"."""

from __future__ import annotations

import contextlib
from pathlib import Path

_LISTEN = "0A"


def holder(port: int, proc: Path = Path("/proc")) -> str:
    """ "it is held by process 1234 (python x.py)", or "" where nobody is seen to listen."""
    inodes = {f"socket:[{inode}]" for inode in _listening(port, proc)}
    for process in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or gone
            if inodes & _held(process):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                return f"it is held by process {process.name} ({command})"
    return "it is held by another user's program" if inodes else ""


def _held(process: Path) -> set[str]:
    found = set()
    for fd in (process / "fd").iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile
            found.add(str(fd.readlink()))
    return found


def _listening(port: int, proc: Path) -> list[str]:
    found = []
    for table in ("tcp", "tcp6"):
        try:
            lines = (proc / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        rows = [line.split() for line in lines]
        found += [
            row[9] for row in rows if row[3] == _LISTEN and int(row[1].split(":")[1], 16) == port
        ]
    return found
