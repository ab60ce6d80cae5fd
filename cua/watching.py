"""The page of an evaluation: whoever opens it watches, and can stop it, but drives nothing."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from .access import Everybody
from .agent import Agent
from .desk import Desk
from .evaluation.cli import Running
from .evaluation.run import Result
from .events import EventLog
from .helm import Helm
from .record import Archive
from .serving import serve
from .session import Session
from .sockets import Entrance
from .types import Busy, CuaError, Frame
from .vault import Vault
from .web import WATCHED

ONLY = "This page only watches an evaluation. Stop ends it."


LAST_LOOK = 0.5
"""Seconds for the page to hear the end."""
SCREEN = {"state": "live", "sentence": "", "width": 1280, "height": 720}


def refuse(*_: object, **__: object) -> NoReturn:
    raise Busy(ONLY)


class Watched(Session):
    """Stands where a session does. `run` is what is watched, and what a stop ends."""

    def __init__(self, log: EventLog, run: asyncio.Future[list[Result]]) -> None:
        super().__init__(log, self._make)
        self._watched = run

    def _make(self) -> Agent:
        refuse()

    async def send(self, text: str, check: Callable[[], None] = lambda: None) -> None:
        refuse(text, check)

    async def stop(self, reason: str = "", by: str = "") -> None:
        del reason, by
        self._watched.cancel()

    async def pause(self, reason: str = "", by: str = "") -> None:
        """Nobody has to be there: it is no computer of anybody."""


class Nothing:
    """The check-up and the gate of the page: there are none here."""

    running = False

    def start(self) -> None:
        refuse()

    async def stop(self) -> None: ...

    def report(self) -> None:
        return None

    def answer(self, id: int, digest: str, *, allow: bool, reason: str = "") -> None:
        refuse(id, digest, allow, reason)


class Pictures:
    """What the model saw last, in place of a live picture."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def after(self, seq: int) -> Frame:
        async for _ in self._log.follow(f"{self._log.boot}:{seq}"):
            for event in reversed(self._log.since(seq)):
                if event.kind == "frame" and event.picture:
                    size = event.data["width"], event.data["height"]
                    return Frame(event.picture, *size, event.seq, event.at)
        raise AssertionError("a log is followed for ever")


class Show:
    """`serving.Served` for a run."""

    demo = False

    def __init__(self, log: EventLog, run: asyncio.Future[list[Result]]) -> None:
        self.log, self.screen = log, Pictures(log)
        self.session: Session = Watched(log, run)
        self.checkup = self.approvals = Nothing()
        self.archive = Archive(Path("/nonexistent"))
        self.helm = Helm(self.session, refuse, refuse, allowed=lambda: False)
        self.vault = Vault({})

    def settings(self) -> dict[str, Any]:
        """What the page wants to know at first."""
        return WATCHED

    async def change(self, settings: dict[str, Any]) -> None:
        refuse(settings)

    async def reset(self) -> None:
        refuse()

    async def rehearse(self, *, on: bool) -> None:
        refuse(on)

    async def acknowledge(self) -> None:
        refuse()

    def ready(self) -> bool:
        return True

    async def open(self) -> None:
        self.log.append(
            "session_started", demo=False, model="", screen=SCREEN, status="running", reach=""
        )

    async def close(self) -> None: ...

    def stop(self) -> None:
        """Signals end the program as they always do."""


async def show(running: Running, log: EventLog, port: int) -> list[Result]:
    """Serves the page at this port of this machine until the runs are over or were stopped.

    Raises `CuaError` if the port cannot be used.
    """
    try:
        listener = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        running.close()
        raise CuaError(f"Port {port} cannot be used: {error.strerror}.") from error
    sys.stdout.write(f"Watch it at http://127.0.0.1:{listener.getsockname()[1]}/\n")
    sys.stdout.flush()
    run = asyncio.ensure_future(running)
    machine = Show(log, run)
    desk = Desk(machine.session, exclusive=False, grace=0)
    entrance = Entrance(desk, Everybody("this machine", equal=True))
    service = asyncio.ensure_future(serve(machine, entrance, listener))
    try:
        await asyncio.wait([run, service], return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(LAST_LOOK)
    finally:
        run.cancel()
        service.cancel()
        await asyncio.wait([run, service])
    if run.cancelled():
        raise CuaError("It was stopped before all runs were over.")
    return run.result()
