"""One computer of a fleet, and the data of its tile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...app.machine import Machine
from ...events.log import Event
from ...messages import to_json
from ...timeouts import within
from ..history_routes import make_thumbnail

PICTURE_PX = (480, 300)
PICTURE_TIMEOUT_S = 4.0


class Member:
    """`fill`: fills the computer's labels into a task. Raises `CuaError`."""

    def __init__(
        self,
        machine: Machine,
        groups: Sequence[str],
        labels: Mapping[str, str],
        fill: Callable[[str], str],
    ) -> None:
        self.machine, self.fill = machine, fill
        self._fixed = {"groups": list(groups), "labels": dict(labels)}
        self._task = ""
        self._step = 0
        self._sentence = ""
        self._plans = False
        self._approval: dict[str, Any] = {}
        """The data of the open question, or {}."""
        machine.log.listeners.append(self._handle_event)
        self._picture = 0, b""
        """Number of the frame and its small JPEG, the last one made."""

    def describe(self) -> dict[str, Any]:
        session, video = self.machine.session, self.machine.screen.status
        own = {
            "state": "approval" if self._approval else session.task_status,
            "task": self._task,
            "step": self._step,
            "sentence": self._sentence,
            "approval": self._approval or None,
            "plans": self._plans and session.status == "asking",
            # a stream that nobody needs is closed, and "connecting" until it is needed again
            "trouble": "" if video.state in ("live", "connecting") else video.sentence,
        }
        found: dict[str, Any] = to_json({**self._fixed, **own})
        return found

    async def picture(self, after: int) -> tuple[int, bytes | None]:
        """Return number and JPEG of the newest frame; None if it has the number `after`.

        Waits for one if the stream is closed. Raises `TimeoutError`.
        """
        screen = self.machine.screen
        async with within(PICTURE_TIMEOUT_S):
            frame = screen.newest or await screen.after(0)
        if frame.seq == after:
            return after, None
        if self._picture[0] != frame.seq:
            small = await asyncio.to_thread(make_thumbnail, frame.jpeg, PICTURE_PX)
            self._picture = frame.seq, small or b""
        return self._picture

    def _handle_event(self, event: Event) -> None:
        kind, data = event.kind, event.data
        if kind in ("task", "reset"):
            self._task, self._step, self._sentence = data.get("text", ""), 0, ""
            self._plans = False
        elif kind == "reply":
            words = [data["thought"], *(each["words"] for each in data["actions"])]
            self._step, self._sentence = data["step"], next(filter(None, words), "")
        elif kind == "plan":
            self._plans = not data["approved"]
        elif kind == "approval":
            self._approval = {**data, "at": event.at}
        elif kind in ("said", "question", "done", "failed"):
            self._sentence = data["text"] or self._sentence
        if kind == "answered" or (kind == "status" and data["status"] != "running"):
            self._approval = {}
