"""Long proofs, not part of the test run: `python -m tests.proofs [--times N] NAME`.

stops: a run is stopped at a random moment, at the session, and what the devices still got is
counted. pages: a page is closed or hidden while the agent types, and the last report is awaited.
saves: `kill -9` while settings are saved. desk: the clients of `test_session_ownership.py`.
host-pauses: the computer takes no report for a while in the middle of an action.
faults: the fault matrix, each kind of fault in each phase of a step (needs root, for a full disk).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.hid.reports import ENDPOINTS, Endpoint
from cua.settings import SettingsFile
from tests.proofs.faults.matrix import faults
from tests.proofs.host_pauses import host_pauses
from tests.support.devices import Fifos, interpret
from tests.support.page_client import Page, enter
from tests.support.scripted_session import ScriptedSession
from tests.support.service import Service, in_this_process
from tests.web.test_session_ownership import Supervision

Report = tuple[Endpoint, bytes]
WORK = {
    "typing": "typestr " + "Hello, World! " * 140,
    "dragging": "drag 0.1 0.1 0.9 0.9\ndrag 0.9 0.9 0.1 0.1",
    "waiting": "sleep 30",
    "thinking": "hang",
}
QUIET_S = 0.5
"""Seconds without a report after which none is expected any more."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.proofs")
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("proof", choices=PROOFS)
    options = parser.parse_args()
    PROOFS[options.proof](options.times)


def stops(times: int) -> None:
    asyncio.run(_stops(times))


async def _stops(times: int) -> None:
    chance, took, more = random.Random(1), [], []
    with tempfile.TemporaryDirectory() as folder:
        fifos = Fifos(Path(folder))
        gadget = Gadget(fifos.prefix)
        for number in range(times):
            work = list(WORK.values())[number % len(WORK)]
            seconds, count = await _stop_once(gadget, fifos, work, chance.uniform(0, 0.4))
            took.append(seconds)
            more.append(count)
        gadget.close()
        fifos.close()
    print(f"{times} stops; what pressed, moved or typed after it: {_count_each(more)}")
    assert max(more) <= 1
    print(f"the stop was answered, with all released, after {_percentiles(took)}")


async def _stop_once(gadget: Gadget, fifos: Fifos, work: str, after: float) -> tuple[float, int]:
    """Seconds until the answer, and how many reports came after the call that are no release."""
    scripted = ScriptedSession(work, "Done")
    scripted.inputs = HidInputs(gadget)
    await scripted.session.send("go")
    await asyncio.sleep(after)
    assert scripted.status() == "running", "it was over before"
    before = _read_reports(fifos)
    started = time.perf_counter()
    await scripted.session.stop()
    seconds = time.perf_counter() - started
    await asyncio.sleep(0.02)
    late = _read_reports(fifos)
    assert scripted.status() == "stopped"
    assert interpret(before + late).down == [], "something stayed down"
    return seconds, sum(_is_press(report) for report in late)


def _read_reports(fifos: Fifos) -> list[Report]:
    return [(endpoint, each) for endpoint in ENDPOINTS for each in fifos.read(endpoint)]


def _is_press(report: Report) -> bool:
    endpoint, data = report
    return any(data) if endpoint == "keyboard" else bool(data[0])


def pages(times: int) -> None:
    asyncio.run(_pages(times))


async def _pages(times: int) -> None:
    took: dict[str, list[float]] = {"closed": [], "hidden": []}
    with tempfile.TemporaryDirectory() as folder:
        async with in_this_process(Path(folder)) as service:
            service.model.script = [{"text": WORK["typing"]}] * (3 * times)
            fifos = Fifos(Path(folder), made=True)
            for number in range(times):
                how = ("closed", "hidden")[number % 2]
                took[how].append(await _leave_page(service, fifos, how))
            fifos.close()
    for how, seconds in took.items():
        print(
            f"page {how} {len(seconds)} times: the last report came after {_percentiles(seconds)}"
        )


async def _leave_page(service: Service, fifos: Fifos, how: str) -> float:
    """Seconds from the page's leaving to the last report of a long text that was being typed."""
    page: Page = await enter(service.origin)
    await page.post("/api/reset")
    _read_reports(fifos)
    await page.post("/api/send", text="type")
    while not _read_reports(fifos):
        await asyncio.sleep(0.005)
    await asyncio.sleep(random.uniform(0, 0.1))
    started = last = time.monotonic()
    if how == "closed":
        page.vanish()
    else:
        await page.say("heartbeat", visible=False)
    while time.monotonic() < last + QUIET_S:
        await asyncio.sleep(0.002)
        if _read_reports(fifos):
            last = time.monotonic()
    assert service.machine.session.status == "paused"
    await page.close()
    return last - started


def saves(times: int) -> None:
    torn = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cfg.json"
        SettingsFile(path, {}).update({"initial_prompt": "0" * 16000})
        for number in range(times):
            _kill_while_saving(path, 0.01 + 0.03 * (number % 101) / 101)
            try:
                stored = json.loads(path.read_text("utf-8"))["initial_prompt"]
                torn += len(stored) != 16000 or len(set(stored)) != 1
            except (OSError, ValueError, KeyError):
                torn += 1
            wrong += stat.S_IMODE(path.stat().st_mode) != 0o600
    print(f"{times} kills while saving: {torn} files torn, {wrong} of a wrong mode")
    assert torn == wrong == 0


def _kill_while_saving(path: Path, after: float) -> None:
    child = os.fork()
    if not child:
        file = SettingsFile(path, {})
        number = os.getpid()
        while True:
            number += 1
            file.update({"initial_prompt": str(number % 10) * 16000})
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def desk(times: int) -> None:
    """`times` steps at least."""
    length = 40
    rounds = -(-times // length)
    run_state_machine_as_test(
        Supervision,
        settings=settings(
            max_examples=rounds, stateful_step_count=length, deadline=None, database=None
        ),
    )
    print(f"three clients, {rounds} stories of up to {length} steps: never two who hold it")


def _percentiles(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    p50, p99 = (1000 * ordered[int((len(ordered) - 1) * part)] for part in (0.5, 0.99))
    return f"p50 {p50:.1f}, p99 {p99:.1f}, max {1000 * ordered[-1]:.1f} ms"


def _count_each(numbers: list[int]) -> str:
    return ", ".join(f"{each} x {numbers.count(each)}" for each in sorted(set(numbers)))


PROOFS: dict[str, Callable[[int], None]] = {
    "stops": stops,
    "pages": pages,
    "saves": saves,
    "desk": desk,
    "host-pauses": host_pauses,
    "faults": faults,
}

if __name__ == "__main__":
    main()
