"""The list of packages, the bundle made from it, and pip's words for what goes wrong."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from cua.cli.install import bundle, errors
from cua.cli.install.bundle import make
from cua.cli.install.pins import list_extras, list_needed, read_pins
from cua.cli.install.pip import DEVICE
from cua.extras import MODULES
from tests.cli.install.package_index import WHEEL, alone, index, program, wheel
from tests.support.kvm_hardware import ROOT


def test_the_list_is_what_the_project_asks_for() -> None:
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = toml.loads((ROOT / "pyproject.toml").read_text())["project"]
    newest = (3, 13)
    pinned = {pin.name: pin.version for pin in list_needed(newest)}
    assert {"dashscope", "cryptography"} <= pinned.keys()
    asked = [(words, pinned) for words in project["dependencies"]]
    for extra in list_extras():
        more = {pin.name: pin.version for pin in list_needed(newest, extra=extra)}
        asked += [(words, more) for words in project["optional-dependencies"][extra]]
    for words, pinned in asked:
        wanted = Requirement(words)
        if wanted.marker and not wanted.marker.evaluate({"python_version": "3.13"}):
            continue
        assert wanted.specifier.contains(pinned[wanted.name]), (
            f"{words}: run python -m tests.cli.install.lock"
        )


def test_every_package_is_pinned_hashed_and_weighed() -> None:
    for pin in read_pins(DEVICE.python):
        assert "--hash=sha256:" in pin.text
        assert pin.disk > pin.download > 1000
    for python in ((3, minor) for minor in range(10, 15)):
        for extra in MODULES:
            assert list_needed(python, extra=extra), (python, extra)
    assert "rapidocr" in [pin.name for pin in list_needed(DEVICE.python, extra="local")]
    assert "rapidocr" not in [pin.name for pin in list_needed()]
    assert "exceptiongroup" in [pin.name for pin in list_needed((3, 10))]
    assert "exceptiongroup" not in [pin.name for pin in list_needed((3, 11))]
    assert "pip" not in [pin.name for pin in list_needed()]


def test_a_bundle_is_the_same_bytes_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = program(tmp_path, wheel())
    (place / "cua" / "static" / ("long" * 40)).touch()  # as the names of wheels are
    with index(wheel()) as packages:
        for name, value in packages.environ.items():
            monkeypatch.setenv(name, value)
        make(place, DEVICE, tmp_path / "one.tar.gz")
        os.utime(place / "cua_webapp.py", (1, 1))
        make(place, DEVICE, tmp_path / "two.tar.gz")
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()
    (tmp_path / "kvm").mkdir()
    subprocess.run(["tar", "-C", "kvm", "-xzf", "one.tar.gz"], cwd=tmp_path, check=True)
    unpacked = tmp_path / "kvm" / "cua"
    assert (unpacked / "wheels" / WHEEL).read_bytes() == wheel()
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=unpacked, check=True)
    listed = {line.split("  ")[1] for line in (unpacked / "SHA256SUMS").read_text().splitlines()}
    there = {str(each.relative_to(unpacked)) for each in unpacked.rglob("*") if each.is_file()}
    assert there - listed == {"SHA256SUMS"}


def test_a_truncated_file_of_a_bundle_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with index(wheel()) as packages:
        for name, value in packages.environ.items():
            monkeypatch.setenv(name, value)
        make(program(tmp_path, wheel()), DEVICE, tmp_path / "one.tar.gz")
    subprocess.run(["tar", "-C", tmp_path, "-xzf", tmp_path / "one.tar.gz"], check=True)
    unpacked = tmp_path / "cua"
    assert bundle.damaged(unpacked) == []
    cut = unpacked / "wheels" / WHEEL
    cut.write_bytes(cut.read_bytes()[:100])
    done = subprocess.run(
        [sys._base_executable, "-S", unpacked / "cua_webapp.py", "install"],  # type: ignore[attr-defined]
        capture_output=True,
        text=True,
    )
    assert (done.returncode, f"wheels/{WHEEL} of the bundle is damaged" in done.stdout) == (1, True)
    for part, command, end in (
        ("cua/web/local_addresses.py", "doctor", "def cut("),
        ("cua/agent/loop.py", "run", "def cut("),
        ("cua/web/local_addresses.py", "doctor", "\nfr"),
        ("cua/agent/loop.py", "run", "\nfr"),
        ("cua/extras.py", "doctor", "\nfr"),
    ):
        whole = (unpacked / part).read_text()
        (unpacked / part).write_text(whole + end)
        done = subprocess.run(
            [
                sys.executable,
                unpacked / "cua_webapp.py",
                command,
                *(["x"] if command == "run" else []),
            ],
            capture_output=True,
            text=True,
            env={**os.environ, "CUA_KVM": "pikvm://127.0.0.1:9"},
        )
        assert "damaged" in done.stderr
        assert "Traceback" not in done.stderr
        (unpacked / part).write_text(whole)


def test_a_wheel_that_is_not_the_pinned_one_makes_no_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with index(wheel(b"other")) as packages:
        for name, value in packages.environ.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(subprocess.CalledProcessError):
            make(program(tmp_path, wheel()), DEVICE, tmp_path / "one.tar.gz")


def test_a_bundle_that_cannot_be_is_refused_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in alone("http://127.0.0.1:9/simple").items():
        monkeypatch.setenv(name, value)
    for place in (tmp_path, tmp_path / "none" / "one.tar.gz"):
        with pytest.raises(SystemExit, match="2"):
            bundle.main(["--to", str(place)])
        assert capfd.readouterr().err.startswith(f"{place} cannot be written")
    command = [
        sys.executable,
        "-S",
        "cua_webapp.py",
        "bundle",
        "--to",
        str(tmp_path / "one.tar.gz"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "No module named pip" not in done.stderr  # one that is not installed was found, or named
    with pytest.raises(SystemExit):
        bundle.main(["--python", "3"])
    assert "'3' is not a Python version such as 3.11" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("OSError: [Errno 28] No space left on device: '/x'", "disk is full"),
        ("NewConnectionError('...: Failed to establish a new connection: [Errno -3] Temporary "
         "failure in name resolution'): /simple/", "DNS"),
        ("ssl.SSLCertVerificationError: certificate is not yet valid", "clock"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "certificates"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", "does not match its pinned hash"),
        ("  Downloading anyio-4.16.0-py3-none-any.whl\nERROR: No matching distribution found for "
         "pillow==12.3.0", "no prebuilt pillow"),
        ("OSError: [Errno 30] Read-only file system", "cannot be written"),
        ("ERROR: something new", "ERROR: something new"),
    ],
)  # fmt: skip
def test_what_pip_says_becomes_a_sentence_with_a_fix(said: str, words: str) -> None:
    assert words in errors.of_command(["before", said, "after"], 1)


def test_a_signal_is_told() -> None:
    assert "signal 9" in errors.of_command([], -9)


def test_a_socket_of_systemd_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        script = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3);"
            "os.environ['LISTEN_PID'] = str(os.getpid());"
            "from cua.cli.listening_socket import take_systemd_socket;"
            "given = take_systemd_socket();"
            "print(given.getsockname()[1], given.get_inheritable(), take_systemd_socket())"
        )
        said = subprocess.run(
            [sys.executable, "-c", script, str(listener.fileno())],
            env={**os.environ, "LISTEN_FDS": "1"},
            pass_fds=(listener.fileno(),),
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
    assert said.stdout == f"{port} False None\n", said.stderr
