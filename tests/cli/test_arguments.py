"""No command ends with a traceback, whatever its arguments and whenever it is interrupted."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from cua.cli.commands import COMMANDS, WITHOUT_PACKAGES
from cua.cli.options import SEPARATE
from tests.support.kvm_hardware import ROOT
from tests.support.ordinary_user import without_etc

PROGRAM = (sys.executable, str(ROOT / "cua_webapp.py"))
HUGE = "x" * 100_000
NOWHERE = "/dev/null/nope"
"""Can be neither read nor made, by root neither."""
READ_ONLY = "/sys"
"""Can be read; not even root can make a file there."""
NAMES = sorted({*COMMANDS, *WITHOUT_PACKAGES, *SEPARATE} - {"install", "bundle"})
"""Without those that download packages."""
CANNOT_START = [
    (("run", ""), "Write what is to be done first."),
    (("fleet", "run", " "), "Write what is to be done first."),
    (("run", "do it"), "CUA_MODEL_NAME"),
    (("run",), "Give a task, or a procedure"),
    (("procedure", "record", "greet"), 'procedure record NAME "TASK"'),
    (("procedure", "run", "greet", "word=ok"), "procedure run NAME"),
    (("procedure", "list", "greet"), "procedure list"),
    (("--tls-cert", NOWHERE, "--tls-key", NOWHERE), f"There is no file {NOWHERE}."),
    (("bundle", "--to", f"{NOWHERE}/x"), "cannot be written"),
    (("bundle", "--machine", "foo"), "'foo'"),
    (("eval", "--json", f"{NOWHERE}/x"), f"{NOWHERE}/x cannot be written"),
    (("check", "--json", f"{NOWHERE}/x"), f"{NOWHERE}/x cannot be written"),
    (("eval", "--model", "nope", "--tasks", "notepad/open"), "nope: No model is chosen yet."),
    (("gate", "--ask", NOWHERE), NOWHERE),
    (("--kvm", "pikvm://", "--port", "0"), "pikvm://"),
    (("run", "--kvm", HUGE[:300], "x"), "cannot be reached"),
    (("--fleet", "fleet.yaml", "--demo"), "leave out --demo and --kvm."),
]
ODD = [
    *[
        (name, *arguments)
        for name in NAMES
        for arguments in (("--nope",), (HUGE,), ("--port", "x"))
    ],
    *[("--config", path, "run", "x") for path in ("/", "/dev/zero", HUGE)],
    *[(name, "--config", HUGE) for name in ("check", "calibrate", "mcp", "doctor", "eval")],
    ("run", "--kvm", HUGE, "x"),
    ("run", "--kvm", "http://x", "x"),
    ("--host", HUGE, "--port", "0"),
    ("eval", "--seed", HUGE),
    ("eval", "--jobs", "0"),
    ("eval", "--repeat", "-1"),
    ("eval", "--tasks", "["),
    ("eval", "--tasks", ""),
    ("eval", "--price", "nan", "x"),
    ("parse", "--sent", "0x0"),
    ("parse", "--dialect", ""),
    ("gate", "--ask", "/"),
    ("bundle", "--python", "3.999999"),
    ("bundle", "--to", ""),
]
LAUNCHER = """
import os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.write(2, b"begun\\n")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Begins where a Ctrl-C no longer meets Python's own start."""
LONG = [
    ("run", "--demo", "set dns server to 8.8.8.8"),
    ("--demo", "--port", "0"),
    ("mcp", "--demo"),
    ("mcp", "--demo", "--http", "--port", "0"),
    ("eval", "--model", "local", "--tasks", "notepad/*"),
    ("calibrate", "--demo"),
    ("check", "--demo-model"),
    ("doctor",),
    ("parse", "--dialect", "kvm"),
    ("gate",),
    ("pair",),
]


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home),
        "CUA_HID_PREFIX": str(home / "hidg"),
        "CUA_CONFIG": str(home / "settings.json"),
    }


def ended(
    home: Path, *arguments: str, before: Sequence[str] = (), **more: str
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end. It has devices, but no model and no input."""
    for number in range(3):
        (home / f"hidg{number}").touch()
    done = subprocess.run(
        [*before, *PROGRAM, *arguments],
        env=environment(home) | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.mark.parametrize(("arguments", "words"), CANNOT_START)
def test_what_cannot_start_says_why_and_ends_with_2(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    done = ended(tmp_path, *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr


def test_no_address_is_announced_for_an_inventory_that_there_is_not(tmp_path: Path) -> None:
    done = ended(tmp_path, "--fleet", NOWHERE, "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{NOWHERE} cannot be read")


def test_a_device_that_cannot_be_looked_at_is_missing(tmp_path: Path) -> None:
    done = ended(tmp_path, "run", "x", CUA_HID_PREFIX=f"/{HUGE[:5000]}")
    assert (done.returncode, "so it is not a KVM" in done.stderr) == (2, True)


@pytest.mark.parametrize("arguments", [(), ("mcp", "--demo", "--http")], ids=" ".join)
def test_a_busy_port_names_its_holder(arguments: tuple[str, ...], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        done = ended(tmp_path, *arguments, "--port", str(port))
    said = f"Port {port} cannot be used: it is held by process {os.getpid()}"
    assert (done.returncode, said in done.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ODD, ids=lambda arguments: " ".join(arguments)[:60])
def test_no_arguments_end_in_a_traceback(arguments: tuple[str, ...], tmp_path: Path) -> None:
    ended(tmp_path, *arguments)


def test_brackets_without_end_are_no_action(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "gate"], input=b"[" * 100_000, capture_output=True, env=environment(tmp_path)
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"recursion limit exceeded" in done.stdout


@pytest.mark.parametrize("command", ["--help", "parse --list", "pair"])
@pytest.mark.parametrize("where", ["| true", "> /dev/full", ">&-"])
def test_an_output_that_cannot_be_written(command: str, where: str, tmp_path: Path) -> None:
    shell = f"{' '.join(PROGRAM)} {command} {where}"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, env=environment(tmp_path))
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_run_whose_output_cannot_be_written_stops(tmp_path: Path) -> None:
    shell = f"{' '.join(PROGRAM)} run --demo 'set dns server to 8.8.8.8' > /dev/full"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, env=environment(tmp_path))
    assert done.returncode == 1
    assert done.stderr == b"The output cannot be written: No space left on device.\n"


@pytest.mark.slow
@pytest.mark.skipif(Path("/etc/kvm").exists(), reason="a KVM has its settings elsewhere")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("home", [NOWHERE, READ_ONLY])
def test_a_home_that_is_missing_or_cannot_be_written(name: str, home: str, tmp_path: Path) -> None:
    ended(tmp_path, name, before=without_etc(), HOME=home, CUA_CONFIG="")


def interrupted(home: Path, moment_s: float, *arguments: str) -> tuple[bool, str]:
    """Interrupt a command as a terminal does, so long after its beginning. Returns whether it was
    still running, and what it said.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, *PROGRAM[1:], *arguments],
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        select.select([process.stdout], [], [], 60)
        time.sleep(moment_s)
        running = process.poll() is None
        if running:
            os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=60)[0].decode()
    finally:
        process.kill()
        process.wait()
    return running, said


def check_interrupts(home: Path, arguments: tuple[str, ...], moments_s: list[float]) -> None:
    for moment_s in moments_s:
        running, said = interrupted(home, moment_s, *arguments)
        assert "Traceback" not in said, f"after {moment_s} s: {said}"
        assert "Exception ignored" not in said, f"after {moment_s} s: {said}"
        if not running:
            return


@pytest.mark.parametrize("arguments", LONG[:3], ids=" ".join)
def test_a_ctrl_c_at_the_start_leaves_no_traceback(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    check_interrupts(tmp_path, arguments, [0.1, 0.6])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("arguments", LONG, ids=" ".join)
def test_a_ctrl_c_at_any_moment_leaves_no_traceback(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    check_interrupts(tmp_path, arguments, [moment / 5 for moment in range(20)])
