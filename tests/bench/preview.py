"""The live picture in the page: what a frame costs the service, and how old it is at the viewer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.typing import Origin

from cua.screen.video_screen import LINGER_S
from tests.support.page_client import page

from .camera import age
from .meter import MS, busy
from .rows import Row
from .stage import camera, service, settings, usb_host

WINDOWS = 3
SECONDS = 2.0
Watch = Callable[[], AsyncIterator[bytes]]


@dataclass
class Viewing:
    """`cpu`: milliseconds per frame and viewer beyond an idle service's; `ages` in milliseconds."""

    cpu: list[float] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)


async def rows(folder: Path) -> list[Row]:
    with (
        camera("--stamped") as url,
        usb_host(folder),
        service(settings(folder, url)) as ours,
    ):
        async with page(ours.origin) as person:
            await person.until("screen", state="live")
            idle, one, three = await _views(ours.pid, lambda: preview(ours.origin, person.token))
    about = "30 fps, HTTPS, ~127 KB;"
    return [
        Row("preview: CPU", "ms", one.cpu, f"{about} a frame, beyond idle", "<= 0.8"),
        Row("preview, 3 viewers: CPU", "ms", three.cpu, "a frame and viewer, beyond idle"),
        Row("preview: age", "ms", one.ages, "since it was sent, at the viewer"),
        Row("preview, 3 viewers: age", "ms", three.ages, "at each viewer"),
        Row("idle CPU", "%", idle, "of a core, a page open that takes no pictures"),
    ]


async def _views(pid: int, watch: Watch) -> tuple[list[float], Viewing, Viewing]:
    idle, one, three = [], Viewing(), Viewing()
    for _ in range(WINDOWS):
        await asyncio.sleep(LINGER_S + 1.0)
        idle.append(await busy(pid, SECONDS))
        await _view(pid, watch, 1, idle[-1], one)
        await _view(pid, watch, 3, idle[-1], three)
    return [share * 100 for share in idle], one, three


async def _view(pid: int, watch: Watch, viewers: int, idle: float, viewing: Viewing) -> None:
    ages: list[float] = []
    watching = [asyncio.create_task(_watch(watch(), ages)) for _ in range(viewers)]
    await asyncio.sleep(1.0)
    ages.clear()
    spent = (await busy(pid, SECONDS) - idle) * SECONDS
    viewing.cpu.append(spent / len(ages) * MS)
    viewing.ages += ages
    for task in watching:
        task.cancel()
    await asyncio.wait(watching)


async def _watch(pictures: AsyncIterator[bytes], ages: list[float]) -> None:
    async for jpeg in pictures:
        ages += [age(jpeg) * MS]


async def preview(origin: str, token: str) -> AsyncIterator[bytes]:
    """As the page asks for pictures: each is asked for when the one before it has come."""
    address = origin.replace("http", "ws", 1) + "/api/preview"
    async with connect(address, origin=Origin(origin), proxy=None, compression=None) as socket:
        await socket.send(json.dumps({"type": "hello", "token": token}))
        while True:
            await socket.send("next")
            jpeg = await socket.recv()
            assert isinstance(jpeg, bytes)
            yield jpeg
