"""Who sits at the controls: which page holds the session, and whether somebody is there to see.

Nothing is typed without a page that is open, in sight and answering: an answer to a heartbeat is
good for three seconds, and when the last one lapses, or the page says that it goes out of sight,
the run is paused and every key released. With `exclusive` one page holds the session: its tab may
come back (a refresh) within the grace, another person may take it over, and the first is told.
Others who were let in may watch: they see everything, may stop, and count for nothing else.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from dataclasses import dataclass, field

from ..agent.session import Session
from ..messages import Message
from ..types import CuaError

LEASE = 3.0
"""Seconds for which an answer to a heartbeat counts."""
GUESTS = 32

CLOSED = Message("session.page_closed")
HIDDEN = Message("session.page_hidden")
SILENT = Message("session.page_silent", seconds=round(LEASE))
REOPENED = Message("session.page_reopened")
ELSEWHERE = Message("session.other_tab")
INSTALLER = Message("session.installer")
RESERVED_S = 30.0
"""How long the session is kept for the page that had the packages installed."""


@dataclass(frozen=True)
class Person:
    """Somebody who was let in. `equal`: may take the session over from whoever holds it."""

    name: str
    equal: bool = True


class SessionHeld(CuaError):
    """Another page holds the session; with `guest`, a token, this one may stop it all the same."""

    def __init__(self, words: str, guest: str) -> None:
        super().__init__(words)
        self.guest = guest


@dataclass(eq=False)
class PageLease:
    """One page's place. `revoked` is set, with the reason, when it is taken from the page."""

    token: str
    person: Person
    until: float = 0.0
    """Loop time up to which the page counts as being there."""
    reason: str = ""
    revoked: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, reason: str) -> None:
        self.reason = reason
        self.revoked.set()


class SessionLease:
    """`expired` is set when an exclusive session's page has been away for `grace` seconds."""

    def __init__(self, session: Session, *, exclusive: bool, grace: float) -> None:
        self.expired = asyncio.Event()
        self._session = session
        self._exclusive = exclusive
        self._grace = grace
        self._token = "" if exclusive else secrets.token_urlsafe(32)
        self._holder = Person("")
        self._guests: deque[str] = deque(maxlen=GUESTS)
        self._page_leases: set[PageLease] = set()
        self._watchers: set[PageLease] = set()
        self._recheck: asyncio.TimerHandle | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._pause: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._reserved, self._reserved_until = "", 0.0

    def reserve(self, token: str) -> None:
        """Keep the session for the page with this token, which still has to be let in."""
        self._reserved = token
        self._reserved_until = asyncio.get_running_loop().time() + RESERVED_S

    @property
    def attended(self) -> bool:
        """Whether a page is in sight and answers."""
        return self._attended_until() > asyncio.get_running_loop().time()

    def is_holder(self, token: str | None) -> bool:
        """Whether a request comes from a page that holds the session."""
        return bool(self._token) and _same(token, self._token)

    def holder(self, token: str | None) -> Person | None:
        """Who was given this token, if it still holds the session."""
        return self._holder if self.is_holder(token) else None

    def may_stop(self, token: str | None) -> bool:
        """Whether it comes from the holder, or from somebody else who was let in."""
        return self.may_watch(token) or any([_same(token, guest) for guest in self._guests])

    def may_watch(self, token: str | None) -> bool:
        """Whether it comes from the holder, or from a page that watches at this moment."""
        return self.is_holder(token) or any([_same(token, each.token) for each in self._watchers])

    async def claim(
        self, token: str | None, person: Person, *, visible: bool = True, take_over: bool = False
    ) -> PageLease:
        """Claim the session, take it up again, or take it over. Raises `SessionHeld`.

        Nothing is awaited before the seat is taken, so that no other claim comes between.
        """
        reason = self._displace(token, person, take_over) if self._exclusive else ""
        page_lease = PageLease(self._token, person)
        self._page_leases.add(page_lease)
        self._session.log.append(
            "connection", who=person.name, what=reason or Message("session.page_opened")
        )
        self._cancel_expiry()
        self.renew(page_lease, visible=visible)
        if reason:
            await self._session.pause(reason)
        return page_lease

    def watch(self, person: Person) -> PageLease:
        """Return a view-only lease; the session keeps its holder. Raises `SessionHeld`."""
        if not person.equal:
            raise SessionHeld(Message("session.held", name=self._holder.name), "")
        page_lease = PageLease(self._guest(), person)
        self._watchers.add(page_lease)
        self._cancel_expiry()
        self._session.log.append(
            "connection", who=person.name, what=Message("session.page_watches")
        )
        return page_lease

    def renew(self, page_lease: PageLease, *, visible: bool) -> None:
        """The page says that it is there, or that it goes out of sight."""
        if page_lease in self._page_leases:
            page_lease.until = asyncio.get_running_loop().time() + LEASE if visible else 0.0
            self._check_attended(HIDDEN)

    async def release(self, page_lease: PageLease) -> None:
        """However its socket ended. A seat that was taken away has left before."""
        if page_lease in self._page_leases | self._watchers:
            self._page_leases.discard(page_lease)
            self._watchers.discard(page_lease)
            self._session.log.append(
                "connection", who=page_lease.person.name, what=Message("session.page_left")
            )
            self._check_attended(CLOSED)
            self._start_expiry()

    async def revoke(self, page_lease: PageLease, reason: str) -> None:
        """Take the session from a page, which is told why; nobody holds it then."""
        if page_lease in self._watchers:
            self._watchers.discard(page_lease)
            self._guests = deque(
                [each for each in self._guests if each != page_lease.token], GUESTS
            )
            self._start_expiry()
            page_lease.take(reason)
        elif page_lease in self._page_leases:
            self._token = ""
            self._page_leases.discard(page_lease)
            self._start_expiry()
            await self._session.pause(reason)
            page_lease.take(reason)

    async def closed(self) -> None:
        """Returns when the service ends and every page has to go."""
        await self._closing.wait()

    def close(self) -> None:
        self._closing.set()

    def _displace(self, token: str | None, person: Person, take_over: bool) -> str:
        """Returns why a run has to pause."""
        if self.is_holder(token):
            # A refreshed page may be here before its old socket is gone, a duplicated tab stays.
            self._revoke_all(ELSEWHERE)
            return REOPENED
        self._check_reservation(token, person, take_over)
        if self._token:
            self._check_displaceable(person, take_over)
            self._revoke_all(Message("session.taken_over", name=person.name))
        self._token, self._holder = secrets.token_urlsafe(32), person
        return Message("session.taken_over_paused", name=person.name)

    def _check_reservation(self, token: str | None, person: Person, take_over: bool) -> None:
        kept = self._reserved and asyncio.get_running_loop().time() < self._reserved_until
        demanded = take_over and person.equal
        if kept and not demanded and not _same(token, self._reserved):
            raise SessionHeld(
                Message("session.held", name=INSTALLER), self._guest() if person.equal else ""
            )
        self._reserved = ""

    def _check_displaceable(self, person: Person, take_over: bool) -> None:
        """A page that is away may be displaced without a word, one that is there on demand."""
        if not person.equal:
            raise SessionHeld(Message("session.held", name=self._holder.name), "")
        if self._page_leases and not take_over:
            raise SessionHeld(Message("session.held", name=self._holder.name), self._guest())

    def _guest(self) -> str:
        self._guests.append(secrets.token_urlsafe(32))
        return self._guests[-1]

    def _revoke_all(self, reason: str) -> None:
        for page_lease in self._page_leases:
            page_lease.take(reason)
        self._page_leases.clear()

    def _attended_until(self) -> float:
        return max((page_lease.until for page_lease in self._page_leases), default=0.0)

    def _check_attended(self, reason: str = SILENT) -> None:
        """Pause now if nobody is there, else look again when the last answer lapses."""
        loop = asyncio.get_running_loop()
        if self._recheck:
            self._recheck.cancel()
            self._recheck = None
        if self.attended:
            self._recheck = loop.call_at(self._attended_until(), self._check_attended)
        elif self._session.is_busy:
            self._pause = loop.create_task(self._session.pause(reason))

    def _start_expiry(self) -> None:
        if not self._page_leases | self._watchers and self._exclusive:
            self._cancel_expiry()
            loop = asyncio.get_running_loop()
            self._leaving = loop.call_later(self._grace, self.expired.set)

    def _cancel_expiry(self) -> None:
        if self._leaving:
            self._leaving.cancel()
            self._leaving = None


def _same(token: str | None, expected: str) -> bool:
    return secrets.compare_digest((token or "").encode(), expected.encode())
