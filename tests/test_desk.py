"""The desk as a state machine: three clients claim, refresh, take over, hide, leave and stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cua.desk import LEASE, Desk, Held, Person, Seat
from cua.types import Busy
from tests.test_session import House

T = TypeVar("T")
CLIENTS = st.integers(0, 2)


@dataclass
class Client:
    person: Person
    token: str = ""
    guest: str = ""
    seat: Seat | None = None

    @property
    def holds(self) -> Seat | None:
        """Its seat, as long as nobody has told it otherwise."""
        return self.seat if self.seat and not self.seat.gone.is_set() else None


class Clock(asyncio.SelectorEventLoop):
    """A loop whose time is moved by the test as well."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class Supervision(RuleBasedStateMachine):
    """One holder at most; a stale token does nothing; with nobody there nothing runs."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = Clock()
        self.house = House(*["hang"] * 200)
        self.desk = self.do(self._desk())
        self.clients = [Client(Person(name)) for name in ("ada", "ben", "cem")]
        self.spent: set[str] = set()
        self.stopped = False

    async def _desk(self) -> Desk:
        return Desk(self.house.session, exclusive=True, grace=60)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def settle(self) -> None:
        """Until all that was begun has had its effect."""

        async def rest() -> None:
            for _ in range(20):
                await asyncio.sleep(0)

        self.do(rest())

    @rule(client=CLIENTS, take_over=st.booleans(), fresh=st.booleans(), visible=st.booleans())
    def claim(self, client: int, take_over: bool, fresh: bool, visible: bool) -> None:
        it = self.clients[client]
        token = "" if fresh else it.token
        before = [each for each in self.clients if each.holds]
        try:
            seat = self.do(self.desk.sit(token, it.person, visible=visible, take_over=take_over))
        except Held as held:
            assert before
            assert not take_over
            it.guest = held.guest
            return
        if seat.token != it.token:
            self.spent |= {each.token for each in self.clients if each.token}
        it.token, it.seat = seat.token, seat

    @rule(client=CLIENTS)
    def leave(self, client: int) -> None:
        it = self.clients[client]
        if it.seat:
            self.do(self.desk.leave(it.seat))
            it.seat = None

    @rule(client=CLIENTS, visible=st.booleans())
    def answer(self, client: int, visible: bool) -> None:
        it = self.clients[client]
        if it.seat:

            async def answer() -> None:
                assert it.seat
                self.desk.answered(it.seat, visible=visible)

            self.do(answer())

    @rule(client=CLIENTS)
    def send(self, client: int) -> None:
        """As the web layer does it."""
        if self.desk.knows(self.clients[client].token) and self.attended():
            try:
                self.do(self.house.session.send("go on"))
            except Busy:
                assert self.stopped

    @rule(client=CLIENTS)
    def stop(self, client: int) -> None:
        it = self.clients[client]
        if self.desk.may_stop(it.token) or self.desk.may_stop(it.guest):
            self.do(self.house.session.stop())
            self.stopped = True

    @rule(client=CLIENTS)
    @precondition(lambda self: self.stopped)
    def resume(self, client: int) -> None:
        if self.desk.knows(self.clients[client].token) and self.attended():
            self.do(self.house.session.resume())
            self.stopped = False

    @rule(client=CLIENTS)
    def log_out(self, client: int) -> None:
        it = self.clients[client]
        if it.holds:
            self.spent.add(it.token)
            self.do(self.desk.dismiss(it.holds, "logged out"))

    @rule(seconds=st.sampled_from([0.5, 1.0, LEASE + 0.1]))
    def pass_time(self, seconds: float) -> None:
        self.loop.ahead += seconds

    def attended(self) -> bool:
        async def ask() -> bool:
            return self.desk.attended

        return self.do(ask())

    @invariant()
    def one_holder_at_most(self) -> None:
        self.settle()
        assert sum(each.holds is not None for each in self.clients) <= 1

    @invariant()
    def a_stale_token_does_nothing(self) -> None:
        for token in (*self.spent, "", "x"):
            assert not self.desk.knows(token)

    @invariant()
    def nothing_runs_unattended_or_stopped(self) -> None:
        self.settle()
        if self.house.session.status == "running":
            assert self.attended()
            assert not self.stopped

    def teardown(self) -> None:
        self.do(self.house.session.pause())
        self.loop.close()


TestSupervision = Supervision.TestCase
TestSupervision.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
