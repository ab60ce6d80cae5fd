"""From nothing installed to the running service: real environments, a real pip, a little index."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from cua.cli.install.package_folders import PackageSet
from cua.extras import MODULES
from cua.messages import Message, to_json
from tests.cli.install.package_index import (
    WHEEL,
    alone,
    index,
    lock,
    only_pip,
    program,
    site_without,
    wheel,
)
from tests.cli.test_commands import heeding
from tests.support.kvm_hardware import Kvm, any_free_port, ended
from tests.support.page_client import Refused, enter, page

TOKEN, OTHER = {"X-CUA-Token": "first"}, {"X-CUA-Token": "second"}
BARE = (sys._base_executable, "-S")  # type: ignore[attr-defined]
"""A Python without any package."""
NOWHERE = "http://127.0.0.1:9/simple"
PLAIN: dict[str, Any] = {"trust_env": False, "verify": False}
"""For a request without TLS; to load the certificates of this system takes longer than it."""


class Start:
    """The program, started as the KVM's server does it, by a Python without packages."""

    def __init__(self, place: Path, environ: dict[str, str], *more: str) -> None:
        port = any_free_port()
        self.origin = f"http://127.0.0.1:{port}"
        command = (*BARE, place / "cua_webapp.py", "--auth", "1", "--port", str(port), *more)
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **os.environ,
                "CUA_CONFIG": str(place.parent / "cua_cfg.json"),
                "PYTHONPATH": str(only_pip(place)),
                **environ,
                "CUA_GRACE_SECONDS": "0.2",
            },
            cwd="/",
            start_new_session=True,
            preexec_fn=heeding,
        )
        assert self.process.stdout is not None
        assert b"Authentication" in self.process.stdout.readline()
        self.process.stdout.close()

    def state(self, headers: dict[str, str] = TOKEN) -> dict[str, Any]:
        answer = httpx2.get(f"{self.origin}/api/install", headers=headers, **PLAIN)
        found: dict[str, Any] = answer.json()
        return found

    def install(self, headers: dict[str, str] = TOKEN, origin: str = "") -> httpx2.Response:
        return httpx2.post(
            f"{self.origin}/api/install",
            headers={"Origin": origin or self.origin, **headers},
            **PLAIN,
        )

    def until(self, fits: Callable[[dict[str, Any]], bool], seconds: float = 60) -> dict[str, Any]:
        give_up = time.monotonic() + seconds
        while not fits(state := self.state()):
            assert time.monotonic() < give_up, state
            time.sleep(0.1)
        return state

    async def until_taken_over(self) -> None:
        """The real service is there, on the same port."""
        for _ in range(600):
            with contextlib.suppress(httpx2.HTTPError):
                if "status" not in await asyncio.to_thread(self.state):
                    break
            await asyncio.sleep(0.1)

    async def taken_over(self) -> None:
        """The real service lets the page in that had it installed, and ends when it leaves."""
        await self.until_taken_over()
        async with page(self.origin, TOKEN["X-CUA-Token"]) as person:
            assert (await person.get("/api/settings")).status_code == 200
        assert await ended(self.process) == 0


@contextlib.contextmanager
def started(place: Path, environ: dict[str, str], *more: str) -> Iterator[Start]:
    start = Start(place, environ, *more)
    try:
        yield start
    finally:
        start.process.kill()
        start.process.wait()
        assert start.process.stderr is not None
        start.process.stderr.close()


async def test_one_click_and_the_service_runs_on_the_same_port(kvm: Kvm, tmp_path: Path) -> None:
    body = wheel()
    place = program(tmp_path, body)
    with index(body) as packages:
        with started(place, kvm.environ | packages.environ) as start:
            state = start.state()
            assert (state["status"], state["may_start"]) == ("waiting", True)
            assert state["notes"] == []
            assert [each["name"] for each in state["packages"]] == ["everything"]
            start.install()
            assert start.state(OTHER)["may_start"] is False
            await start.until_taken_over()
            with pytest.raises(Refused, match="the page that installed it"):
                await enter(start.origin, OTHER["X-CUA-Token"])
            await start.taken_over()
        assert packages.served == 1
        damage(place)
        with started(place, kvm.environ | packages.environ) as repaired:
            await repaired.taken_over()
        assert packages.served == 2
    with started(place, kvm.environ | alone(NOWHERE)) as again:  # nothing is fetched any more
        await again.taken_over()
    newer = wheel(b"newer")
    (place / "cua" / "cli" / "install" / "lock.txt").write_text(lock(newer))
    no_kvm = {"CUA_HID_PREFIX": str(tmp_path / "no")}
    with (
        index(newer) as packages,
        started(place, kvm.environ | packages.environ | no_kvm) as upgraded,
    ):
        assert upgraded.state()["outdated"] is True
        assert upgraded.state()["notes"] == [to_json(Message("install.no_kvm"))]
        upgraded.install()
        await upgraded.until_taken_over()
        async with page(upgraded.origin, TOKEN["X-CUA-Token"]) as person:
            lost = await person.until("screen", state="lost")
            assert "Enter the address of your KVM" in lost["data"]["sentence"]
        assert await ended(upgraded.process) == 0


async def test_the_demo_installs_what_reads_the_screen(kvm: Kvm, tmp_path: Path) -> None:
    base, ocr = wheel(), wheel(b"", MODULES["local"], "ocr")
    place = program(tmp_path, base)
    lock_file = place / "cua" / "cli" / "install" / "lock.txt"
    lock_file.write_text(lock(base) + lock(ocr, extra="local"))
    environ = {"PYTHONPATH": str(site_without(tmp_path, "rapidocr"))}
    demo = ("--demo", "--access", "first-visitor")
    with index(ocr) as packages, started(place, environ | packages.environ, *demo) as start:
        assert [each["name"] for each in start.state()["packages"]] == ["ocr"]
        start.install()
        await start.until_taken_over()
        async with page(start.origin, TOKEN["X-CUA-Token"]) as person:
            await person.post("/api/notice")
            await person.until("screen", 60, state="live")
            await person.post("/api/send", text="press F5")
            await person.until("status", 120, status="done")


async def test_only_the_first_page_may_start_it_and_no_other_site(kvm: Kvm, tmp_path: Path) -> None:
    body = wheel()
    with started(program(tmp_path, body), kvm.environ | alone(NOWHERE)) as start:
        assert start.state()["may_start"] is True
        assert start.state(OTHER)["may_start"] is False
        assert start.install(OTHER).status_code == 403
        assert start.install({}).status_code == 403
        assert start.install(origin="http://evil.example").status_code == 403
        rebound = httpx2.get(start.origin, headers={"Host": "evil.example"}, **PLAIN)
        assert rebound.status_code == 421
        assert start.state()["status"] == "waiting"


async def test_what_was_cut_off_is_made_anew_by_the_next_start(kvm: Kvm, tmp_path: Path) -> None:
    body = wheel()
    place = program(tmp_path, body)
    with index(body, halting=True) as packages:
        environ = kvm.environ | packages.environ
        with started(place, environ) as start:
            start.install()
            assert await asyncio.to_thread(packages.halted.wait, 60)
            packages.halted.clear()
            start.process.send_signal(signal.SIGHUP)  # the terminal is gone, and pip with it
            assert await ended(start.process) == 143
        with started(place, environ) as again:
            assert await asyncio.to_thread(packages.halted.wait, 60)
            assert again.state()["status"] == "running"
        with started(place, environ) as third:  # the pip of the one that was killed is still there
            packages.halt.set()
            state = await asyncio.to_thread(third.until, lambda state: state["status"] != "running")
            assert state["status"] == "done", state["words"]


async def test_the_wheels_of_a_bundle_need_no_network_and_what_ends_the_service_then_is_said(
    kvm: Kvm, tmp_path: Path
) -> None:
    body = wheel()
    place = program(tmp_path, body)
    (place / "wheels").mkdir()
    other = place / "wheels" / WHEEL.replace("py3-none-any", "cp39-cp39-manylinux2014_s390x")
    other.write_bytes(body)
    with started(place, kvm.environ | alone(NOWHERE) | {"CUA_KVM": "foo://x"}) as start:
        assert start.state()["bundle"] is True
        assert f"bundle --machine {platform.machine()} --python 3." in await _fault(start)
        other.rename(place / "wheels" / WHEEL)
        start.install()
        await start.until_taken_over()
        with pytest.raises(Refused, match="'foo://x' is not a valid KVM address"):
            await enter(start.origin, TOKEN["X-CUA-Token"])
        assert await ended(start.process) == 2


async def _fault(start: Start) -> str:
    start.install()
    state = await asyncio.to_thread(start.until, lambda state: state["status"] != "running")
    assert state["status"] == "failed", state
    return str(state["words"]["text"])


async def test_faults_are_told_in_words_and_can_be_tried_again(kvm: Kvm, tmp_path: Path) -> None:
    body = wheel()
    place = program(tmp_path, body)
    with started(place, kvm.environ | alone(NOWHERE)) as start:
        assert "cannot be reached. Check" in await _fault(start)
        assert "bundle" in await _fault(start)
    hasty = {**alone(NOWHERE), "PIP_RETRIES": "0"}  # does not even say that it got no connection
    with started(place, kvm.environ | hasty) as start:
        assert "cannot be reached, or has no everything" in await _fault(start)
    with index(wheel(b"other")) as other, started(place, kvm.environ | other.environ) as start:
        assert "does not match its pinned hash" in await _fault(start)
    (place / "cua" / "cli" / "install" / "lock.txt").write_text(
        lock(body) + lock(body).replace("everything", "gone")
    )
    with index(body) as packages, started(place, kvm.environ | packages.environ) as start:
        assert "no prebuilt gone" in await _fault(start)


@pytest.mark.skipif(os.getuid() != 0, reason="makes a small disk, which needs root")
@pytest.mark.parametrize(("disk", "words"), [(100_000, "disk is full"), (50_000_000, "are needed")])
async def test_a_full_disk(kvm: Kvm, tmp_path: Path, disk: int, words: str) -> None:
    body = wheel(os.urandom(6_000_000))
    place = program(tmp_path, body, disk)
    (place / ".installed").mkdir()
    with (
        small_disk(place / ".installed"),
        index(body) as packages,
        started(place, kvm.environ | packages.environ) as start,
    ):
        assert words in await _fault(start)


@contextlib.contextmanager
def small_disk(place: Path) -> Iterator[None]:
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(place)]
    if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("not even root may mount a small disk here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def damage(place: Path) -> None:
    (stub,) = place.glob(".installed/base-*/fastapi")
    shutil.rmtree(stub)


READ_ONLY = ("unshare", "--mount", "sh", "-c", 'mount --bind -o ro "$0" "$0" && exec "$@"')
"""A command before which a folder belongs to another user."""


@pytest.mark.parametrize("damaged", [True, False])
def test_a_folder_that_may_not_be_written(tmp_path: Path, damaged: bool) -> None:
    place = program(tmp_path, wheel())
    home = PackageSet(
        place=place / ".installed", lock=place / "cua" / "cli" / "install" / "lock.txt"
    )
    home.place.mkdir()
    if damaged:
        home.folder.mkdir()
    before = [*READ_ONLY, str(place)]
    if subprocess.run([*before, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this user may not make a folder read-only here")
    more = ["--port", "0"] if damaged else ["install"]
    done = subprocess.run(
        [*before, *BARE, place / "cua_webapp.py", *more], capture_output=True, text=True
    )
    assert Message("install.not_writable") in done.stdout + done.stderr
    assert done.returncode == (2 if damaged else 1)


def test_the_terminal_installs_and_mends(tmp_path: Path) -> None:
    body = wheel()
    place = program(tmp_path, body)
    front = str(place / "cua_webapp.py")

    def said(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=os.environ | environ, capture_output=True, text=True)

    with index(body) as packages:
        done = said(*BARE, front, "install", **packages.environ)
        assert done.returncode == 0, done.stdout
        assert done.stdout.rstrip().endswith("All packages are installed.")
        damage(place)
        damaged = said(*BARE, front, "run", "go")
        assert damaged.returncode == 2, damaged.stderr
        command = damaged.stderr.partition("Install them: ")[2].split()
        with_pip = {"PYTHONPATH": str(only_pip(place))}
        assert "All packages" in said(*command, **packages.environ, **with_pip).stdout
        assert "All packages" in said(*command, **alone(NOWHERE)).stdout  # there is nothing to do
    empty = tmp_path / "empty"
    subprocess.run([BARE[0], "-m", "venv", "--without-pip", empty], check=True)
    for python in (BARE, (empty / "bin" / "python",)):  # an empty environment of one's own too
        listed = said(*python, front, "parse", "--list")
        assert "qwen3_vl" in listed.stdout, listed.stderr
