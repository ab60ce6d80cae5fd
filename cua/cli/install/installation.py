"""One installation: pip into a folder for each set, then an import of the packages.

It runs in a thread; pages poll `state`. Closing the page does not stop it; the end of the process
does.
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

from ...extras import ROOT
from ...messages import Message, to_json
from . import errors, pip
from .bundle import damaged, wheels
from .errors import Failed
from .package_folders import PackageSet

Status = Literal["waiting", "running", "failed", "done"]
DOWNLOAD_PROPORTION = 0.6
"""Proportion of the download in the progress; the rest is unpacking."""
DISK_MARGIN = 1.4
"""Factor for compiled modules and the file system, which need more than the wheels' contents."""
IMPORTS = {
    "": "import cua.app.machine, cua.web.routes, cua.models.http_client, dashscope, PIL.Image",
    "local": "from cua.screen.ocr.process import import_ocr; import_ocr()",
    "mcp": "import mcp",
}
"""Set -> code that loads all of its compiled modules."""


class Installation:
    """Installs `sets`. `on_done` is called in its thread."""

    def __init__(
        self, sets: Sequence[PackageSet], on_done: Callable[[], object] = lambda: None
    ) -> None:
        self.status: Status = "waiting"
        self.words = ""
        self.lines: list[str] = []
        self.sets = sets
        self._on_done = on_done
        self._child: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    @property
    def bundle(self) -> Path | None:
        """The folder of wheels to install from; None: from the network."""
        return wheels(ROOT, [pin for each in self.sets for pin in each.pins])

    def start(self) -> None:
        """Start the thread, unless it runs or has succeeded."""
        with self._lock:
            if self.status in ("running", "done"):
                return
            self.status, self.words = "running", ""
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        """Terminate pip before the process ends."""
        if self._child is not None:
            self._child.terminate()

    def state(self, after: int) -> Mapping[str, Any]:
        """Return the state as JSON, with the lines of output from number `after` on."""
        lines = self.lines[after:]
        return {
            "status": self.status,
            "words": to_json(self.words),
            "progress": self._progress(),
            "lines": to_json(lines),
            "next": after + len(lines),
            "bundle": self.bundle is not None,
            "interrupted": any(each.interrupted for each in self.sets),
        }

    def _run(self) -> None:
        try:
            with self.sets[0].lock(lambda: self.lines.append(Message("install.waiting"))) as lock:
                self._install(lock)
        except Failed as failure:
            self._fail(failure.message)
        except OSError as error:
            self._fail(errors.of_system(error))
        else:
            self.words, self.status = Message("install.done"), "done"
            self._on_done()

    def _fail(self, why: str) -> None:
        for each in self.sets:
            each.discard()
        self.words, self.status = why, "failed"

    def _install(self, lock: int) -> None:
        wanted = [each for each in self.sets if not each.complete]
        self._check_space(wanted)
        if self.bundle and (names := damaged(ROOT)):
            raise Failed(Message("install.damaged_bundle", name=names[0]))
        for each in wanted:
            each.begin()
            environ = {"TMPDIR": str(each.temporary), "PYTHONPATH": _test_path(each)}
            self._call(pip.install_command(each, self.bundle), lock, **environ)
            try:
                self._call([sys.executable, "-c", IMPORTS[each.extra]], lock, **environ)
            except Failed:
                raise Failed(Message("install.unusable")) from None
            each.finish()

    def _check_space(self, wanted: Sequence[PackageSet]) -> None:
        need = sum(each.disk * DISK_MARGIN + each.download * (not self.bundle) for each in wanted)
        free = shutil.disk_usage(self.sets[0].place).free
        if free < need:
            sizes = {"need": f"{need / 1e6:.0f}", "free": f"{free / 1e6:.0f}"}
            raise Failed(Message("install.too_little_space", **sizes))

    def _call(self, command: Sequence[str], lock: int, **environ: str) -> None:
        self.lines.append(f"$ {' '.join(command)}".replace(f"{ROOT}/", ""))
        before = len(self.lines)
        with subprocess.Popen(  # noqa: S603 - pip, with our own arguments
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PIP_ROOT_USER_ACTION": "ignore"} | environ,
            pass_fds=(lock,),
            text=True,
            errors="replace",
        ) as self._child:
            assert self._child.stdout is not None
            for line in self._child.stdout:
                self.lines.append(line.rstrip())
        if code := self._child.returncode:
            raise Failed(errors.of_command(self.lines[before:], code, bundled=bool(self.bundle)))

    def _progress(self) -> float:
        """Return the progress, 0..1, by bytes downloaded and unpacked."""
        if self.status != "running":
            return float(self.status == "done")
        done = sum(_proportion(each) * each.disk for each in self.sets)
        return 0.99 * done / sum(each.disk for each in self.sets)


def _test_path(packages: PackageSet) -> str:
    """Return the `PYTHONPATH` for testing new packages."""
    base, known = PackageSet(place=packages.place).folder, os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, map(str, [packages.packages, base, ROOT, known])))


def _proportion(packages: PackageSet) -> float:
    """Return the installed proportion of a set. pip downloads everything, then unpacks it."""
    if packages.complete:
        return 1.0
    have = packages.size()
    unpacked = min(1.0, max(0, have - packages.download) / packages.disk)
    fetched = min(1.0, have / packages.download)
    return DOWNLOAD_PROPORTION * fetched + (1 - DOWNLOAD_PROPORTION) * unpacked
