"""A Debian root of its own with Python and nothing of ours, also for another processor.

Needs root, `apt-get install mmdebstrap`, and for aarch64 `arch-test qemu-user-static
binfmt-support`. What is mounted for it is mounted in a namespace of this command's own and goes
with it, however it ends: whoever deletes the root afterwards meets nothing of this machine in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from cua.install.bundle import PARTS
from tests.kvm_box import ROOT

BINFMT = Path("/proc/sys/fs/binfmt_misc")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PLACE = "/kvmapp/cua"
MARK = "CUA_TEST_OWN_MOUNTS"


class Root:
    """The folder of a system; `run` and `start` do it in there, on this machine's network."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def program(self) -> Path:
        return self.folder / PLACE.lstrip("/")

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
        self.program.parent.mkdir()

    def copy_program(self) -> None:
        """As it lies on a KVM."""
        self.clear()
        self.program.mkdir()
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, self.program / part)


def root(architecture: str, *packages: str) -> Root:
    """Made once, kept in build/. The first call starts this command again, in a namespace."""
    if os.getuid() != 0:
        raise SystemExit("This makes and enters a Debian root: run it as root.")
    programs = ["mmdebstrap", *(["update-binfmts"] if architecture == "arm64" else [])]
    if missing := [each for each in programs if not shutil.which(each)]:
        wanted = "apt-get install mmdebstrap arch-test qemu-user-static binfmt-support"
        raise SystemExit(f"There is no {' and no '.join(missing)} here: {wanted}")
    _own_mounts()
    if architecture == "arm64":
        _understand_aarch64()
    folder = ROOT / "build" / f"root-{architecture}"
    if not folder.exists():
        _make(folder, architecture, packages)
    shutil.copy(CERTIFICATES, folder / "etc" / "ssl" / "certs" / CERTIFICATES.name)
    shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    if not os.path.ismount(folder / "proc"):
        subprocess.run(["mount", "-t", "proc", "proc", folder / "proc"], check=True)
    return Root(folder)


def _own_mounts() -> None:
    if MARK not in os.environ:
        command = ["unshare", "--mount", sys.executable, *sys.orig_argv[1:]]
        os.execvpe(command[0], command, {**os.environ, MARK: "1"})


def _make(folder: Path, architecture: str, packages: tuple[str, ...]) -> None:
    sys.stdout.write(f"Making a Debian root for {architecture} ...\n")
    sys.stdout.flush()
    half = folder.with_name(f"{folder.name}.half")
    subprocess.run(["rm", "-rf", "--one-file-system", half], check=True)
    half.mkdir(parents=True)
    include = ",".join(("python3", "ca-certificates", *packages))
    subprocess.run(
        [
            *("mmdebstrap", "--quiet", "--variant=apt", f"--architectures={architecture}"),
            *(f"--include={include}", "bookworm", half),
        ],
        check=True,
    )
    half.rename(folder)


def _understand_aarch64() -> None:
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "none", BINFMT], check=True)
    if not (BINFMT / "qemu-aarch64").exists():
        subprocess.run(["update-binfmts", "--enable", "qemu-aarch64"], check=True)
