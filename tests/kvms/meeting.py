"""A KVM of the tests and ours in front of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.kvms import registry
from cua.screen.demand import VideoDemand
from cua.screen.mjpeg_screen import MjpegScreen


@dataclass
class Heard:
    """What a KVM says by itself."""

    said: list[tuple[str, str]] = field(default_factory=list)
    pinned: list[str] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)
    lamps: list[int | None] = field(default_factory=list)

    @property
    def callbacks(self) -> registry.KvmCallbacks:
        return registry.KvmCallbacks(
            lambda *words: self.said.append(words),
            self.pinned.append,
            lambda _: None,
            self.reached.append,
            self.lamps.append,
        )


@dataclass
class Meeting:
    kvm: registry.Kvm
    screen: MjpegScreen
    inputs: HidInputs
    heard: Heard
    demand: VideoDemand

    async def until_live(self) -> None:
        await until(lambda: self.screen.status.state == "live")


@asynccontextmanager
async def meeting(address: str, **who: Any) -> AsyncIterator[Meeting]:
    heard = Heard()
    target = replace(registry.parse_address(address), **who)
    kvm = registry.create(target, heard.callbacks)
    await kvm.open()
    demand = VideoDemand()
    screen = MjpegScreen(kvm.frames, EventLog(), demand=demand)
    reader = asyncio.create_task(screen.run())
    try:
        yield Meeting(kvm, screen, HidInputs(kvm, kvm=kvm), heard, demand)
    finally:
        reader.cancel()
        await asyncio.wait([reader])
        await kvm.close()


async def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not condition():
        assert loop.time() < end, "it did not come to that"
        await asyncio.sleep(0.01)


async def until_written(kvm: Any, count: int) -> None:
    """Wait until the KVM has written so many reports."""
    await until(lambda: len(kvm.written) >= count)
