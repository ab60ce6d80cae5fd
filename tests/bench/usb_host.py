"""A USB host at the other end of the HID devices, in a process of its own.

    python -m tests.bench.usb_host PREFIX

Makes FIFOs at PREFIX0..2 and takes from each one report a millisecond, as a high-speed host polls.
Each line on stdin is answered with what came since the last, as JSON: [[endpoint, hex, time]...].
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import sys
import time

from cua.hid.reports import LENGTHS

INTERVAL = 0.001


class Host:
    def __init__(self, prefix: str) -> None:
        self.heard: list[tuple[int, str, float]] = []
        self._ends = [_end(f"{prefix}{number}") for number in range(len(LENGTHS))]
        self._lengths = list(LENGTHS.values())
        self._next = [0.0] * len(LENGTHS)

    def serve(self) -> None:
        """Until stdin ends."""
        print("ready", flush=True)
        while True:
            now = time.monotonic()
            due = [n for n, at in enumerate(self._next) if at <= now]
            late = [at for at in self._next if at > now]
            wait = min(late) - now if late else None
            ends = [self._ends[n] for n in due]
            ready, _, _ = select.select([sys.stdin, *ends], [], [], wait)
            for number in due:
                if self._ends[number] in ready:
                    self._take(number)
            if sys.stdin in ready and not self._tell():
                return

    def _take(self, number: int) -> None:
        report = os.read(self._ends[number], self._lengths[number])
        now = time.monotonic()
        self.heard.append((number, report.hex(), now))
        self._next[number] = now + INTERVAL

    def _tell(self) -> bool:
        line = sys.stdin.readline()
        print(json.dumps(self.heard), flush=True)
        self.heard.clear()
        return bool(line)


def _end(path: str) -> int:
    os.mkfifo(path)
    fd = os.open(path, os.O_RDWR)  # for writing too, so that it never reads as ended
    # One page: then it is writable only while it is empty, as an endpoint is with no report in it.
    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 4096)
    return fd


if __name__ == "__main__":
    with contextlib.suppress(PermissionError):
        os.nice(-10)  # hardware does not wait for other programs
    Host(sys.argv[1]).serve()
