"""Pages claim, watch, renew, take over, hide and leave; then the same as a state machine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cua.messages import Message
from cua.types import Busy
from cua.web.session_ownership import (
    ANSWER_LEASE_S,
    SILENT,
    NotAdmitted,
    PageLease,
    Person,
    SessionOwnership,
)
from tests.support.scripted_session import ScriptedSession

T = TypeVar("T")
CLIENTS = st.integers(0, 2)
ADA, BEN, CEM = Person("ada"), Person("ben"), Person("cem", may_displace=False)


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

    async def wait(self, seconds: float) -> None:
        self.now += seconds
        await settle()

    def planned(self) -> int:
        """How many calls are due later."""
        return sum(not each.cancelled() for each in self._scheduled)  # type: ignore[attr-defined]


async def settle() -> None:
    """Return when all that is due has had its effect."""
    for _ in range(20):
        await asyncio.sleep(0)


class Supervision(RuleBasedStateMachine):
    """One holder at most; a stale token does nothing; without a page nothing runs."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = Clock()
        self.scripted = ScriptedSession(*["hang"] * 200)
        self.ownership = self.do(self._desk())
        self.clients = [Client(Person(name)) for name in ("ada", "ben", "cem")]
        self.spent: set[str] = set()
        self.stopped = False

    async def _desk(self) -> SessionOwnership:
        return SessionOwnership(self.scripted.session, exclusive=True, grace=60)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def settle(self) -> None:
        self.do(settle())

    @rule(client=CLIENTS, displace=st.booleans(), fresh=st.booleans(), visible=st.booleans())
    def claim(self, client: int, displace: bool, fresh: bool, visible: bool) -> None:
        it = self.clients[client]
        token = "" if fresh else it.token
        before = [each for each in self.clients if each.holds]
        try:
            page_lease = self.do(
                self.ownership.claim(token, it.person, visible=visible, displace=displace)
            )
        except NotAdmitted as held:
            assert before
            assert not displace
            it.guest = str(held.details["guest"])
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
                self.do(self.scripted.session.send("go on"))
            except Busy:
                assert self.stopped

    @rule(client=CLIENTS)
    def stop(self, client: int) -> None:
        it = self.clients[client]
        if self.ownership.may_stop(it.token) or self.ownership.may_stop(it.guest):
            self.do(self.scripted.session.stop())
            self.stopped = True

    @rule(client=CLIENTS)
    @precondition(lambda self: self.stopped)
    def resume(self, client: int) -> None:
        if self.ownership.is_holder(self.clients[client].token) and self.attended():
            self.do(self.scripted.session.resume())
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
        if self.scripted.session.status == "running":
            assert self.attended()
            assert not self.stopped

    def teardown(self) -> None:
        self.do(self.scripted.session.pause())
        self.loop.close()


@pytest.fixture
def clock() -> Iterator[Clock]:
    clock = Clock()
    yield clock
    clock.close()


def test_the_run_pauses_3_s_after_the_last_answer_of_a_visible_page(clock: Clock) -> None:
    async def scene() -> None:
        scripted = ScriptedSession("hang", "hang", "hang")
        ownership = SessionOwnership(scripted.session, exclusive=False, grace=60)
        hidden = await ownership.claim("", ADA, visible=False)
        visible = await ownership.claim("", ADA)
        assert ownership.find_person(visible.token) == Person("")
        await scripted.session.send("look")
        await settle()
        planned = clock.planned()
        for _ in range(3):
            await clock.wait(2.9)
            assert scripted.session.status == "running"
            ownership.renew(visible, visible=True)
        assert clock.planned() == planned  # an earlier answer plans nothing any more
        await clock.wait(3.0)
        assert last_status(scripted) == ("paused", SILENT)
        ownership.renew(hidden, visible=True)
        await scripted.session.send("")
        await ownership.release(hidden)
        await settle()
        assert last_status(scripted) == ("paused", Message("session.page_closed"))
        ownership.renew(hidden, visible=True)  # a late answer of a page that has left
        assert not ownership.attended
        ownership.renew(visible, visible=True)
        await scripted.session.send("")
        ownership.renew(visible, visible=False)
        await settle()
        assert last_status(scripted) == ("paused", Message("session.page_hidden"))
        await clock.wait(600)
        assert not ownership.expired.is_set()  # a service without login stays

    clock.run_until_complete(scene())


@pytest.mark.parametrize("exclusive", [False, True])
def test_a_page_that_opens_another_one_leaves_it_3_s_to_appear(
    clock: Clock, exclusive: bool
) -> None:
    async def scene() -> None:
        scripted = ScriptedSession("hang", "hang")
        ownership = SessionOwnership(scripted.session, exclusive=exclusive, grace=60)
        page = await ownership.claim("", ADA)
        await scripted.session.send("look")
        for visible in (True, False):
            ownership.hand_over()
            ownership.renew(page, visible=False)
            await ownership.release(page)
            await clock.wait(2.9)
            assert scripted.session.status == "running"
            page = await ownership.claim(page.token, ADA, visible=visible)
            await settle()
            assert scripted.session.status == ("running" if visible else "paused")
        ownership.renew(page, visible=True)
        await scripted.session.send("")
        ownership.hand_over()
        await ownership.release(page)
        await clock.wait(3.0)
        assert last_status(scripted) == ("paused", SILENT)

    clock.run_until_complete(scene())


@pytest.mark.parametrize("logs_out", [False, True])
@pytest.mark.parametrize("last_watches", [False, True])
def test_the_session_expires_when_its_last_page_has_been_away_for_the_grace(
    clock: Clock, logs_out: bool, last_watches: bool
) -> None:
    async def scene() -> None:
        ownership = SessionOwnership(ScriptedSession().session, exclusive=True, grace=60)

        async def leave(page: PageLease) -> None:
            if logs_out:
                await ownership.revoke(page, "logged out")
                await clock.wait(1)
            await ownership.release(page)
            await clock.wait(58 if logs_out else 59)

        pages = [await ownership.claim("", ADA), ownership.watch("", BEN)]
        for page in pages if last_watches else pages[::-1]:
            await leave(page)
        await leave(ownership.watch("", BEN))
        await leave(await ownership.claim("", BEN))
        if last_watches:
            await leave(ownership.watch("", BEN))
        assert not ownership.expired.is_set()
        await clock.wait(1)
        assert ownership.expired.is_set()

    clock.run_until_complete(scene())


def test_the_session_is_kept_30_s_for_the_page_that_installed_the_packages(clock: Clock) -> None:
    async def scene() -> None:
        for token, person, displace in (("installer", CEM, False), ("", BEN, True)):
            ownership = SessionOwnership(ScriptedSession().session, exclusive=True, grace=60)
            ownership.reserve("installer")
            await clock.wait(29.9)
            for other in (BEN, CEM):
                with pytest.raises(NotAdmitted, match="the page that installed it"):
                    await ownership.claim("x", other, displace=other is CEM)
            first = await ownership.claim(token, person, displace=displace)
            await ownership.release(first)
            await ownership.release(await ownership.claim("x", BEN))  # kept once
        ownership.reserve("installer")
        await clock.wait(30)
        await ownership.claim("", BEN)

    clock.run_until_complete(scene())


def test_what_a_page_may_do_that_the_session_was_refused(clock: Clock) -> None:
    async def scene() -> None:
        ownership = SessionOwnership(ScriptedSession().session, exclusive=True, grace=60)
        assert not any(may("") for may in (ownership.may_stop, ownership.is_holder))
        first = await ownership.claim("", ADA)
        assert ownership.find_person(first.token) == ADA
        assert ownership.find_person("x") is None
        with pytest.raises(NotAdmitted, match="ada") as held:
            await ownership.claim("", BEN)
        guest = str(held.value.details["guest"])
        assert ownership.may_stop(guest)
        assert not ownership.may_watch(guest)
        assert ownership.find_person(guest) == BEN
        for claim in (ownership.claim("", CEM, displace=True), watch(ownership, CEM)):
            with pytest.raises(NotAdmitted, match="ada") as held:
                await claim
            assert held.value.details["guest"] == ""
        watching = ownership.watch("", BEN)
        assert ownership.may_watch(watching.token)
        assert ownership.may_stop(watching.token)
        assert not ownership.is_holder(watching.token)
        await ownership.revoke(watching, "logged out")
        assert (watching.revoked.is_set(), watching.reason) == (True, "logged out")
        assert not ownership.may_stop(watching.token)
        await ownership.revoke(watching, "twice")
        assert watching.reason == "logged out"
        for _ in range(31):
            assert ownership.may_stop(guest)
            ownership.watch("", BEN)
        ownership.watch("", BEN)
        assert not ownership.may_stop(guest)  # the oldest of 33

    clock.run_until_complete(scene())


def test_each_page_hears_why_the_session_went_to_another(clock: Clock) -> None:
    async def scene() -> None:
        scripted = ScriptedSession("hang", "hang", "hang")
        ownership = SessionOwnership(scripted.session, exclusive=True, grace=60)
        first = await ownership.claim("", ADA)
        await scripted.session.send("look")
        again = await ownership.claim(first.token, ADA)
        assert (first.revoked.is_set(), first.reason) == (True, Message("session.other_tab"))
        assert last_status(scripted) == ("paused", Message("session.page_reopened"))
        await scripted.session.send("")
        other = await ownership.claim("", BEN, displace=True)
        assert (again.revoked.is_set(), again.reason) == (
            True,
            Message("session.taken_over", name="ben"),
        )
        taken = Message("session.taken_over_paused", name="ben")
        assert last_status(scripted) == ("paused", taken)
        await scripted.session.send("")
        await ownership.revoke(other, "logged out")
        assert last_status(scripted) == ("paused", "logged out")
        assert ownership.find_person(other.token) is None
        watching = ownership.watch("", ADA)
        await ownership.release(watching)
        told = [
            (each.data["who"], each.data["what"])
            for each in scripted.log.in_memory_since(0)
            if each.kind == "connection"
        ]
        assert told == [
            ("ada", Message("session.page_opened")),
            ("ada", Message("session.page_reopened")),
            ("ben", taken),
            ("ada", Message("session.page_watches")),
            ("ada", Message("session.page_left")),
        ]

    clock.run_until_complete(scene())


def last_status(scripted: ScriptedSession) -> tuple[str, str]:
    last = [each for each in scripted.log.in_memory_since(0) if each.kind == "status"][-1].data
    return last["status"], last["reason"]


async def watch(ownership: SessionOwnership, person: Person) -> PageLease:
    return ownership.watch("", person)


TestSupervision = Supervision.TestCase
TestSupervision.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)
