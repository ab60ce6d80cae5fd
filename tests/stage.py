"""A service whose story the test tells: the real server, page and log, on a picture of a screen.

It runs in a thread, so that a test may drive a browser meanwhile. What a model and a computer would
make happen is appended to the log by hand, thousands of steps in a second.
"""

from __future__ import annotations

import asyncio
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from cua.access import Everybody
from cua.app import Machine
from cua.desk import Desk
from cua.serving import serve
from cua.settings import SettingsFile
from cua.sockets import Entrance
from tests.devices import Fifos
from tests.servers.mjpeg_server import Stream, picture, serving

T = TypeVar("T")
CLICK = {"kind": "click", "at": {"x": 0.4, "y": 0.5}, "button": "left", "count": 1, "keys": []}


class Stage:
    """What the tests may do with the service; every method may be called from their thread."""

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.folder, self._loop = folder, loop
        self.url = ""
        self.machine: Machine
        self.fifos = Fifos(folder)
        self.over = asyncio.Event()
        self.jpeg = picture("a step")

    def do(self, work: Callable[[], Awaitable[T]]) -> T:
        async def run() -> T:
            return await work()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(30)

    def tell(self, *facts: tuple[str, dict[str, Any]]) -> None:
        """Append to the log; a `frame` comes with its picture."""

        async def append() -> None:
            for kind, data in facts:
                jpeg = self.jpeg if kind == "frame" else None
                self.machine.log.append(kind, jpeg, **data)

        self.do(append)

    def mention(self, kind: str, **data: Any) -> None:
        async def mention() -> None:
            self.machine.log.mention(kind, **data)

        self.do(mention)

    def begin(self, text: str = "Find the printer", rounds: int = 20) -> None:
        self.tell(
            ("task", {"text": text, "max_rounds": rounds}),
            ("status", {"status": "running", "reason": ""}),
        )

    def step(self, number: int, **reply: Any) -> None:
        self.tell(*looked(number), *answered(number, **reply), *ended(number))

    async def run(self, ready: threading.Event) -> None:
        async with serving(Stream([picture("the computer")], fps=5)) as stream:
            file = SettingsFile(
                self.folder / "cfg.json",
                environ={},
                stream_url=stream,
                hid_prefix=self.fifos.prefix,
                api_type="local",
                notice_acknowledged=True,
            )
            self.machine = Machine(file)
            desk = Desk(self.machine.session, exclusive=False, grace=1)
            listener = socket.create_server(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            entrance = Entrance(desk, Everybody("this machine", equal=True))
            service = asyncio.create_task(serve(self.machine, entrance, listener))
            ready.set()
            await self.over.wait()
            desk.vacated.set()
            await service
        self.fifos.close()


def looked(number: int) -> list[tuple[str, dict[str, Any]]]:
    size = {"width": 1280, "height": 720}
    return [
        ("phase", {"step": number, "phase": "looking"}),
        ("frame", {"step": number, "waited": 0.2, **size}),
        ("phase", {"step": number, "phase": "thinking"}),
    ]


def answered(number: int, **reply: Any) -> list[tuple[str, dict[str, Any]]]:
    told = {
        "text": f"I see step {number}.",
        "reasoning": "",
        "thought": f"I see step {number} and click.",
        "actions": [{**CLICK, "words": "Left click at (512, 360)"}],
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


def ended(number: int) -> list[tuple[str, dict[str, Any]]]:
    return [("step", {"step": number, "ok": True, "outcome": "Carried out.", "seconds": 2.0})]


@contextmanager
def stage() -> Iterator[Stage]:
    loop, ready = asyncio.new_event_loop(), threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        made = Stage(Path(folder), loop)
        thread = threading.Thread(target=lambda: loop.run_until_complete(made.run(ready)))
        thread.start()
        assert ready.wait(30)
        try:
            yield made
        finally:
            loop.call_soon_threadsafe(made.over.set)
            thread.join(30)
            loop.close()
