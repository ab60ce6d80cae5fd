"""One fault in one phase: what must hold meanwhile and afterwards, and the task after it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx2

from tests.support.devices import interpret

from .kinds.kind import Kind, perform
from .phases import DONE, MOVING, PHASE_TIMEOUT_S, STILL, Phase, typed
from .rules import find_unintended, is_advice
from .stand_ins import POLL_S
from .testbed import ENDED, Event, Testbed

SERVED_S = 20.0
"""For how long a fault of the model waits for a request that meets it."""
LEAST_S = 1.0
"""For how long at least any other lasts, also when the run has ended."""
RUN_S = 90.0
"""For how long a run may go on after the fault; then the person stops it."""
NEXT_S = 90.0
NEXT = "next"
WAITING = {"silence"}
"""What tells the person that a reply takes long."""
WATCHED = "The page says since when nothing has come: wait, or press Stop."


class Disturbed(Exception):
    """The run did not come to the phase: this machine was too busy with other things."""


@dataclass
class Outcome:
    """How a run went on; `wrong` are the rules that it broke."""

    how: str = ""
    sentence: str = ""
    wrong: list[str] = field(default_factory=list)


async def run_cell(testbed: Testbed, kind: Kind, phase: Phase) -> Outcome:
    outcome = Outcome()
    await _reset(testbed)
    phase.prepare(testbed)
    testbed.hid.reports.clear()
    cured = asyncio.Event()
    helpers = [
        asyncio.create_task(_approve_all(testbed, cured)),
        asyncio.create_task(_move_screen(testbed, phase)),
    ]
    try:
        await _run_with_fault(testbed, kind, phase, cured, outcome)
    finally:
        for each in helpers:
            each.cancel()
        await asyncio.wait(helpers)
    await testbed.hid.quiet()
    outcome.wrong += find_unintended(testbed.hid.reports, phase)
    if outcome.how not in ("went on", "was started again") and not is_advice(outcome.sentence):
        outcome.wrong.append(f"no sentence says what to do: {outcome.sentence!r}")
    if outcome.how == "did not stop":
        outcome.wrong.append("a stop had no effect")
    outcome.wrong += await _run_next_task(testbed)
    if "Traceback" in testbed.stderr:
        outcome.wrong.append(f"a traceback: {testbed.stderr[-600:]}")
    return outcome


async def _reset(testbed: Testbed) -> None:
    testbed.kvm.stream.frames = STILL
    await testbed.page.post("/api/reset")


async def _approve_all(testbed: Testbed, cured: asyncio.Event) -> None:
    """The person says yes to every question, once the fault is over."""
    answered: set[str] = set()
    await cured.wait()
    while True:
        for event in events(testbed):
            digest = event["data"].get("digest", "")
            if event["kind"] == "approval" and digest not in answered:
                answered.add(digest)
                await _post(testbed, "/api/approve", id=event["data"]["id"], digest=digest)
        await asyncio.sleep(0.02)


async def _move_screen(testbed: Testbed, phase: Phase) -> None:
    """A screen that moves after the first action, for so long that one sees it settle."""
    if phase.restless:
        while not testbed.hid.reports:
            await asyncio.sleep(POLL_S)
        testbed.kvm.stream.frames = MOVING
        await asyncio.sleep(2.5)
        testbed.kvm.stream.frames = STILL


def events(testbed: Testbed) -> list[Event]:
    """Those since the last reset."""
    events = list(testbed.page.events)
    resets = [number for number, event in enumerate(events) if event["kind"] == "reset"]
    return events[resets[-1] :] if resets else events


async def _run_with_fault(
    testbed: Testbed, kind: Kind, phase: Phase, cured: asyncio.Event, outcome: Outcome
) -> None:
    early = phase.begins is None and kind.before_task
    if early:
        await perform(kind.begin, testbed)
    refused = await _post(testbed, "/api/send", text="do it")
    if not early:
        await _wait_for_phase(testbed, phase)
        await perform(kind.begin, testbed)
    await _wait_for_fault(testbed, kind, cured)
    if kind.restarts:
        outcome.how = "was started again"
        outcome.wrong += await _check_before_restart(testbed, phase)
        await testbed.leave()
        await testbed.start()
        return
    await perform(kind.end, testbed)
    cured.set()
    outcome.how, outcome.sentence = (
        ("did not begin", refused) if refused else await _wait_for_end(testbed)
    )


async def _wait_for_phase(testbed: Testbed, phase: Phase) -> None:
    deadline = time.monotonic() + PHASE_TIMEOUT_S
    while phase.begins and not phase.begins(testbed, events(testbed)):
        if time.monotonic() > deadline or status(testbed) in ENDED:
            raise Disturbed("; ".join(_sentences(testbed)) or "it took too long")
        await asyncio.sleep(POLL_S)


async def _wait_for_fault(testbed: Testbed, kind: Kind, cured: asyncio.Event) -> None:
    """Until the fault has done what it does."""
    if kind.lasts_s is None:
        cured.set()  # it shows when the model is asked, which is after the approval
        await _until_ended(testbed, SERVED_S, lambda: testbed.model.faults_served > 0)
    else:
        at_least = min(LEAST_S, kind.lasts_s)
        await asyncio.sleep(at_least)
        await _until_ended(testbed, kind.lasts_s - at_least)


async def _until_ended(
    testbed: Testbed, seconds: float, over: Callable[[], bool] = lambda: False
) -> bool:
    """Whether the run ended, or it was `over`, within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if over() or status(testbed) in ENDED:
            return True
        await asyncio.sleep(POLL_S)
    return False


def status(testbed: Testbed) -> str:
    found = [event["data"]["status"] for event in events(testbed) if event["kind"] == "status"]
    return found[-1] if found else "idle"


async def _wait_for_end(testbed: Testbed) -> tuple[str, str]:
    """How the run ends, by itself or because the person stops it."""
    deadline = time.monotonic() + RUN_S
    while status(testbed) not in ENDED:
        shown = {event["kind"] for event in events(testbed)} & WAITING
        if shown or time.monotonic() > deadline:
            message = WATCHED if shown else "; ".join(_sentences(testbed))
            await _post(testbed, "/api/stop")
            stopped = await _stopped(testbed)
            return "was stopped by the person" if stopped else "did not stop", message
        await asyncio.sleep(POLL_S)
    if status(testbed) == "done":
        return "went on", ""
    return f"ended as {status(testbed)}", "; ".join(_sentences(testbed))


async def _stopped(testbed: Testbed) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if status(testbed) == "stopped":
            return True
        await asyncio.sleep(POLL_S)
    return False


def _sentences(testbed: Testbed) -> Iterator[str]:
    for event in events(testbed):
        data = event["data"]
        words = data.get("reason") or data.get("sentence") or ""
        if event["kind"] in ("status", "screen", "reach") and words:
            yield words
        elif event["kind"] in ("failed", "log", "question") and data.get("text"):
            yield data["text"]


async def _check_before_restart(testbed: Testbed, phase: Phase) -> list[str]:
    """Before it is started again, for then it would let go of everything."""
    await testbed.end()
    await testbed.hid.quiet()
    return list(find_unintended(testbed.hid.reports, phase))


async def _run_next_task(testbed: Testbed) -> list[str]:
    testbed.kvm.stream.frames = STILL
    testbed.hid.reports.clear()
    testbed.model.say(typed(NEXT), DONE)
    stopped = status(testbed) == "stopped"
    await _post(testbed, "/api/reset")
    if stopped:
        await _post(testbed, "/api/resume")
    deadline = time.monotonic() + NEXT_S
    while (
        refused := await _post(testbed, "/api/send", text="go on")
    ) and time.monotonic() < deadline:
        await asyncio.sleep(0.5)
    while status(testbed) not in ENDED and time.monotonic() < deadline:
        await asyncio.sleep(POLL_S)
    await testbed.hid.quiet(0.3)
    found = interpret(testbed.hid.reports)
    wrong = []
    if status(testbed) != "done" or found.text != NEXT or found.down:
        message = "; ".join(_sentences(testbed))
        wrong.append(
            f"the next task ended as {status(testbed)}, typed {found.text!r}, {refused or message}"
        )
    return wrong


async def _post(testbed: Testbed, path: str, **body: object) -> str:
    """What the service says against it, "" for nothing."""
    try:
        answer = await asyncio.wait_for(testbed.page.post(path, **body), 20)
    except (httpx2.HTTPError, asyncio.TimeoutError, RuntimeError) as error:
        return f"no answer ({type(error).__name__})"
    return "" if answer.status_code == 200 else str(answer.json().get("error", answer.text))
