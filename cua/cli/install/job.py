"""One installation: pip into a folder for each set, then an import of what was installed.

It runs as a thread; pages poll `state`. A page that is closed does not stop it; the end of the
process does.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ...messages import Message, to_json
from . import errors, pip
from .bundle import damaged
from .environment import AlreadyInstalling, PackageSet, size

Status = Literal["waiting", "running", "failed", "done"]
DOWNLOAD_PROPORTION = 0.6
"""Part of the progress that the download is; the rest is unpacking."""
DISK_MARGIN = 1.4
"""Compiled modules and the file system need more than the wheels' contents."""

IMPORTS = {
    "": "import cua.app.machine, cua.web.routes, cua.models.http_client, dashscope, PIL.Image",
    "anthropic": "import anthropic",
    "genai": "import google.genai",
    "local": "from cua.screen.ocr.process import import_ocr; import_ocr()",
    "mcp": "import mcp",
}
"""Code that loads every compiled module of a set."""


class Failed(Exception):
    """The installation failed; `message` says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Job:
    """Installs the sets of `homes`. `program` is where the package `cua` lies, `bundle` a folder
    of wheels or None; `done` is called in the thread of the job.
    """

    def __init__(
        self,
        program: Path,
        homes: Sequence[PackageSet],
        bundle: Path | None,
        done: Callable[[], None],
    ) -> None:
        self.status: Status = "waiting"
        self.words = ""
        self.lines: list[str] = []
        self.homes = homes
        self._program, self._bundle, self._done = program, bundle, done
        self._child: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    @property
    def offline(self) -> bool:
        """Whether the packages come from a bundle."""
        return self._bundle is not None

    @property
    def has_pip(self) -> bool:
        """Whether this machine or the bundle has a pip."""
        with contextlib.suppress(pip.NoPip):
            return bool(pip.find(self._bundle))
        return False

    def start(self) -> None:
        """Start the thread, unless it runs or has succeeded."""
        with self._lock:
            if self.status in ("running", "done"):
                return
            self.status, self.words = "running", ""
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """Install; `status` is then done or failed."""
        self.status = "running"
        try:
            with self.homes[0].claim() as claim:
                self._install(claim)
        except AlreadyInstalling:
            self._end("failed", errors.busy())
        except Failed as failure:
            self._end("failed", failure.message)
        except pip.NoPip:
            self._end("failed", errors.no_pip())
        except OSError as error:
            self._end("failed", errors.of_system(error))
        else:
            self._end("done", Message("install.done"))
            self._done()

    def stop(self) -> None:
        """Terminate pip, before the process ends."""
        if self._child is not None:
            self._child.terminate()

    def state(self, after: int) -> Mapping[str, Any]:
        """Return the state as JSON, with the lines of output from number `after` on."""
        lines = self.lines[after:]
        return {
            "status": self.status,
            "words": to_json(self.words),
            "progress": self._progress(),
            "lines": lines,
            "next": after + len(lines),
            "begun": any(home.begun for home in self.homes),
        }

    def _install(self, claim: int) -> None:
        wanted = [home for home in self.homes if not home.complete]
        self._check_space(wanted)
        if self._bundle and (names := damaged(self._program)):
            raise Failed(errors.damaged(names))
        for home in wanted:
            home.begin()
            environ = {"TMPDIR": str(home.temporary), "PYTHONPATH": self._path(home)}
            self._call(pip.install(home, self._bundle), claim, **environ)
            try:
                self._call([sys.executable, "-c", IMPORTS[home.extra]], claim, **environ)
            except Failed:
                raise Failed(errors.unusable()) from None
            home.finish()

    def _path(self, home: PackageSet) -> str:
        """The `PYTHONPATH` on which the new packages are tested."""
        base = PackageSet(place=home.place).folder
        known = os.environ.get("PYTHONPATH", "")
        return os.pathsep.join(filter(None, map(str, [home.packages, base, self._program, known])))

    def _check_space(self, wanted: Sequence[PackageSet]) -> None:
        need = sum(
            int(pin.disk * DISK_MARGIN) + (0 if self._bundle else pin.download)
            for home in wanted
            for pin in home.pins
        )
        free = shutil.disk_usage(self.homes[0].place).free
        if free < need:
            raise Failed(errors.too_little_space(need, free))

    def _call(self, command: Sequence[str], claim: int, **environ: str) -> None:
        self.lines.append(f"$ {' '.join(command)}".replace(f"{self._program}/", ""))
        before = len(self.lines)
        with subprocess.Popen(  # noqa: S603 - pip, with our own arguments
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PIP_ROOT_USER_ACTION": "ignore"} | environ,
            pass_fds=(claim,),
            text=True,
            errors="replace",
        ) as self._child:
            assert self._child.stdout is not None
            for line in self._child.stdout:
                self.lines.append(line.rstrip())
        if code := self._child.returncode:
            raise Failed(errors.of_command(self.lines[before:], code, bundled=self.offline))

    def _progress(self) -> float:
        """0..1, by bytes downloaded and unpacked."""
        if self.status != "running":
            return 1.0 if self.status == "done" else 0.0
        parts = [(_done(home), sum(pin.disk for pin in home.pins)) for home in self.homes]
        return 0.99 * sum(done * disk for done, disk in parts) / sum(disk for _, disk in parts)

    def _end(self, status: Status, words: str) -> None:
        if status == "failed":
            for home in self.homes:
                home.discard()
        self.words = words
        self.status = status


def _done(home: PackageSet) -> float:
    """Proportion of a set that is installed. pip downloads everything, then unpacks it."""
    if home.complete:
        return 1.0
    have = size(home.temporary)
    fetch, unpack = sum(pin.download for pin in home.pins), sum(pin.disk for pin in home.pins)
    unpacked = min(1.0, max(0, have - fetch) / unpack)
    return DOWNLOAD_PROPORTION * min(1.0, have / fetch) + (1 - DOWNLOAD_PROPORTION) * unpacked
