"""A KVM of the tests and ours in front of it."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from cua.kvms import registry
from cua.kvms.address import parse_address
from cua.kvms.kvm import Kvm, KvmCallbacks
from cua.screen.video_screen import VideoScreen
from cua.types import Click, Drag, Keypress, ManualAction, Point, Scroll, Type
from tests.servers.rfb_server import RfbServer
from tests.support.devices import Recorder, interpret
from tests.support.waiting import until


@dataclass
class CallbackLog:
    """What a KVM has reported by itself."""

    logged: list[tuple[str, str]] = field(default_factory=list)
    certificates: list[str] = field(default_factory=list)
    input_problems: list[str] = field(default_factory=list)

    @property
    def callbacks(self) -> KvmCallbacks:
        return KvmCallbacks(
            lambda *words: self.logged.append(words),
            self.certificates.append,
            lambda _: None,
            self.input_problems.append,
        )


@dataclass
class OpenKvm:
    kvm: Kvm
    screen: VideoScreen
    inputs: HidInputs
    calls: CallbackLog

    async def until_live(self) -> None:
        await until(lambda: self.screen.status.state == "live")


@asynccontextmanager
async def open_kvm(address: str, **who: Any) -> AsyncIterator[OpenKvm]:
    calls = CallbackLog()
    target = replace(parse_address(address), **who)
    kvm = registry.create(target, calls.callbacks)
    await kvm.open()
    screen = VideoScreen(kvm.frames, EventLog())
    reader = asyncio.create_task(screen.run())
    try:
        yield OpenKvm(kvm, screen, HidInputs(kvm, kvm=kvm), calls)
    finally:
        reader.cancel()
        await asyncio.wait([reader])
        await kvm.close()


async def until_written(kvm: Any, count: int) -> None:
    """Wait until the KVM has written so many reports."""
    await until(lambda: len(kvm.written) >= count)


def answer_release(port: int, message: bytes) -> None:
    """Answer the message at the other end of a serial port; it must be the next one."""
    assert select.select([port], [], [], 15)[0], f"there is no {message!r}"
    assert os.read(port, 4096) == message
    os.write(port, b"an answer")


def typed(kvm: Any) -> str:
    """Return what the computer understands of the keys."""
    return kvm.text if isinstance(kvm, RfbServer) else interpret(kvm.written).text


async def assert_same_as_the_device(there: OpenKvm, kvm: Any, *, exact: bool = True) -> None:
    """Each kind of action reaches the computer as from the local USB device.

    `exact`: also each place of a drag.
    """
    actions: list[ManualAction] = [
        Type(text="Hello, World! {[~]}\n"),
        Keypress(keys=("ctrl", "alt", "t")),
        Click(at=Point(x=0.25, y=0.75), button="right", keys=("shift",)),
        Click(at=Point(x=1.0, y=1.0), count=2),
        Drag(path=(Point(x=0.2, y=0.3), Point(x=0.8, y=0.6))),
        Scroll(at=Point(x=0.5, y=0.5), dy=3),
    ]
    device = Recorder()
    inputs = HidInputs(device)
    for action in actions:
        await there.inputs.perform(action)
        await inputs.perform(action)
    theirs, ours = interpret(kvm.written), interpret(device.reports)
    assert theirs.text == ours.text
    assert theirs.chords == ours.chords
    assert theirs.presses == ours.presses
    assert theirs.releases == ours.releases
    assert theirs.wheel == ours.wheel
    assert not exact or [*dict.fromkeys(theirs.path)] == [*dict.fromkeys(ours.path)]
    assert not kvm.down()
