"""A Debian root of its own with Python and nothing of ours, also for another processor.

Needs root, `apt-get install mmdebstrap`, and for aarch64 `arch-test qemu-user-static
binfmt-support`. What is mounted for it is mounted in a namespace of this command's own and is
unmounted however it ends, so deleting the root afterwards removes nothing of this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from cua.cli.install.bundle import PARTS
from tests.support.kvm_hardware import ROOT

BINFMT = Path("/proc/sys/fs/binfmt_misc")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PLACE = "/kvmapp/cua"
MARK = "CUA_TEST_OWN_MOUNTS"


class Root:
    """The folder of a system; `run` and `start` do it in there, on this machine's network."""

    def __init__(self, folder: Path, place: str = PLACE) -> None:
        self.folder = folder
        self.program = folder / place.lstrip("/")

    def start(
        self, *command: str, environ: dict[str, str], stderr: int | None = None
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["chroot", self.folder, *command],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", **environ},
            text=True,
        )

    def run(self, *command: str, **environ: str) -> str:
        """What it says. Raises `SystemExit` with it if it fails."""
        with self.start(*command, environ=environ, stderr=subprocess.STDOUT) as process:
            said, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{said}")
        return said

    def python(self) -> str:
        words = "import sys; print('%d.%d' % sys.version_info[:2])"
        return self.run("python3", "-c", words).strip()

    def clear(self) -> None:
        shutil.rmtree(self.program.parent, ignore_errors=True)
        self.program.parent.mkdir(parents=True, exist_ok=True)

    def copy_program(self) -> None:
        """As it lies on a KVM."""
        self.clear()
        self.program.mkdir()
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, self.program / part)


def root(architecture: str, *packages: str, release: str = "bookworm") -> Root:
    """Made once, kept in build/. The first call starts this command again, in a namespace."""
    folder = make_root(architecture, *packages, release=release)
    if not os.path.ismount(folder / "proc"):
        subprocess.run(["mount", "-t", "proc", "proc", folder / "proc"], check=True)
    return Root(folder)


def make_root(architecture: str, *packages: str, release: str = "bookworm") -> Path:
    """The folder of `root`, without anything mounted in it."""
    if os.getuid() != 0:
        raise SystemExit("This makes and enters a Debian root: run it as root.")
    programs = ["mmdebstrap", *(["update-binfmts"] if architecture == "arm64" else [])]
    if missing := [each for each in programs if not shutil.which(each)]:
        wanted = "apt-get install mmdebstrap arch-test qemu-user-static binfmt-support"
        raise SystemExit(f"There is no {' and no '.join(missing)} here: {wanted}")
    _own_mounts()
    if architecture == "arm64":
        _understand_aarch64()
    folder = ROOT / "build" / "-".join(("root", release, architecture, *packages))
    if not folder.exists():
        _make(folder, architecture, release, packages)
    shutil.copy(CERTIFICATES, folder / "etc" / "ssl" / "certs" / CERTIFICATES.name)
    shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    (folder / "etc" / "pip.conf").write_text(_pip_configuration())
    return folder


def _own_mounts() -> None:
    if MARK not in os.environ:
        command = ["unshare", "--mount", sys.executable, *sys.orig_argv[1:]]
        os.execvpe(command[0], command, {**os.environ, MARK: "1"})


def _pip_configuration() -> str:
    """The index that this machine's pip uses, for a pip in the root."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"\.(index-url|extra-index-url|proxy|trusted-host)='(.*)'", said)
    options = {name: value for name, value in found if "file:" not in value}
    lines = [f"{name} = {value}" for name, value in options.items()]
    return "\n".join(["[global]", f"cert = {CERTIFICATES}", *lines, ""])


def _make(folder: Path, architecture: str, release: str, packages: tuple[str, ...]) -> None:
    sys.stdout.write(f"Making a Debian root ({release}, {architecture}) ...\n")
    sys.stdout.flush()
    half = folder.with_name(f"{folder.name}.half")
    subprocess.run(["rm", "-rf", "--one-file-system", half], check=True)
    half.mkdir(parents=True)
    include = ",".join(("python3", "ca-certificates", *packages))
    subprocess.run(
        [
            *("mmdebstrap", "--quiet", "--variant=apt", f"--architectures={architecture}"),
            *(f"--include={include}", release, half),
        ],
        check=True,
    )
    half.rename(folder)


def _understand_aarch64() -> None:
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "none", BINFMT], check=True)
    if not (BINFMT / "qemu-aarch64").exists():
        subprocess.run(["update-binfmts", "--enable", "qemu-aarch64"], check=True)
