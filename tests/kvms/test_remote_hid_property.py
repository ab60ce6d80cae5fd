"""Whatever happens to a KVM elsewhere and on the way there: at the end nothing is held."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from cua.hid.reports import ENDPOINTS, Endpoint
from cua.hid.writer import rules
from cua.kvms.hid_link import HidLink
from cua.kvms.remote_hid import RemoteHid
from cua.types import DeviceError

A, SHIFT_A, UP = bytes([0, 0, 4, *bytes(5)]), bytes([2, 0, 4, *bytes(5)]), bytes(8)
REPORTS: list[tuple[Endpoint, bytes]] = [
    ("keyboard", A),
    ("keyboard", SHIFT_A),
    ("keyboard", UP),
    ("mouse", bytes([1, 5, 5, 0])),
    ("mouse", bytes(4)),
    ("pointer", bytes([1, 9, 9, 9, 9, 0])),
    ("pointer", bytes([0, 7, 7, 7, 7, 1])),
]


class Kvm:
    """Keeps what it got; it never lets go by itself. `fate`: what becomes of the next delivery."""

    def __init__(self) -> None:
        self.held: dict[int, bytes] = {}
        self.fate = "arrives"
        self.link: Line | None = None

    async def connect(self, lost: Callable[[], None]) -> Line:
        await asyncio.sleep(0)
        self.link = Line(self, lost)
        return self.link

    def take(self, message: bytes) -> None:
        self.held[message[0]] = message[1:]

    def down(self) -> list[int]:
        return [n for n, report in self.held.items() if rules.presses(n, report)]


class Line(HidLink):
    def __init__(self, kvm: Kvm, lost: Callable[[], None]) -> None:
        super().__init__(lost)
        self.open = True
        self._kvm = kvm

    def _transmit(self, messages: Sequence[bytes]) -> None:
        fate, self._kvm.fate = self._kvm.fate, "arrives"
        if fate != "is lost":
            for message in messages:
                self._kvm.take(message)
        if fate == "arrives":
            self._confirm(self._number)
        else:
            self.drop()

    def drop(self) -> None:
        self._end()

    def close(self) -> None:
        self.open = False


def encode(endpoint: Endpoint, _: bytes | None, report: bytes) -> list[bytes]:
    return [bytes([ENDPOINTS.index(endpoint)]) + report]


HAPPENINGS = ["release", "release", "cut", "is lost", "arrives unanswered", "a moment"]
steps = st.one_of(st.sampled_from(REPORTS), st.sampled_from(HAPPENINGS))


async def tell(story: list[tuple[Endpoint, bytes] | str]) -> Kvm:
    kvm = Kvm()
    hid = RemoteHid(kvm.connect, encode, lambda _: None)
    for step in story:
        if not isinstance(step, str):
            with contextlib.suppress(DeviceError):
                await hid.write(*step)
        elif step == "release":
            hid.release()
        elif step == "cut" and kvm.link:
            kvm.link.drop()
        elif step == "a moment":
            await asyncio.sleep(0)
        else:
            kvm.fate = step
    kvm.fate = "arrives"
    hid.release()
    await hid.link()
    hid.close()
    return kvm


@settings(max_examples=100, deadline=None)
@given(st.lists(steps, min_size=2, max_size=12))
def test_nothing_is_held_at_the_end(story: list[tuple[Endpoint, bytes] | str]) -> None:
    assert asyncio.run(tell(story)).down() == []
