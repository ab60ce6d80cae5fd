"""A service whose story the test tells: the real server, page and log, on a picture of a screen.

It is a process of its own, so that a test may drive a browser beside it: forked from one in which
everything is imported, which saves two seconds of CPU for each. What a model and a computer would
make happen comes in over a pipe: thousands of steps in a second.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from cua.agent.step_events import action_to_event
from cua.app.machine import Machine
from cua.cli.install.on_demand import OnDemand
from cua.messages import Message
from cua.settings import SettingsFile
from cua.types import Action
from cua.web.application import create
from cua.web.auth.access import OpenAccess
from cua.web.page_sockets import Admission
from cua.web.pages import Files
from cua.web.server import serve
from cua.web.session_ownership import SessionOwnership
from tests.servers.mjpeg_server import Stream, picture, serving
from tests.support.devices import Fifos

CLICK = {"kind": "click", "at": {"x": 0.4, "y": 0.5}, "button": "left", "count": 1, "keys": []}
ACTION: TypeAdapter[Action] = TypeAdapter(Action)
Fact = tuple[str, dict[str, Any]]
Size = tuple[int, int]
SIZE = (1280, 720)
PROCESSES = multiprocessing.get_context("forkserver")
IMPORTED_AT_START = [
    "cua.web.routes",
    "cua.web.uvicorn_server",
    "cua.dialects.kvm_lines",
    "cua.kvms.local_device",
    "cua.procedures.folder",
    "pydantic.v1",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
]
PROCESSES.set_forkserver_preload(["tests.support.scripted_service", *IMPORTED_AT_START])


class Stage:
    """What a test may do with the service; each call returns when it is done."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.url = self._answer()

    def tell(self, *facts: Fact) -> None:
        """Append to the log; a `frame` and an `approval` come with their picture."""
        self._order("tell", facts)

    def send_transient(self, kind: str, **data: Any) -> None:
        self._order("transient", [(kind, data)])

    def begin(self, text: str = "Find the printer", rounds: int = 20) -> None:
        self.tell(
            ("task", {"text": text, "max_rounds": rounds}),
            ("status", {"status": "running", "reason": ""}),
        )

    def step(self, number: int, **reply: Any) -> None:
        self.tell(*looked(number), *answered(number, **reply), *ended(number))

    def reports(self, device: str) -> list[bytes]:
        """What came to one of the HID devices since the last call."""
        return [bytes.fromhex(each) for each in self._order("reports", device).split()]

    def _order(self, word: str, what: object) -> str:
        self._pipe.send((word, what))
        return self._answer()

    def _answer(self) -> str:
        answer: str = self._pipe.recv()  # raises EOFError if the service has ended
        return answer


@contextmanager
def stage(*options: str) -> Iterator[Stage]:
    """`options` are settings as NAME=JSON, `fps` of the KVM's stream, and with `exclusive=true` one
    page holds the session.
    """
    settings = {name: json.loads(value) for name, _, value in (o.partition("=") for o in options)}
    ours, theirs = PROCESSES.Pipe()
    process = PROCESSES.Process(target=main, args=(theirs, settings))
    process.start()
    theirs.close()
    try:
        yield Stage(ours)
    finally:
        ours.close()
        process.join(30)
        process.kill()


def looked(number: int, size: Size = SIZE) -> list[Fact]:
    width, height = size
    return [
        ("phase", {"step": number, "phase": "looking"}),
        ("frame", {"step": number, "waited": 0.2, "width": width, "height": height}),
        ("phase", {"step": number, "phase": "thinking"}),
    ]


def answered(
    number: int, *, actions: Sequence[dict[str, Any]] = (CLICK,), size: Size = SIZE, **reply: Any
) -> list[Fact]:
    told = {
        "text": f"I see step {number}.",
        "reasoning": "",
        "thought": f"I see step {number} and click.",
        "actions": [in_words(each, size) for each in actions],
        "seconds": 1.2,
        "tokens_in": 900,
        "tokens_out": 40,
        **reply,
    }
    return [
        ("reply", {"step": number, **told}),
        ("phase", {"step": number, "phase": "acting"}),
        ("acting", {"step": number, "index": 0}),
    ]


def in_words(action: dict[str, Any], size: Size) -> dict[str, Any]:
    """What the service logs of an action, unless a test has words of its own."""
    valid = None if "words" in action else ACTION.validate_python(action)
    return action_to_event(valid, size) if valid else action


def ended(number: int) -> list[Fact]:
    executed = {"outcome": Message("agent.executed"), "outcome_kind": "executed"}
    return [("step", {"step": number, "ok": True, **executed, "seconds": 2.0})]


async def play(folder: Path, pipe: Connection, settings: dict[str, Any]) -> None:
    fifos = Fifos(folder)
    fps = settings.pop("fps", 2)
    async with serving(Stream([picture("the computer")], fps)) as stream:
        exclusive = settings.pop("exclusive", False)
        values = {"api_type": "local", "notice_acknowledged": True} | settings
        file = SettingsFile(
            folder / "cfg.json", {}, stream_url=stream, hid_prefix=fifos.prefix, **values
        )
        machine = Machine(file)
        ownership = SessionOwnership(machine.session, exclusive=exclusive, grace=1)
        listener = socket.create_server(("127.0.0.1", 0))
        admission = Admission(ownership, OpenAccess("this machine", may_displace=True))
        app = create(machine, admission, OnDemand(), Files("index.html"))
        service = asyncio.create_task(serve(app, machine, ownership, listener))
        pipe.send(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        with suppress(EOFError):  # the test has ended
            while True:
                pipe.send(obey(machine, fifos, *await asyncio.to_thread(pipe.recv)))
        ownership.expired.set()
        await service
    fifos.close()


def obey(machine: Machine, fifos: Fifos, word: str, what: Any) -> str:
    if word == "reports":
        return " ".join(report.hex() for report in fifos.read(what))
    for kind, data in what:
        if word == "transient":
            machine.log.send_transient(kind, **data)
        else:
            machine.log.append(kind, PICTURES.get(kind), **data)
    return ""


PICTURES = {"frame": picture("a step"), "approval": picture("a question")}


def main(pipe: Connection, settings: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder), pipe, settings))
