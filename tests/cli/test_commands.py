"""The program in terminals that are closed, odd or in a hurry."""

from __future__ import annotations

import base64
import os
import pty
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, str(ROOT / "cua_webapp.py"))


def ended(*arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *arguments], env={**os.environ, **environ}, input=b"Done", capture_output=True
    )


@pytest.mark.parametrize("command", [[], ["mcp"], ["pair"]])
@pytest.mark.parametrize("port", ["99999", "-1", "http"])
def test_a_number_that_is_no_port_is_said_to_be_none(command: list[str], port: str) -> None:
    done = ended(*command, f"--port={port}")
    assert done.returncode == 2
    assert b"is not a port: give a number from 0 to 65535" in done.stderr


def test_a_host_that_is_not_this_machine_is_named() -> None:
    done = ended("--host", "nowhere.invalid", "--port", "0")
    assert done.returncode == 2
    assert done.stderr.startswith(b"nowhere.invalid is not an address of this machine")


def test_what_a_terminal_cannot_show_is_shown_otherwise() -> None:
    reply = "typestr \u6253\u5f00".encode()
    command = [*PROGRAM, "parse", "--dialect", "kvm"]
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environ, input=reply, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert rb"\u6253" in done.stdout


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), (">&- 2>&-", 0), ("<&-", 1)])
def test_it_works_without_some_channel(closed: str, code: int) -> None:
    shell = f"exec {' '.join(PROGRAM)} parse --dialect kvm {closed}"
    done = subprocess.run(["sh", "-c", shell], input=b"Done", stderr=subprocess.PIPE)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_no_settings_leave_no_computer_behind(tmp_path: Path) -> None:
    done = ended("--demo", "--config", str(tmp_path), "--port", "0", TMPDIR=str(tmp_path))
    assert done.returncode == 2
    assert b"cannot be read" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not list(tmp_path.glob("cua-demo-*"))


@pytest.mark.parametrize("arguments", [["--model", "settings"], ["mcp", "--http"]], ids=" ".join)
def test_ctrl_c_closes_what_the_service_has_opened(arguments: list[str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, *arguments, "--demo", "--port", "0"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=heeding,
    )
    assert process.stdout is not None
    (address,) = re.findall(rb"http://[\d.:]+", process.stdout.readline())
    while True:
        try:
            urllib.request.urlopen(f"{address.decode()}/api/nothing", timeout=20)
        except urllib.error.HTTPError:  # of the service itself, which has started
            break
        except OSError:
            time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert b"Traceback" not in process.communicate(timeout=60)[0]
    assert list(tmp_path.glob("cua-*")) == []


def heeding() -> None:
    """As in a person's terminal, also where the tests themselves are to outlive theirs."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def on_a_terminal(*arguments: str) -> tuple[int, int]:
    """The process, and the other end of its terminal."""
    child, terminal = pty.fork()
    if not child:
        heeding()
        os.execv(PROGRAM[0], [*PROGRAM, *arguments])
    return child, terminal


def told(terminal: int, until: bytes) -> bytes:
    words = b""
    while until not in words:
        words += os.read(terminal, 1000)
    return words


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_a_password_that_is_not_given_ends_it_without_a_word_of_python(key: bytes) -> None:
    child, terminal = on_a_terminal("--kvm", "pikvm://admin@127.0.0.1", "--port", "0")
    try:
        told(terminal, b"Password")
        time.sleep(0.2)  # until it reads
        os.write(terminal, key)
        words = told(terminal, b"Interrupted.")
        assert b"Traceback" not in words
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    finally:
        os.close(terminal)


def test_a_terminal_that_is_closed_is_an_order_to_end(tmp_path: Path) -> None:
    environ: Mapping[str, str] = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [*PROGRAM, "--demo", "--model", "settings", "--port", "0"]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, preexec_fn=heeding
    ) as process:
        assert process.stdout
        place = re.search(rb"http://\S+/", process.stdout.readline())
        assert place  # which the service itself answers with 404 when it runs
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{place[0].decode()}none", timeout=60)
        process.send_signal(signal.SIGHUP)
        assert process.wait(30) in (0, -signal.SIGTERM)
    assert not list(tmp_path.glob("cua-demo-*"))


def test_the_virtual_mouse_moves_a_pixel_with_each_count_and_nothing_is_saved_of_a_demo() -> None:
    done = ended("calibrate", "--demo", "--model", "settings")
    assert done.returncode == 0, done.stderr
    gain = re.search(rb"by (\S+) pixels. Nothing is saved of a demo.\n$", done.stdout)
    assert gain, done.stdout
    assert float(gain[1]) == pytest.approx(1.0, abs=0.006)


def test_the_virtual_computer_is_up_before_its_keys_are_measured() -> None:
    done = ended("calibrate", "keys", "--demo", "--model", "settings")
    assert done.returncode == 2
    assert done.stderr.startswith(b"The KVM does not report Caps Lock")


@pytest.mark.parametrize("command", ["check", "eval"])
def test_what_only_reads_the_settings_leaves_them_and_says_what_is_wrong(
    command: str, tmp_path: Path
) -> None:
    path = tmp_path / "cfg.json"
    path.write_text("{1")
    done = ended(command, "--config", str(path))
    assert b"could not be understood" in done.stderr
    assert path.read_text() == "{1"


@pytest.mark.parametrize("kvm", [[], ["--kvm", "pikvm+http://u:x@127.0.0.1:9"]])
def test_a_settings_file_that_is_set_aside_is_named_though_the_start_fails(
    kvm: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "cfg.json"
    path.write_text("{1")
    done = ended("run", "go", *kvm, "--config", str(path), CUA_HID_PREFIX="/none")
    assert done.returncode == 2
    assert f"it is kept as {path}.bad.".encode() in done.stdout + done.stderr


def test_no_procedures_are_said_to_be_none(tmp_path: Path) -> None:
    done = ended("procedure", "list", "--config", str(tmp_path / "cfg.json"))
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"There are no procedures yet.\n"


def test_the_pictures_of_a_procedure_are_whole_in_a_pipe_only(tmp_path: Path) -> None:
    picture = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(90)).decode()
    file = tmp_path / "look.yaml"
    file.write_text(f"{{name: look, steps: [{{when: {{picture: {picture}}}}}]}}")
    assert picture in ended("procedure", "show", str(file)).stdout.decode()
    child, terminal = on_a_terminal("procedure", "show", str(file))
    try:
        words = told(terminal, "…}".encode())
        assert picture[:40].encode() not in words
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        os.close(terminal)
