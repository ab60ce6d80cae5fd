"""The commands of the terminal. Each returns lines with the seconds to wait before each of them."""

from __future__ import annotations

import time

from ..disk import base
from ..hardware import Hardware

Lines = list[tuple[float, str]]
PING_INTERVAL_S = 0.8


def at_once(*lines: str) -> Lines:
    return [(0.0, line) for line in lines]


class Shell:
    """Runs one line at a time in the home folder."""

    def __init__(self, pc: Hardware) -> None:
        self.pc = pc
        self._commands = {
            "help": self._help,
            "echo": self._echo,
            "ls": self._ls,
            "cat": self._cat,
            "rm": self._rm,
            "mkdir": self._mkdir,
            "date": self._date,
            "whoami": self._whoami,
            "hostname": self._hostname,
            "ping": self._ping,
            "ipconfig": self._ip,
            "ip": self._ip,
        }

    def run(self, line: str) -> Lines:
        if not line:
            return []
        name, *words = line.split()
        if name not in self._commands:
            return at_once(f"{name}: command not found")
        return self._commands[name](words)

    def _help(self, _words: list[str]) -> Lines:
        return at_once("Commands:", "  " + " ".join([*self._commands, "clear"]))

    def _echo(self, words: list[str]) -> Lines:
        """With "> file" at the end it writes a file."""
        if ">" not in words:
            return at_once(" ".join(words).strip("\"'"))
        text, path = words[: words.index(">")], words[words.index(">") + 1 :]
        if len(path) != 1:
            return at_once("echo: one file name is needed after >")
        self.pc.disk.write(path[0], " ".join(text).strip("\"'") + "\n")
        return []

    def _ls(self, words: list[str]) -> Lines:
        folder = words[0].strip("/") if words else ""
        if folder and folder not in self.pc.disk.folders:
            return at_once(f"ls: {folder}: there is no such folder")
        folders, files = self.pc.disk.listing(folder)
        return at_once(*[base(path) + "/" for path in folders], *[base(path) for path in files])

    def _cat(self, words: list[str]) -> Lines:
        lines: Lines = []
        for path in words:
            text = self.pc.disk.files.get(path)
            missing = f"cat: {path}: there is no such file"
            lines += at_once(*([missing] if text is None else text.rstrip("\n").split("\n")))
        return lines

    def _rm(self, words: list[str]) -> Lines:
        missing = [path for path in words if path not in self.pc.disk.files]
        for path in set(words) - set(missing):
            self.pc.disk.delete(path)
        return at_once(*[f"rm: {path}: there is no such file" for path in missing])

    def _mkdir(self, words: list[str]) -> Lines:
        self.pc.disk.folders.update(word.strip("/") for word in words)
        return []

    def _date(self, _words: list[str]) -> Lines:
        return at_once(time.strftime("%a %b %d %H:%M:%S %Y", self.pc.clock()))

    def _whoami(self, _words: list[str]) -> Lines:
        return at_once("user")

    def _hostname(self, _words: list[str]) -> Lines:
        return at_once("pc")

    def _ping(self, words: list[str]) -> Lines:
        if not words:
            return at_once("ping: a host name is needed")
        host = words[-1]
        lines = at_once(f"PING {host}: 56 data bytes")
        for number in range(1, 5):
            lines.append(
                (PING_INTERVAL_S, f"64 bytes from {host}: seq={number} time={10 + number} ms")
            )
        return lines + at_once("4 packets sent, 4 received, 0% loss")

    def _ip(self, _words: list[str]) -> Lines:
        lines: Lines = []
        for name, adapter in self.pc.adapters.items():
            lines += at_once(f"{name}: {adapter.status}", f"    IPv4 address: {adapter.address}")
            lines += at_once(f"    DNS server: {adapter.dns.words()}")
        return lines
