"""Stories of a button that is held by hand, told by hypothesis: in none does it stay down."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cua.agent.pointer_hold import SILENCE_TIMEOUT_S
from cua.hid.inputs import HidInputs
from cua.hid.reports import Endpoint
from cua.types import Busy, Click, CuaError, DeviceError, Keypress, Point
from cua.web.session_ownership import PageLease, Person, SessionOwnership
from tests.support.devices import Recorder
from tests.support.finger import Finger, Leap
from tests.support.scripted_session import ScriptedSession

ENTER = bytes([0, 0, 0x28, 0, 0, 0, 0, 0])
PLACES = st.builds(Point, x=st.floats(0, 1), y=st.floats(0, 1))


class Watched(Recorder):
    """A computer that may take no more. The agent's keys must not meet a held button."""

    asleep = False
    button = False

    async def write(self, endpoint: Endpoint, report: bytes) -> None:
        if self.asleep:
            raise DeviceError("The computer is asleep.")
        await super().write(endpoint, report)
        if endpoint == "pointer":
            self.button = bool(report[0])
        assert not (self.button and endpoint == "keyboard" and any(report))

    def release(self) -> None:
        super().release()
        self.button = False


class Holding(RuleBasedStateMachine):
    """One page of two people, an agent that types when it may, and a finger."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = Leap()
        self.scripted = ScriptedSession(
            *["typestr hello", "typestr hello", "hang"] * 100, max_rounds=1000
        )
        self.device = self.scripted.device = Watched()
        self.scripted.inputs = HidInputs(self.device)
        self.finger = self.do(self._finger())
        self.page_lease = self.do(self._claim("ada"))
        self.visible = True

    async def _finger(self) -> Finger:
        self.ownership = SessionOwnership(self.scripted.session, exclusive=True, grace=60)
        finger = Finger(self.scripted)
        self.scripted.session.check_attended = self._check
        return finger

    async def _claim(self, name: str) -> PageLease:
        return await self.ownership.claim("", Person(name), displace=True)

    def _check(self) -> None:
        if not self.ownership.attended:
            raise Busy("No page is in sight.")

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    @property
    def held(self) -> bool:
        """By the hand, since the agent of these stories uses keys."""
        return "left" in self.finger.down

    def tried(self, work: Coroutine[Any, Any, Any]) -> bool:
        """Whether it was not refused; an error of ours is none of those."""
        with contextlib.suppress(CuaError):
            self.do(self._there(work))
            return True
        return False

    async def _there(self, work: Coroutine[Any, Any, Any]) -> None:
        """The heart of the page beats meanwhile."""
        self.ownership.renew(self.page_lease, visible=self.visible)
        await work

    @rule(at=PLACES, well=st.booleans())
    def press(self, at: Point, well: bool) -> None:
        """`well`: when nothing is in its way."""
        if well:
            self.device.asleep, self.finger.allowed, self.visible = False, True, True
            self.resume()
            self.take()
        if self.tried(self.finger.press(at)):
            assert self.finger.down == ["left"]

    @rule(at=PLACES, over=st.booleans())
    def go(self, at: Point, over: bool) -> None:
        if self.tried(self.finger.go(at, over=over)) and over:
            assert not self.held

    @rule()
    def rest(self) -> None:
        """With a word now and then."""
        for _ in range(5):
            self.do(asyncio.sleep(0.25))
            self.tried(self.finger.go(Point(x=0.5, y=0.5)))

    @rule()
    def say_nothing(self) -> None:
        self.do(asyncio.sleep(SILENCE_TIMEOUT_S + 1.5))  # and what it is on its way to
        assert not self.held

    @rule(seconds=st.floats(0, 0.5))
    def wait(self, seconds: float) -> None:
        self.do(asyncio.sleep(seconds))

    @rule()
    def click(self) -> None:
        if self.tried(self.finger.do(Click(at=Point(x=0.1, y=0.1)))):
            assert self.finger.down == []

    @rule()
    def key(self) -> None:
        self.tried(self.finger.do(Keypress(keys=("ENTER",))))

    @rule()
    def take(self) -> None:
        if self.tried(self.finger.take()):
            assert self.finger.down == []

    @rule()
    def come_late(self) -> None:
        """With what was asked for before a stop."""
        stale = self.finger.turn != self.scripted.session.turn
        before = len(self.device.reports)
        self.tried(self.finger.do(Keypress(keys=("ENTER",))))
        since = self.device.reports[before:]  # the agent may be typing meanwhile
        assert not stale or ENTER not in [report for _, report in since]

    @rule()
    def work_by_hand_while_the_agent_is_stopped(self) -> None:
        self.device.asleep, self.finger.allowed, self.visible = False, True, True
        self.do(self.scripted.session.stop())
        assert self.tried(self.finger.take())
        assert self.tried(self.finger.do(Keypress(keys=("ENTER",))))
        assert self.scripted.status() == "stopped"
        assert not self.tried(self.scripted.session.send("go on"))

    @rule()
    def send(self) -> None:
        if self.tried(self.scripted.session.send("go on")):
            assert not self.held

    @rule()
    def stop(self) -> None:
        self.do(self.scripted.session.stop())
        assert self.finger.down == []

    @rule()
    def resume(self) -> None:
        self.tried(self.scripted.session.resume())

    @rule()
    def pause(self) -> None:
        self.do(self.scripted.session.pause())
        assert self.finger.down == []

    @rule()
    def reset(self) -> None:
        self.do(self.scripted.session.reset())
        assert self.finger.down == []

    @rule(allowed=st.booleans())
    def change_settings(self, allowed: bool) -> None:
        self.finger.allowed = allowed
        self.do(self.finger.manual_control.release())
        assert not self.held

    @rule(visible=st.booleans())
    def turn_to_another_tab(self, visible: bool) -> None:
        async def turn() -> None:
            self.ownership.renew(self.page_lease, visible=visible)
            await asyncio.sleep(0.5)

        self.visible = visible
        self.do(turn())
        if not visible:
            assert self.finger.down == []

    @rule(name=st.sampled_from(["ada", "ben"]))
    def come(self, name: str) -> None:
        self.page_lease, self.visible = self.do(self._claim(name)), True
        assert self.finger.down == []

    @rule(asleep=st.booleans())
    def fall_asleep(self, asleep: bool) -> None:
        self.device.asleep = asleep

    @invariant()
    def what_nobody_holds_is_up(self) -> None:
        if not self.finger.manual_control.is_holding and not self.scripted.session.is_busy:
            assert self.finger.down == []

    @invariant()
    def the_agent_never_works_with_it(self) -> None:
        if self.scripted.session.status == "running":
            assert not self.held

    def teardown(self) -> None:
        self.do(self.scripted.session.pause())
        assert self.finger.down == []
        self.loop.close()


TestHolding = Holding.TestCase
TestHolding.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)
