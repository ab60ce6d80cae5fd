"""A writer process, spoken to in its own messages: what a test does, the agent's process could."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

from cua.hid.writer import packets
from cua.hid.writer_client import Answer

ROOT = Path(__file__).parent.parent.parent
A = bytes([0, 0, 4, 0, 0, 0, 0, 0])
UP = bytes(8)
HELD = bytes([1, 0x10, 0x20, 0x30, 0x40, 0])
"""The pointer with the left button down."""


class RawWriter:
    def __init__(self, prefix: str, system: str = "", module: str = "cua.hid.writer") -> None:
        self.journal = Path(f"{prefix}.journal")
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-S", "-E", "-m", module, prefix, str(self.journal), system]
        self.process = subprocess.Popen(
            ["nice", *command],  # as a service on a KVM lowers its own priority
            stdin=theirs.fileno(),
            cwd=ROOT,
        )
        theirs.close()
        self.socket.settimeout(10)
        self._number = 0
        self.greeting = self.hear()

    def hear(self) -> Answer:
        packet = self.socket.recv(64)
        assert packet, "the writer ended"
        return Answer.read(packet)

    def send(self, kind: int, endpoint: int = 0, report: bytes = b"", length: int = -1) -> int:
        self._number += 1
        length = len(report) if length < 0 else length
        self.socket.send(packets.REQUEST.pack(kind, endpoint, length, self._number, report))
        return self._number

    def ask(self, kind: int, endpoint: int = 0, report: bytes = b"", length: int = -1) -> int:
        """The status of its answer."""
        return self.answer(self.send(kind, endpoint, report, length)).status

    def answer(self, number: int) -> Answer:
        while (heard := self.hear()).number != number:
            pass
        return heard

    def says(self, seconds: float) -> bool:
        """Whether it says anything in that time."""
        return bool(select.select([self.socket], [], [], seconds)[0])

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def hang_up(self) -> None:
        self.socket.close()

    def close(self) -> None:
        self.socket.close()
        self.process.wait(5)
