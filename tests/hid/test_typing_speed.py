"""Lost keys are seen by what Caps Lock is after so many taps."""

from __future__ import annotations

import time

import pytest

from cua.hid import typing_speed
from cua.hid.inputs import CAPS_LOCK
from cua.hid.keymap import NAMED
from cua.hid.reports import Endpoint
from cua.types import CuaError

KEY = NAMED["CAPSLOCK"]


@pytest.fixture(autouse=True)
def _leds_are_stable_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typing_speed, "STABLE_S", 0.05)


class Host:
    """Takes a report only if so many seconds have passed since the last one."""

    def __init__(self, needs: float = 0.0, lit: bool = False, tells: bool = True) -> None:
        self.lit, self.tells = lit, tells
        self._needs = needs
        self._last = 0.0
        self._down = False

    @property
    def leds(self) -> int | None:
        return CAPS_LOCK * self.lit if self.tells else None

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        now = time.monotonic()
        if now - self._last < self._needs:
            return
        self._last = now
        down = KEY in report[2:]
        self.lit ^= down and not self._down
        self._down = down

    def release(self) -> None:
        self._down = False


async def test_a_fast_computer_gets_the_fast_pace() -> None:
    host = Host()
    assert await typing_speed.find_pace(host) == "fast"
    assert not host.lit


async def test_a_slow_computer_gets_the_careful_pace() -> None:
    host = Host(needs=0.008, lit=True)
    assert await typing_speed.find_pace(host) == "careful"
    assert host.lit


async def test_a_computer_that_loses_keys_at_every_pace_raises_an_error() -> None:
    host = Host(needs=0.1)
    with pytest.raises(CuaError, match="even when typing is slow and reliable"):
        await typing_speed.find_pace(host)


async def test_a_kvm_without_leds_raises_an_error() -> None:
    host = Host(tells=False)
    with pytest.raises(CuaError, match="does not report Caps Lock"):
        await typing_speed.find_pace(host)
