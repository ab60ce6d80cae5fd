"""One installation: an environment, pip, and a look at whether the result works.

It runs as a thread beside the page that shows it. Whoever watches reads `state`; nothing is told to
anybody. A page that is closed does not stop it; the end of the process does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from . import faults, pip
from .home import Home, Taken, size
from .pins import needed

Status = Literal["waiting", "running", "failed", "done"]
FETCHING = 0.6
"""Part of the progress that the download is; the rest is writing it out."""
MARGIN = 1.4
"""Compiled modules and the file system want more than the wheels' contents."""

WORKS = "import cua.app, cua.web, openai, PIL.Image"
"""Loads every compiled part; said by the new Python."""


class Failed(Exception):
    """In words."""


class Job:
    """`program` is where the room `cua` lies, `bundle` a folder of wheels or None.

    `done` is called in the thread of the job.
    """

    def __init__(
        self, program: Path, home: Home, bundle: Path | None, done: Callable[[], None]
    ) -> None:
        self.status: Status = "waiting"
        self.words = ""
        self.lines: list[str] = []
        self._program, self._home, self._bundle, self._done = program, home, bundle, done
        self._python = sys.executable
        self._fetched = False
        self._child: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    @property
    def offline(self) -> bool:
        """Whether nothing has to be fetched."""
        return self._bundle is not None

    def start(self) -> None:
        """Does nothing while it runs, or when it is done."""
        with self._lock:
            if self.status in ("running", "done"):
                return
            self.status, self.words, self._fetched = "running", "", False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """The whole of it; ends with `status` at done or failed."""
        self.status = "running"
        try:
            with self._home.claimed() as claim:
                self._install(claim)
        except Taken:
            self._end("failed", faults.TAKEN)
        except Failed as failure:
            self._end("failed", str(failure))
        except pip.NoPip:
            self._end("failed", faults.NO_PIP)
        except OSError as error:
            self._end("failed", faults.of_system(error))
        else:
            self._end("done", "All packages are installed.")
            self._done()

    def stop(self) -> None:
        """For the end of the process: pip ends with it."""
        if self._child is not None:
            self._child.terminate()

    def state(self, after: int) -> Mapping[str, Any]:
        """As JSON: how it stands, and the lines from number `after` on."""
        lines = self.lines[after:]
        return {
            "status": self.status,
            "words": self.words,
            "progress": self._progress(),
            "lines": lines,
            "next": after + len(lines),
            "begun": self._home.begun,
        }

    def _install(self, claim: int) -> None:
        home = self._home
        self._room()
        home.begin()
        self._call(pip.make_venv(home, self._python), claim)
        self._call(pip.install(home, self._bundle), claim, TMPDIR=str(home.temporary))
        self._fetched = True
        try:
            self._call([str(home.python), "-c", WORKS], claim, PYTHONPATH=str(self._program))
        except Failed:
            raise Failed(faults.UNUSABLE) from None
        home.finish()

    def _room(self) -> None:
        wanted = needed(lock=self._home.lock)
        need = sum(int(pin.disk * MARGIN) + (0 if self._bundle else pin.download) for pin in wanted)
        free = shutil.disk_usage(self._home.folder).free + size(self._home.venv)
        if free < need:
            raise Failed(faults.too_little(need, free))

    def _call(self, command: Sequence[str], claim: int, **environ: str) -> None:
        self.lines.append(f"$ {' '.join(command)}".replace(f"{self._program}/", ""))
        before = len(self.lines)
        with subprocess.Popen(  # noqa: S603 - pip, with our own arguments
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **environ},
            pass_fds=(claim,),
            text=True,
            errors="replace",
        ) as self._child:
            assert self._child.stdout is not None
            for line in self._child.stdout:
                self._hear(line.rstrip())
        if code := self._child.returncode:
            raise Failed(faults.words(self.lines[before:], code, bundled=self.offline))

    def _hear(self, line: str) -> None:
        self.lines.append(line)
        if line.startswith("Installing collected packages"):
            self._fetched = True

    def _progress(self) -> float:
        """0..1, by what has come and what is on the disk."""
        if self.status != "running":
            return 1.0 if self.status == "done" else 0.0
        wanted = needed(lock=self._home.lock)
        come = size(self._home.temporary) / sum(pin.download for pin in wanted)
        there = size(self._home.venv) / sum(pin.disk * MARGIN for pin in wanted)
        fetched = 1.0 if self._fetched else min(1.0, come)
        return FETCHING * fetched + (0.99 - FETCHING) * min(1.0, there)

    def _end(self, status: Status, words: str) -> None:
        if status == "failed":
            self._home.discard()
        self.words = words
        self.status = status
