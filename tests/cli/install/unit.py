"""The service unit under a real systemd: `python -m tests.cli.install.unit [RELEASE ...]`.

A Debian root is booted in namespaces of its own, without a network: pip takes the packages from a
folder. The README's commands run twice; then come the page, the pairing code, an upgrade, one that
fails, and the end of the service. Needs root, as `tests.cli.install.debian_root` does.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2

from cua.cli.install.pins import list_needed
from cua.cli.install.pip import Target, fetch
from tests.cli.install.debian_root import Root, make_root
from tests.support.kvm_hardware import ROOT
from tests.support.page_client import say_hello

README = (ROOT / "cua/cli/install/README.md").read_text("utf-8")
BOOT = Path(__file__).with_name("boot")
RELEASES = ("bookworm", "trixie")
PACKAGES = ("python3-pip", "systemd-sysv", "dbus")
SPACES = ("mount", "pid", "ipc", "uts", "cgroup")
UNSHARE = ("unshare", *(f"--{space}" for space in SPACES), "--fork", "--kill-child")
CLONE_NEWNET = 0x40000000
ORIGIN = "http://127.0.0.1:5000"
PLACE, WHEELS = "/opt/kvm-cua", "/wheels"
INSTALLED = "cd /var/lib/kvm-cua/packages && echo base-*"
JOURNAL = "journalctl --no-pager --output=cat --unit=kvm-cua"
CHANGE_LOCK = rf"sed -i '0,/^    --hash=.* \\$/{{//p}}' {PLACE}/cua/cli/install/lock.txt"
"""Names a hash twice: another list of the same packages."""
TIMEOUT_S = 60
MAX_EXPOSURE = 4.0


class System:
    """A root whose first process is systemd. `layers`: its folders, the uppermost first."""

    def __init__(self, *layers: Path) -> None:
        self._layers = layers
        self._cgroup = _unified_cgroup() / f"kvm-cua-{os.getpid()}"

    @contextlib.contextmanager
    def booted(self) -> Iterator[None]:
        self._cgroup.mkdir()
        with tempfile.TemporaryDirectory() as work:
            self._process = subprocess.Popen(
                [*UNSHARE, "sh", BOOT, ":".join(map(str, self._layers)), work],
                preexec_fn=lambda: (self._cgroup / "cgroup.procs").write_text("0"),
            )
            try:
                self.until(f"cd {PLACE} && systemctl is-active multi-user.target")
                yield
            finally:
                self._process.kill()
                self._process.wait()
                self._remove_cgroup()

    def run(self, command: str) -> str:
        """What a shell command says. Raises `AssertionError` if it fails."""
        done = self._run(command)
        assert done.returncode == 0, f"{command}:\n{done.stdout}"
        return done.stdout.strip()

    def until(self, command: str) -> None:
        """Wait until a shell command succeeds."""
        give_up = time.monotonic() + TIMEOUT_S
        while (done := self._run(command)).returncode:
            assert time.monotonic() < give_up, f"{command}:\n{done.stdout}"
            time.sleep(0.2)

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        child = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        return subprocess.run(
            ["nsenter", "--target", child.strip(), "--all", "sh", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def _remove_cgroup(self) -> None:
        folders = [Path(folder) for folder, _, _ in os.walk(self._cgroup, topdown=False)]
        give_up = time.monotonic() + TIMEOUT_S
        while "populated 1" in (self._cgroup / "cgroup.events").read_text():
            assert time.monotonic() < give_up
            time.sleep(0.1)
        for folder in folders:
            folder.rmdir()


async def prove(system: System) -> None:
    """Print a line for each point that holds. Raises `AssertionError` for one that does not."""
    (recipe,) = re.findall(rf"```sh\n(python3 {PLACE}/.*?)```", README, re.DOTALL)
    system.run(f"set -e\n{recipe}")
    await _until(_is_service)
    _say("README's commands start the service, and its page answers")
    system.run(f"set -e\n{recipe}")
    _say("they can be run again")
    said = system.run("systemd-analyze security --no-pager kvm-cua.service | tail -1")
    assert float(re.findall(r"\d+\.\d", said)[0]) <= MAX_EXPOSURE, said
    _say(f"systemd-analyze security: {said.partition(': ')[2]}")
    await _pair(system)
    await _upgrade(system)
    _stop(system)
    _say("`systemctl stop` ends it")
    assert "Traceback" not in (journal := system.run(JOURNAL)), journal


async def _pair(system: System) -> None:
    answer, socket = await say_hello(ORIGIN, "")
    await socket.close()
    assert answer["type"] == "refused", answer
    (code,) = re.findall(r"Pairing code: (\d{6})", system.run(JOURNAL))
    _say("the pairing code stands in the journal when a page waits")
    shown = system.run(f"python3 {PLACE}/cua_webapp.py pair")
    assert f"Pairing code: {code}" in shown, shown
    _say("`pair` shows it to root")
    answer, socket = await say_hello(ORIGIN, "", code=code)
    await socket.close()
    assert answer["type"] == "welcome", answer
    system.until("test $(systemctl show -P NRestarts kvm-cua) = 1")
    await _until(_is_service)
    _say("the page comes in with it; after it has left, the service starts again")


async def _upgrade(system: System) -> None:
    before = system.run(INSTALLED)
    system.run(f"{CHANGE_LOCK} && systemctl restart kvm-cua")
    await _until(_is_service)
    assert len(after := system.run(INSTALLED).split()) == 1, after
    assert after != before.split(), after
    _say("an upgrade with another list of packages installs them and starts")
    system.run(f"{CHANGE_LOCK} && mv {WHEELS} {WHEELS}.away && systemctl restart kvm-cua")
    state = await _until(lambda state: state.get("status") == "failed")
    assert "cannot be reached" in state["words"]["text"], state
    _say("where they cannot be had, the page says why")
    _stop(system)
    system.run(f"mv {WHEELS}.away {WHEELS} && systemctl start kvm-cua")
    await _until(_is_service)
    _say("this page is stopped without a failure; the next start installs the packages")


def _stop(system: System) -> None:
    system.run("systemctl stop kvm-cua")
    state = system.run("systemctl show -P ActiveState kvm-cua")
    assert state == "inactive", state


def _is_service(state: dict[str, Any]) -> bool:
    """Whether it is not the page that installs packages."""
    return "status" not in state


async def _until(fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What port 5000 says of an installation, when it fits."""
    give_up = time.monotonic() + TIMEOUT_S
    async with httpx2.AsyncClient(trust_env=False) as client:
        while True:
            state: dict[str, Any] = {"status": "no answer"}
            with contextlib.suppress(httpx2.HTTPError):
                state = (await client.get(f"{ORIGIN}/api/install")).json()
            if fits(state):
                return state
            assert time.monotonic() < give_up, state
            await asyncio.sleep(0.2)


def _unified_cgroup() -> Path:
    """Where this machine has its cgroups of version 2."""
    command = ["findmnt", "--noheadings", "--output=TARGET", "--types=cgroup2", "--first-only"]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def _make_layer(folder: Path, root: Path) -> None:
    """The program, and a pip that has its packages without a network."""
    layer = Root(folder, PLACE)
    layer.copy_program()
    major, minor = Root(root).python().split(".")
    python = int(major), int(minor)
    fetch(folder / WHEELS[1:], Target(os.uname().machine, python), list_needed(python))
    (folder / "etc").mkdir()
    (folder / "etc" / "pip.conf").write_text(f"[global]\nno-index = true\nfind-links = {WHEELS}\n")


def _leave_network() -> None:
    """Port 5000 and loopback are this process's own from now on."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def main(releases: Sequence[str]) -> None:
    roots = {release: make_root("amd64", *PACKAGES, release=release) for release in releases}
    with tempfile.TemporaryDirectory() as folder:
        for release, root in roots.items():
            _make_layer(Path(folder, release), root)
        _leave_network()
        for release, root in roots.items():
            system = System(Path(folder, release), root)
            with system.booted():
                _say(f"{release}, {system.run('systemctl --version | head -1')}:")
                try:
                    asyncio.run(prove(system))
                except AssertionError:
                    _say(system.run(JOURNAL))
                    raise


if __name__ == "__main__":
    main(sys.argv[1:] or RELEASES)
