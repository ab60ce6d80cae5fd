"""The phases of a step: a task in which each is long enough to be met, and what it is to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.servers.mjpeg_server import picture

from .stand_ins import Reply
from .testbed import Event, Testbed

PHASE_TIMEOUT_S = 30.0
LETTERS = "the quick brown fox jumps over the lazy dog and runs away 12345 "
PLACES = [(100 + 150 * n, 100 + 70 * n) for n in range(7)]
CORNERS = [(200, 200), (1000, 600)]


@dataclass(frozen=True)
class Phase:
    """`begins` tells whether its moment has come; None: the fault is there before the task.

    `text`, `clicks` and `drags` are all that may be typed, clicked and dragged.
    """

    name: str
    replies: tuple[Reply, ...]
    begins: Callable[[Testbed, list[Event]], bool] | None = None
    text: str = ""
    clicks: tuple[tuple[int, int], ...] = ()
    chords: tuple[str, ...] = ()
    restless: bool = False
    """Whether the screen moves after the first action, so that it takes long to settle."""

    def prepare(self, testbed: Testbed) -> None:
        testbed.model.say(*self.replies)


def _actions(*actions: dict[str, object], delay: float = 0.0) -> Reply:
    return {"text": "I go on.\n" + "\n".join(map(json.dumps, actions)), "delay": delay}


def typed(text: str, delay: float = 0.0) -> Reply:
    return _actions({"type": "type", "text": text}, delay=delay)


def _click(x: int, y: int) -> dict[str, object]:
    return {"type": "click", "x": x, "y": y, "button": "left"}


def _drag(*path: tuple[int, int]) -> dict[str, object]:
    return {"type": "drag", "path": [{"x": x, "y": y} for x, y in path]}


DONE: Reply = {"text": "DONE: It is done."}


def _entered(name: str, step: int) -> Callable[[Testbed, list[Event]], bool]:
    def begins(_: Testbed, events: list[Event]) -> bool:
        return any(
            event["kind"] == "phase"
            and event["data"]["phase"] == name
            and event["data"]["step"] >= step
            for event in events
        )

    return begins


def _told(kind: str, step: int = 0) -> Callable[[Testbed, list[Event]], bool]:
    return lambda _, events: any(
        event["kind"] == kind and event["data"].get("step", step) >= step for event in events
    )


def _pressed(least: int, endpoint: str) -> Callable[[Testbed, list[Event]], bool]:
    """So many reports with something pressed have come."""

    def begins(testbed: Testbed, _: list[Event]) -> bool:
        held = [
            report
            for each, report in testbed.hid.reports
            if each == endpoint and (report[0] or (each == "keyboard" and any(report)))
        ]
        return len(held) >= least

    return begins


PHASES = (
    Phase("looking", (typed("first"), DONE), text="first"),
    Phase(
        "settling",
        (_actions(_click(*PLACES[0])), typed("after"), DONE),
        _entered("settling", 2),
        text="after",
        clicks=(PLACES[0],),
        restless=True,
    ),
    Phase("asking", (typed("first", delay=1.0), DONE), _entered("thinking", 1), text="first"),
    Phase(
        "waiting for approval",
        (_actions({"type": "keypress", "keys": ["ALT", "F4"]}), DONE),
        _told("approval"),
        chords=("alt+f4",),
    ),
    Phase("typing", (typed(LETTERS), DONE), _pressed(8, "keyboard"), text=LETTERS),
    Phase(
        "clicking",
        (_actions(*(_click(*place) for place in PLACES)), DONE),
        _pressed(1, "pointer"),
        clicks=tuple(PLACES),
    ),
    Phase(
        "dragging",
        (_actions(_drag(*CORNERS), _drag(*CORNERS[::-1]), _drag(*CORNERS)), DONE),
        _pressed(5, "pointer"),
        clicks=(CORNERS[0], CORNERS[1], CORNERS[0]),
    ),
    Phase("ending", (typed("first"), DONE), _told("reply", 2), text="first"),
)
STILL = [picture("a screen at rest")]
MOVING = [picture(f"the screen moves {n}", grey=20 + 60 * n) for n in range(3)]
