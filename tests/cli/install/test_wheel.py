"""The program as a package: a wheel that carries everything the service serves and says."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from cua.cli.install.bundle import PARTS
from tests.support.kvm_hardware import ROOT, any_free_port

PROGRAM = (
    sys.executable,
    "-c",
    "import sys, cua_webapp; sys.argv[0] = 'kvm-cua'; sys.exit(cua_webapp.console())",
)
"""As pip's command does it."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    for part in (*PARTS, "static", "templates", "prompts"):
        subprocess.run(["cp", "-a", ROOT / part, folder / part], check=True)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"),
            *("--no-build-isolation", "--wheel-dir", folder / "dist", folder),
        ],
        check=True,
    )
    (built,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "site-packages")
    return folder / "site-packages"


def test_the_source_distribution_carries_no_tests(tmp_path: Path) -> None:
    place = tmp_path / "source"
    place.mkdir()
    for part in (*PARTS, "static", "templates", "prompts", "MANIFEST.in"):
        subprocess.run(["cp", "-a", ROOT / part, place / part], check=True)
    (place / "tests").mkdir()
    (place / "tests" / "test_some.py").touch()
    build = "import setuptools.build_meta as build; print(build.build_sdist('.'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=place, capture_output=True, text=True)
    with tarfile.open(place / done.stdout.split()[-1]) as archive:
        names = archive.getnames()
    assert [name for name in names if "/tests" in name] == []
    assert [name for name in names if name.endswith("cua/cli/install/kvm-cua.service")]


def test_it_carries_what_lies_beside_the_code(site: Path) -> None:
    for part in ("cua", "static", "templates", "prompts"):
        base = site / "cua" if part != "cua" else site
        for path in (ROOT / part).rglob("*"):
            if path.is_file() and path.suffix != ".pyc" and path.name != "README.md":
                assert (base / path.relative_to(ROOT)).is_file(), path
    (entry,) = site.glob("*.dist-info/entry_points.txt")
    assert "kvm-cua = cua_webapp:console" in entry.read_text()


def test_the_installed_package_serves_its_page(site: Path) -> None:
    port = any_free_port()
    process = subprocess.Popen(
        [*PROGRAM, "--demo", "--model", "settings", "--port", str(port)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(site)},
        cwd="/",
    )
    assert process.stdout is not None
    try:
        assert b"Authentication" in process.stdout.readline()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/static/app.js") as answer:
            assert answer.status == 200
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
    assert "qwen3_vl" in said(site, "parse", "--list").stdout


def test_the_installed_package_goes_by_its_name_and_needs_no_installation(site: Path) -> None:
    assert said(site, "--help").stdout.startswith("usage: kvm-cua ")
    assert said(site, "eval", "--help").stdout.startswith("usage: kvm-cua eval ")
    refused = said(site, "install")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("pip has installed this")


def test_a_user_without_a_home_can_use_it(site: Path) -> None:
    stranger = ("unshare", "--user", "--map-user=12345", "env", "--unset=HOME")
    if subprocess.run([*stranger, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("user namespaces are not allowed here")
    assert said(site, "pair", "--port=1", before=stranger).returncode == 1


def said(
    site: Path, *arguments: str, before: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, *PROGRAM, *arguments],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        cwd="/",
    )


def test_the_unit_names_the_paths_of_this_program(site: Path) -> None:
    unit = said(site, "install", "--systemd").stdout
    assert f"ExecStart={sys.executable} {site}/cua_webapp.py --auth" in unit
    assert "/opt/kvm-cua" not in unit
