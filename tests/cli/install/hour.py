"""A stranger's first hour in bare Debian roots: `python -m tests.cli.install.hour [RELEASE ...]`.

Prints a line for each point of `tests.cli.install.points`, done as root and as an ordinary user,
with this machine's network or with loopback alone. Needs root, as
`tests.cli.install.debian_root` does.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cua.cli.install import bundle
from cua.cli.install.pip import Target
from tests.cli.install.debian_root import Root, root
from tests.cli.install.points import BARE, BUNDLE, ONLINE, Point
from tests.support.kvm_hardware import ROOT, any_free_port

RELEASES = ("bookworm", "trixie")
HOMES = {"root": "/root", "user": "/home/user"}
HOSTS = "127.0.0.1 localhost\n"
"""Debian's installer writes it; a root has none."""
USER = "user:x:1000:1000::/home/user:/bin/sh\n"
TIMEOUT_S = 3600
LOOPBACK = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


class Stranger:
    """A user at a newly installed system; `failed` lists the points that do not hold."""

    def __init__(self, system: Root, name: str) -> None:
        self._system, self._name = system, name
        self._home = system.folder / HOMES[name].lstrip("/")
        self.failed: list[str] = []

    def unpack(self, archive: bytes) -> None:
        """In place of the program that is there."""
        subprocess.run(["rm", "-rf", self._home / "cua"], check=True)
        (self._home / "cua").mkdir()
        command = ["tar", "--no-same-owner", "-C", str(self._home), "-xf", "-"]
        subprocess.run(command, input=archive, check=True)
        subprocess.run(
            ["chown", "-R", "1000" if self._name == "user" else "0", self._home], check=True
        )

    def do(self, points: Sequence[Point]) -> None:
        for point in points:
            who = "root" if point.only == "root" else self._name
            if point.only in ("", "root", self._name):
                self._report(point, who, *self._type(point, who))

    def _type(self, point: Point, who: str) -> tuple[int, str, float]:
        """The exit code, what was said, seconds."""
        began = time.monotonic()
        done = subprocess.run(
            [
                *(() if point.network else LOOPBACK),
                *("chroot", *(["--userspec=1000:1000"] if who == "user" else [])),
                *(self._system.folder, "timeout", str(TIMEOUT_S)),
                *("sh", "-c", f"cd {HOMES[self._name]}/cua; {point.command}"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME": HOMES[who],
                "PORT": str(any_free_port()),
            },
            check=False,
        )
        return done.returncode, done.stdout.decode(errors="replace"), time.monotonic() - began

    def _report(self, point: Point, who: str, code: int, said: str, seconds: float) -> None:
        holds = (
            code == point.code
            and re.search(point.said, said, re.MULTILINE | re.DOTALL)
            and "Traceback" not in said
        )
        network = "online" if point.network else "offline"
        line = f"{who:4} {network:7} {seconds:4.0f} s  {point.name}"
        if not holds:
            self.failed.append(line)
            line += f"\n    FAILED with {code}, expected {point.code}: {point.said}\n{said[-3000:]}"
        _say(f"{'ok  ' if holds else 'FAIL'} {line}")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _archive(folder: str) -> bytes:
    """The checkout, as it was committed last."""
    command = ["git", "-C", str(ROOT), "archive", f"--prefix={folder}/", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def _bundle(python: str) -> bytes:
    major, minor = python.split(".")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bundle.tar.gz"
        target = Target(os.uname().machine, (int(major), int(minor)))
        bundle.make(ROOT, target, file, ["local"])
        return subprocess.run(["gzip", "-dc", file], check=True, capture_output=True).stdout


@contextlib.contextmanager
def _fresh(system: Root) -> Iterator[Root]:
    """The same system; what is written to it is forgotten."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", work], check=True)
        for each in ("upper", "work", "system"):
            (work / each).mkdir()
        options = f"lowerdir={system.folder},upperdir={work}/upper,workdir={work}/work"
        mounts = (
            ("-t", "overlay", "-o", options, "overlay", work / "system"),
            ("-t", "proc", "proc", work / "system" / "proc"),
        )
        for mount in mounts:
            subprocess.run(["mount", *mount], check=True)
        try:
            (work / "system/home/user").mkdir(parents=True)
            with (work / "system/etc/passwd").open("a") as accounts:
                accounts.write(USER)
            (work / "system/etc/hosts").write_text(HOSTS)
            yield Root(work / "system")
        finally:
            subprocess.run(["umount", "--lazy", "--recursive", work], check=True)


def walk(release: str) -> list[str]:
    """The points of a release that do not hold."""
    bare = root("amd64", release=release)
    checkout, bundled = _archive("cua"), _bundle(bare.python())
    failed = []
    for name in HOMES:
        with _fresh(bare) as system:
            _say(f"{release}, Python {bare.python()}, {name}:")
            stranger = Stranger(system, name)
            for archive, points in ((checkout, BARE), (bundled, BUNDLE), (checkout, ONLINE)):
                stranger.unpack(archive)
                stranger.do(points)
            failed += [f"{release} {line}" for line in stranger.failed]
    return failed


if __name__ == "__main__":
    failed = [line for release in sys.argv[1:] or RELEASES for line in walk(release)]
    _say(f"{len(failed)} points do not hold." if failed else "Every point holds.")
    sys.exit(bool(failed))
