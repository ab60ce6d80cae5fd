"""The commands of the terminal; they return lines, each with the seconds to wait before it."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..disk import base_name
from ..hardware import Hardware

Lines = list[tuple[float, str]]
PING_INTERVAL_S = 0.8


def run_command(pc: Hardware, line: str) -> Lines:
    if not line:
        return []
    name, *words = line.split()
    if name not in COMMANDS:
        return print_now(f"{name}: command not found")
    return COMMANDS[name](pc, words)


def print_now(*lines: str) -> Lines:
    return [(0.0, line) for line in lines]


def _echo(pc: Hardware, words: list[str]) -> Lines:
    """Write a file if the line ends with "> file"."""
    if ">" not in words:
        return print_now(" ".join(words).strip("\"'"))
    text, path = words[: words.index(">")], words[words.index(">") + 1 :]
    if len(path) != 1:
        return print_now("echo: one file name is needed after >")
    pc.disk.write(path[0], " ".join(text).strip("\"'") + "\n")
    return []


def _ls(pc: Hardware, words: list[str]) -> Lines:
    folder = words[0].strip("/") if words else ""
    if folder and folder not in pc.disk.folders:
        return print_now(f"ls: {folder}: there is no such folder")
    folders, files = pc.disk.list_folder(folder)
    return print_now(*[base_name(path) + "/" for path in folders], *map(base_name, files))


def _cat(pc: Hardware, words: list[str]) -> Lines:
    texts = [pc.disk.files.get(p, f"cat: {p}: there is no such file") for p in words]
    return print_now(*[line for text in texts for line in text.rstrip("\n").split("\n")])


def _rm(pc: Hardware, words: list[str]) -> Lines:
    """Delete files and, with -r, folders; -f ignores missing ones."""
    options = "".join(word for word in words if word[:1] == "-" != word[1:2]).lower()
    failed = []
    for path in (word.rstrip("/") for word in words if not word.startswith("-")):
        if path in pc.disk.files or ("r" in options and path in pc.disk.folders):
            pc.disk.delete(path)
        elif path in pc.disk.folders:
            failed.append(f"rm: {path}: it is a folder")
        elif "f" not in options:
            failed.append(f"rm: {path}: there is no such file")
    return print_now(*failed)


def _mkdir(pc: Hardware, words: list[str]) -> Lines:
    pc.disk.folders.update(word.strip("/") for word in words)
    return []


def _ping(_pc: Hardware, words: list[str]) -> Lines:
    if not words:
        return print_now("ping: a host name is needed")
    host = words[-1]
    answers = [f"64 bytes from {host}: seq={n} time={10 + n} ms" for n in range(1, 5)]
    return [
        (0.0, f"PING {host}: 56 data bytes"),
        *[(PING_INTERVAL_S, answer) for answer in answers],
        (0.0, "4 packets sent, 4 received, 0% loss"),
    ]


def _ip(pc: Hardware, _words: list[str]) -> Lines:
    lines = []
    for name, adapter in pc.adapters.items():
        lines += [f"{name}: {adapter.status}", f"    IPv4 address: {adapter.address}"]
        lines += [f"    DNS server: {adapter.dns.describe()}"]
    return print_now(*lines)


COMMANDS: dict[str, Callable[[Hardware, list[str]], Lines]] = {
    "help": lambda _pc, _words: print_now("Commands:", "  " + " ".join(COMMANDS)),
    "echo": _echo,
    "ls": _ls,
    "cat": _cat,
    "rm": _rm,
    "mkdir": _mkdir,
    "date": lambda _pc, _words: print_now(time.strftime("%a %b %d %H:%M:%S %Y")),
    "whoami": lambda _pc, _words: print_now("user"),
    "hostname": lambda _pc, _words: print_now("pc"),
    "ping": _ping,
    "ipconfig": _ip,
    "ip": _ip,
    "clear": lambda _pc, _words: [],
}
