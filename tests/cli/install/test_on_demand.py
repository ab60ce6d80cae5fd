"""Extras that are installed while the service runs, in a terminal, and from a bundle."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.install.package_index import (
    alone,
    index,
    lock,
    only_pip,
    program,
    site_without,
    wheel,
)
from tests.cli.install.test_install import BARE, NOWHERE, PLAIN, Start, started
from tests.support.kvm_hardware import Kvm, ended
from tests.support.page_client import Page, page

OCR = wheel(os.urandom(300_000), ["rapidocr"], "ocr")
MCP = wheel(b"", ["mcp"], "protocol")
BASE = wheel()
MODEL = ("CUA_API_TYPE", "CUA_BASE_URL", "CUA_API_KEY", "CUA_MODEL_NAME")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return program_with_extra(tmp_path)


def program_with_extra(folder: Path) -> Path:
    """A program whose extra `local` is one wheel."""
    place = program(folder, BASE)
    write_lock(place, OCR, "local")
    return place


def write_lock(place: Path, body: bytes, extra: str) -> None:
    lock_file = place / "cua" / "cli" / "install" / "lock.txt"
    lock_file.write_text(lock(BASE) + lock(body, 400_000, extra))


@pytest.fixture
def environ(kvm: Kvm, tmp_path: Path) -> dict[str, str]:
    """For a service that has its own packages and not those of the extra."""
    return {
        **{name: value for name, value in kvm.environ.items() if name not in MODEL},
        "CUA_NOTICE_ACKNOWLEDGED": "1",
        "PYTHONPATH": str(site_without(tmp_path, "rapidocr", "mcp")),
    }


async def offer(person: Page, extra: str = "local") -> dict[str, Any]:
    found: dict[str, Any] = (await person.get("/api/extras")).json()[extra]
    return found


async def until(
    person: Page, fits: Callable[[dict[str, Any]], bool], extra: str = "local"
) -> dict[str, Any]:
    """Poll as the page does."""
    for _ in range(600):
        if fits(found := await offer(person, extra)):
            break
        await asyncio.sleep(0.1)
    assert fits(found), found
    return found


async def install(person: Page) -> dict[str, Any]:
    """Press the button; returns the offer when it has ended."""
    assert (await person.post("/api/extras/local")).status_code == 200
    return await until(person, lambda found: found["status"] != "running")


async def test_extras_are_installed_in_turn_used_without_a_restart_and_kept(
    place: Path, environ: dict[str, str]
) -> None:
    lock_file = place / "cua" / "cli" / "install" / "lock.txt"
    lock_file.write_text(lock_file.read_text() + lock(MCP, extra="mcp"))
    with (
        index(OCR, MCP, halting=True) as packages,
        started(place, environ | packages.environ) as start,
    ):
        async with page(start.origin) as person:
            before = await offer(person)
            assert (before["installed"], before["status"]) == (False, "waiting")
            assert (before["download"], before["disk"]) == (len(OCR), 400_000)
            await person.post("/api/settings", api_type="local")
            for _ in range(2):  # a second press changes nothing
                assert (await person.post("/api/extras/local")).status_code == 200
            assert await asyncio.to_thread(packages.halted.wait, 60)
            half = await until(person, lambda found: 0 < found["progress"] < 0.9)
            assert (half["status"], half["installed"]) == ("running", False)
            assert (await person.post("/api/extras/mcp")).status_code == 200
            waiting = await until(person, lambda found: found["next"] > 0, "mcp")
            assert (waiting["status"], waiting["progress"]) == ("running", 0)
            packages.halt.set()
            for name in ("local", "mcp"):
                done = await until(person, lambda found: found["status"] != "running", name)
                assert (done["status"], done["installed"], done["progress"]) == ("done", True, 1)
            await person.until("screen", 60, state="live")
            await person.post("/api/send", text="press F5")
            await person.until("status", 60, status="done")
        assert await ended(start.process) == 0
    assert packages.served == 2
    with started(place, environ | alone(NOWHERE)) as again:
        async with page(again.origin) as person:
            assert (await offer(person))["installed"]


async def test_a_fault_is_said_and_the_next_press_tries_again(
    place: Path, environ: dict[str, str]
) -> None:
    with (
        index(wheel(b"other", ["rapidocr"], "ocr")) as packages,
        started(place, environ | packages.environ) as start,
    ):
        async with page(start.origin) as person:
            wrong = await install(person)
            assert (wrong["status"], wrong["installed"]) == ("failed", False)
            assert "does not match its pinned hash" in wrong["words"]["text"]
            packages.wheels = dict.fromkeys(packages.wheels, OCR)
            assert (await install(person))["status"] == "done"
    shutil.rmtree(place / ".installed")
    with started(place, environ | alone(NOWHERE)) as start:
        async with page(start.origin) as person:
            assert "cannot be reached" in (await install(person))["words"]["text"]
            assert not (await offer(person))["installed"]


async def test_only_the_page_with_the_session_installs_extras(
    place: Path, environ: dict[str, str]
) -> None:
    with index(OCR) as packages, started(place, environ | packages.environ) as start:
        async with page(start.origin) as person:
            for token in ("", "wrong"):
                assert _post(start, token).status_code == 403
                assert _get(start, token).status_code == 403
            assert _post(start, person.token, origin="http://evil.example").status_code == 403
            refused = await person.post("/api/extras/setuptools")
            assert refused.status_code == 404
            assert "no such set of packages" in refused.json()["error"]
            assert (await offer(person))["status"] == "waiting"
    assert packages.served == 0


def _post(start: Start, token: str, origin: str = "") -> httpx2.Response:
    headers = {"Origin": origin or start.origin, "X-CUA-Token": token}
    url = f"{start.origin}/api/extras/local"
    return httpx2.post(url, headers=headers, json={}, **PLAIN)


def _get(start: Start, token: str) -> httpx2.Response:
    url = f"{start.origin}/api/extras"
    return httpx2.get(url, headers={"X-CUA-Token": token}, **PLAIN)


def test_the_terminal_installs_extras_of_a_bundle_and_keeps_them_after_an_upgrade(
    place: Path, tmp_path: Path
) -> None:
    write_lock(place, MCP, "mcp")
    file = tmp_path / "bundle.tar.gz"
    with index(BASE, MCP) as packages:
        made = said(
            place,
            *("bundle", "--with", "mcp", "--to", str(file)),
            *("--machine", os.uname().machine, "--python", _python()),
            **packages.environ,
        )
        assert made.returncode == 0, made.stderr
        assert packages.served == 2
    shutil.rmtree(place)
    subprocess.run(["tar", "-C", place.parent, "-xzf", file], check=True)
    done = said(place, "install", "--with", "mcp", **alone(NOWHERE))
    assert done.returncode == 0, done.stdout
    shutil.rmtree(place / "wheels")
    newer = wheel(b"newer", ["mcp"], "protocol")
    write_lock(place, newer, "mcp")
    with index(BASE, newer) as packages:
        again = said(place, "install", **packages.environ)
        assert again.returncode == 0, again.stdout
        assert packages.served == 1
    assert len(list(place.glob(".installed/mcp-*"))) == 1


@pytest.mark.parametrize("command", ["install", "bundle"])
def test_an_unknown_extra_is_refused_with_the_known_ones(place: Path, command: str) -> None:
    done = said(place, command, "--with", "vnc")
    assert done.returncode == 2
    assert "'vnc' is not an extra: choose from local" in done.stderr


def said(place: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BARE, place / "cua_webapp.py", *arguments],
        env={**os.environ, "PYTHONPATH": str(only_pip(place)), **environ},
        capture_output=True,
        text=True,
    )


def _python() -> str:
    words = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([BARE[0], "-c", words], capture_output=True, text=True).stdout.strip()
