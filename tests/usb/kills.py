"""Ends the agent's process in the middle of actions, and looks at what stays down at the host.

    python -m tests.usb.kills [--times N] [KIND...]

Prints, for each kind of end, how long the last release came after it; for a computer that was
asleep or unplugged, after its return.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cua.hid.gadget import Gadget
from cua.hid.inputs import HidInputs
from cua.types import Click, DeviceError, Drag, Keypress, ManualAction, Point, Scroll, Type
from tests.hid.kernel import Kernel
from tests.support.usb_decode import decode
from tests.usb.host import Host

A, B = Point(x=0.2, y=0.3), Point(x=0.8, y=0.6)
ACTIONS: list[ManualAction] = [
    Type(text="Hello, World! " * 20),
    Type(text="A" * 200),
    Drag(path=(A, B, A, B)),
    Click(at=A, count=3, keys=("ctrl", "shift")),
    Scroll(at=B, dx=20),
    Keypress(keys=("ctrl", "alt", "t"), count=20),
]
AWAY = 0.4
"""Seconds that a computer sleeps: longer than the lease."""
SLOW = 10.0
"""Seconds that anything may take before it counts as never."""


@dataclass
class Toll:
    """What one kind of end did: `held` how often anything was down, `stuck` how often it stayed."""

    times: int = 0
    idle: int = 0
    """How often the agent had stopped before: a busy machine let the lease end under it."""
    held: int = 0
    stuck: list[str] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    """Seconds from each end to the release, of those with anything down."""
    more: list[int] = field(default_factory=list)
    """Reports that still pressed something after each end."""

    def __str__(self) -> str:
        if not self.after:
            return f"{self.times} times, never with anything down"
        ordered = sorted(self.after)
        p50, p99 = (ordered[int((len(ordered) - 1) * part)] * 1000 for part in (0.5, 0.99))
        return (
            f"{self.times} times, {self.held} with something down, {len(self.stuck)} left stuck; "
            f"released after p50 {p50:.1f}, p99 {p99:.1f}, max {ordered[-1] * 1000:.1f} ms; "
            f"at most {max(self.more)} more reports that press; {self.idle} times it was idle"
        )


@dataclass
class Scene:
    """An agent's process that works for ever, its writer and the host."""

    host: Host
    kernel: Kernel
    agent: multiprocessing.process.BaseProcess
    writer: int
    before: int = 0
    """How many reports the host had when it happened."""
    at: float = 0.0
    """When it happened; where the host was away, when it was back."""

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def kill_both(self) -> None:
        """As the kernel does that has no memory left; the program is started again later."""
        self.freeze()  # neither notices that the other ended
        os.kill(self.writer, signal.SIGKILL)
        self.agent.kill()
        self.agent.join()
        successor = Gadget(self.host.prefix)
        successor.release()
        successor.close()

    def kill_writer(self) -> None:
        self._now()
        os.kill(self.writer, signal.SIGKILL)
        self._count()

    def sleep(self) -> None:
        self._away("suspended")

    def unplug(self) -> None:
        self._away("not attached")

    def _away(self, state: str) -> None:
        self.kernel.state = state
        self.host.until(lambda: False, AWAY)
        self._count()
        self._now()
        self.kernel.state = "configured"

    def _signal(self, number: signal.Signals) -> None:
        assert self.agent.pid
        self._now()
        os.kill(self.agent.pid, number)
        self._count()

    def _now(self) -> None:
        self.at = time.monotonic()

    def _count(self) -> None:
        self.host.take()
        self.before = len(self.host.reports)


KINDS: dict[str, Callable[[Scene], None]] = {
    "kill": Scene.kill,
    "freeze": Scene.freeze,
    "kill-both": Scene.kill_both,
    "kill-writer": Scene.kill_writer,
    "sleep": Scene.sleep,
    "unplug": Scene.unplug,
}


def toll(kind: str, times: int) -> Toll:
    result = Toll()
    while result.times < times:
        with tempfile.TemporaryDirectory() as folder, _scene(Path(folder)) as scene:
            _once(scene, KINDS[kind], result)
    return result


def _once(scene: Scene, end: Callable[[Scene], None], result: Toll) -> None:
    host, wanted = scene.host, random.randint(1, 40)
    if not host.until(lambda: len(host.reports) >= wanted, SLOW):
        result.idle += 1
        assert result.idle <= 5 + result.times // 10, "the agent does nothing"
        return
    end(scene)
    over = host.until(lambda: not host.held and _still(host), SLOW)
    result.times += 1
    result.more.append(sum(map(_presses, host.reports[scene.before :])))
    if not over:
        result.stuck.append(", ".join(host.held))
    elif decode(host.reports[: scene.before]).down or result.more[-1]:
        result.held += 1
        result.after.append(host.times[_first_up(host, scene.before)] - scene.at)


def _first_up(host: Host, before: int) -> int:
    """The number of the report with which everything was up."""
    numbers = range(before, len(host.reports))
    return next(n for n in numbers if not decode(host.reports[: n + 1]).down)


def _presses(report: tuple[int, bytes]) -> bool:
    endpoint, data = report
    return any(data) if endpoint == 0 else data[0] != 0


def _still(host: Host) -> bool:
    """Whether nothing has come for a while: longer than anything is held."""
    before = len(host.reports)
    host.take(0.1)
    return len(host.reports) == before


@contextlib.contextmanager
def _scene(folder: Path) -> Iterator[Scene]:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    host, kernel = Host(folder), Kernel(folder / "sys")
    ours, theirs = processes.Pipe()
    agent = processes.Process(
        target=_work, args=(host.prefix, str(kernel.root), theirs, random.random())
    )
    agent.start()
    try:
        yield Scene(host, kernel, agent, ours.recv())
    finally:
        agent.kill()
        agent.join()
        host.until(host.alone, SLOW)
        host.close()
        ours.close()
        theirs.close()


def _work(prefix: str, system: str, told: Connection, seed: float) -> None:
    asyncio.run(_act(Gadget(prefix, system=system), told, random.Random(seed)))


async def _act(gadget: Gadget, told: Any, chance: random.Random) -> None:
    inputs = HidInputs(gadget)
    gadget.release()
    told.send(gadget.writer_pid)
    first = gadget.writer_pid
    with contextlib.suppress(DeviceError):  # the action is over, and the session paused
        while gadget.writer_pid == first:
            action = chance.choice([*ACTIONS, None])
            await (inputs.perform(action) if action else inputs.hold_button("left", by_hand()))
    await asyncio.Event().wait()


async def by_hand() -> AsyncIterator[Point]:
    """What a finger holds that rests more than it moves."""
    for at in (A, *[A, A, A, B, B, B] * 4):
        yield at
        await asyncio.sleep(0.08)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.usb.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}")
    options = parser.parse_args()
    for kind in options.kinds or KINDS:
        sys.stdout.write(f"{kind}: {toll(kind, options.times)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
