"""The desk as a state machine: three clients claim, refresh, take over, hide, leave and stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cua.types import Busy
from cua.web.presence import (
    ANSWER_LEASE_S,
    SILENT,
    PageLease,
    Person,
    SessionHeld,
    SessionOwnership,
)
from tests.agent.test_session import House

T = TypeVar("T")
CLIENTS = st.integers(0, 2)


@dataclass
class Client:
    person: Person
    token: str = ""
    guest: str = ""
    page_lease: PageLease | None = None

    @property
    def holds(self) -> PageLease | None:
        """Its lease, until it is told otherwise."""
        return self.page_lease if self.page_lease and not self.page_lease.revoked.is_set() else None


class Clock(asyncio.SelectorEventLoop):
    """An event loop with simulated time."""

    now = 0.0

    def time(self) -> float:
        return self.now


async def settle() -> None:
    """Return when all that is due has had its effect."""
    for _ in range(20):
        await asyncio.sleep(0)


class Supervision(RuleBasedStateMachine):
    """One holder at most; a stale token does nothing; without a page nothing runs."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = Clock()
        self.house = House(*["hang"] * 200)
        self.ownership = self.do(self._desk())
        self.clients = [Client(Person(name)) for name in ("ada", "ben", "cem")]
        self.spent: set[str] = set()
        self.stopped = False

    async def _desk(self) -> SessionOwnership:
        return SessionOwnership(self.house.session, exclusive=True, grace=60)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def settle(self) -> None:
        self.do(settle())

    @rule(client=CLIENTS, take_over=st.booleans(), fresh=st.booleans(), visible=st.booleans())
    def claim(self, client: int, take_over: bool, fresh: bool, visible: bool) -> None:
        it = self.clients[client]
        token = "" if fresh else it.token
        before = [each for each in self.clients if each.holds]
        try:
            page_lease = self.do(
                self.ownership.claim(token, it.person, visible=visible, take_over=take_over)
            )
        except SessionHeld as held:
            assert before
            assert not take_over
            it.guest = held.guest
            return
        if page_lease.token != it.token:
            self.spent |= {each.token for each in self.clients if each.token}
        it.token, it.page_lease = page_lease.token, page_lease

    @rule(client=CLIENTS)
    def leave(self, client: int) -> None:
        it = self.clients[client]
        if it.page_lease:
            self.do(self.ownership.release(it.page_lease))
            it.page_lease = None

    @rule(client=CLIENTS, visible=st.booleans())
    def answer(self, client: int, visible: bool) -> None:
        it = self.clients[client]
        if it.page_lease:

            async def answer() -> None:
                assert it.page_lease
                self.ownership.renew(it.page_lease, visible=visible)

            self.do(answer())

    @rule(client=CLIENTS)
    def send(self, client: int) -> None:
        """As the web layer does it."""
        if self.ownership.is_holder(self.clients[client].token) and self.attended():
            try:
                self.do(self.house.session.send("go on"))
            except Busy:
                assert self.stopped

    @rule(client=CLIENTS)
    def stop(self, client: int) -> None:
        it = self.clients[client]
        if self.ownership.may_stop(it.token) or self.ownership.may_stop(it.guest):
            self.do(self.house.session.stop())
            self.stopped = True

    @rule(client=CLIENTS)
    @precondition(lambda self: self.stopped)
    def resume(self, client: int) -> None:
        if self.ownership.is_holder(self.clients[client].token) and self.attended():
            self.do(self.house.session.resume())
            self.stopped = False

    @rule(client=CLIENTS)
    def log_out(self, client: int) -> None:
        it = self.clients[client]
        if it.holds:
            self.spent.add(it.token)
            self.do(self.ownership.revoke(it.holds, "logged out"))

    @rule(seconds=st.sampled_from([0.5, 1.0, ANSWER_LEASE_S + 0.1]))
    def pass_time(self, seconds: float) -> None:
        self.loop.now += seconds

    def attended(self) -> bool:
        async def ask() -> bool:
            return self.ownership.attended

        return self.do(ask())

    @invariant()
    def one_holder_at_most(self) -> None:
        self.settle()
        assert sum(each.holds is not None for each in self.clients) <= 1

    @invariant()
    def a_stale_token_does_nothing(self) -> None:
        for token in (*self.spent, "", "x"):
            assert not self.ownership.is_holder(token)

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
TestSupervision.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)


def test_the_run_pauses_3_s_after_the_last_answer_of_a_visible_page() -> None:
    clock = Clock()

    async def pass_time(seconds: float) -> None:
        clock.now += seconds
        await settle()

    async def scene() -> None:
        house, person = House("hang"), Person("ada")
        ownership = SessionOwnership(house.session, exclusive=False, grace=60)
        await ownership.claim(None, person, visible=False)
        visible = await ownership.claim(None, person)
        await house.session.send("look")
        for _ in range(3):
            await pass_time(2.9)
            assert house.session.status == "running"
            ownership.renew(visible, visible=True)
        await pass_time(3.1)
        last = house.log.in_memory_since(0)[-1].data
        assert (last["status"], last["reason"]) == ("paused", SILENT)

    clock.run_until_complete(scene())
    clock.close()
