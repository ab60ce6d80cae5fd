"""Tracks which page holds the session, and whether a page is visible.

No input is sent unless a page is open, visible and answering: an answer to a heartbeat is valid for
`ANSWER_LEASE_S`; when the last one expires, or the page is hidden, the run is paused and every key
released. With `exclusive` one page holds the session: its tab may reload within the grace time, and
another person may displace it. Other admitted pages may watch: they see everything and may stop.
The token of such a guest proves its admission; its tab keeps the token when it gets the session.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..messages import Message
from ..notifications import PAGE_CLOSED
from ..types import CuaError

if TYPE_CHECKING:
    from ..agent.session import Session
    from .fleet.fleet import FleetSession

ANSWER_LEASE_S = 3.0
MAX_GUESTS = 32
RESERVED_S = 30.0
"""Time for which the session is reserved for the page that installed the packages."""
SILENT = Message("session.page_silent", seconds=round(ANSWER_LEASE_S))


@dataclass(frozen=True)
class Person:
    """An admitted user. `may_displace`: may take the session from its holder."""

    name: str
    may_displace: bool = True


class NotAdmitted(CuaError):
    """A page does not get the session. It is sent `details` too.

    `code`: whether a pairing code can be entered now, absent for who is logged in; `wrong`: the
    fault of the one received, or ""; `guest`: a token with which it may stop the session, or "";
    `running`: whether there is a run to stop.
    """

    def __init__(self, message: str, **details: bool | str) -> None:
        super().__init__(message)
        self.details = details


@dataclass(eq=False)
class PageLease:
    """The right of a page to the session. `revoked` is set when it loses it, after `reason`."""

    token: str
    person: Person
    until: float = 0.0
    """Loop time until which the page counts as visible."""
    reason: str = ""
    revoked: asyncio.Event = field(default_factory=asyncio.Event)

    def revoke(self, reason: str) -> None:
        self.reason = reason
        self.revoked.set()


class SessionOwnership:
    """`expired` is set when an exclusive session had no page for `grace` seconds."""

    def __init__(self, session: Session | FleetSession, *, exclusive: bool, grace: float) -> None:
        self.expired = asyncio.Event()
        self.failure: Exception | None = None
        """The error because of which no page can be served."""
        self.closing = asyncio.Event()
        """Set when the service ends, which ends the pages' sockets."""
        self.on_left: Callable[[str], None] = lambda _: None
        """Called with a page whose socket has closed."""
        self._session = session
        self._exclusive = exclusive
        self._grace = grace
        self._token = "" if exclusive else secrets.token_urlsafe(32)
        self._holder = Person("")
        self._guests: dict[str, Person] = {}
        """Token -> guest, the oldest first."""
        self._page_leases: set[PageLease] = set()
        self._watchers: set[PageLease] = set()
        self._recheck: asyncio.TimerHandle | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._pause: asyncio.Task[None] | None = None
        self._reserved, self._reserved_until = "", 0.0
        self._handed_over_until = 0.0

    def fail(self, error: Exception) -> None:
        self.failure = error
        self.expired.set()

    def reserve(self, token: str) -> None:
        """Reserve the session for the page with this token, which still has to be admitted."""
        self._reserved = token
        self._reserved_until = asyncio.get_running_loop().time() + RESERVED_S

    @property
    def attended(self) -> bool:
        """Whether a page is visible and answers."""
        return self._attended_until() > asyncio.get_running_loop().time()

    def is_holder(self, token: str) -> bool:
        """Whether the token belongs to a page that holds the session."""
        return bool(self._token) and _same(token, self._token)

    def find_person(self, token: str) -> Person | None:
        """Return the person of a token: the holder or a guest."""
        known = {**self._guests, self._token: self._holder} if self._token else self._guests
        found = [person for each, person in known.items() if _same(token, each)]
        return found[0] if found else None

    def may_stop(self, token: str) -> bool:
        """Whether the token belongs to any admitted page."""
        return self.may_watch(token) or self.find_person(token) is not None

    def may_watch(self, token: str) -> bool:
        """Whether the token belongs to the holder or to a page that watches now."""
        return self.is_holder(token) or any([_same(token, each.token) for each in self._watchers])

    async def claim(
        self, token: str, person: Person, *, visible: bool = True, displace: bool = False
    ) -> PageLease:
        """Claim the session, resume it, or displace its holder. Raises `NotAdmitted`."""
        # no await before the lease is made, so that no other claim can interrupt
        reason = self._displace(token, person, displace) if self._exclusive else ""
        self._handed_over_until = 0.0
        page_lease = PageLease(self._token, person)
        self._page_leases.add(page_lease)
        self._log_connection(person, reason or Message("session.page_opened"))
        self._cancel_expiry()
        self.renew(page_lease, visible=visible)
        if reason:
            await self._session.pause(reason)
        return page_lease

    def watch(self, token: str, person: Person) -> PageLease:
        """Return a view-only lease; the session keeps its holder. Raises `NotAdmitted`."""
        if not person.may_displace:
            raise self._make_refusal(token, person)
        page_lease = PageLease(self._make_guest(token, person), person)
        for each in [each for each in self._watchers if each.token == page_lease.token]:
            self._watchers.discard(each)
            each.revoke(Message("session.other_tab"))
        self._watchers.add(page_lease)
        self._cancel_expiry()
        self._log_connection(person, Message("session.page_watches"))
        return page_lease

    def renew(self, page_lease: PageLease, *, visible: bool) -> None:
        """Extend the lease of a visible page; end it at once for a hidden one."""
        if page_lease in self._page_leases:
            until = asyncio.get_running_loop().time() + ANSWER_LEASE_S
            page_lease.until = until if visible else 0.0
            self._check_attended(Message("session.page_hidden"))

    def hand_over(self) -> None:
        """Wait `ANSWER_LEASE_S` for another page of this service that the current one opens."""
        self._handed_over_until = asyncio.get_running_loop().time() + ANSWER_LEASE_S

    async def release(self, page_lease: PageLease, page: str = "") -> None:
        """End the lease of a `page` whose socket has closed, unless it was revoked."""
        if page_lease in self._page_leases | self._watchers:
            self._page_leases.discard(page_lease)
            self._watchers.discard(page_lease)
            self._log_connection(page_lease.person, Message("session.page_left"), left=page)
            self._check_attended(PAGE_CLOSED, page)
            self._start_expiry()
        self.on_left(page)

    async def revoke(self, page_lease: PageLease, reason: str) -> None:
        """Take the session from a page, with a reason; no page holds it then."""
        if page_lease in self._watchers:
            self._watchers.discard(page_lease)
            self._guests.pop(page_lease.token, None)
            self._start_expiry()
        elif page_lease in self._page_leases:
            self._token = ""
            self._page_leases.discard(page_lease)
            self._start_expiry()
            await self._session.pause(reason)
        else:
            return
        page_lease.revoke(reason)

    def _log_connection(self, person: Person, what: str, left: str = "") -> None:
        """`left`: the page that is gone."""
        pages = len(self._page_leases)
        self._session.log.append("connection", who=person.name, what=what, pages=pages, left=left)

    def _displace(self, token: str, person: Person, displace: bool) -> str:
        """Give the session to `person`; return the reason for which a run is paused, if any."""
        if self.is_holder(token):
            # a reloaded page may connect before its old socket has closed; a duplicated tab stays
            self._revoke_all(Message("session.other_tab"))
            handed_over = asyncio.get_running_loop().time() < self._handed_over_until
            return "" if handed_over else Message("session.page_reopened")
        self._check_reservation(token, person, displace)
        reason = ""
        if self._token:
            # a disconnected page may be displaced, a connected one only with `displace`
            if not person.may_displace or (self._page_leases and not displace):
                raise self._make_refusal(token, person)
            self._revoke_all(Message("session.taken_over", name=person.name))
            reason = Message("session.taken_over_paused", name=person.name)
        self._token, self._holder = self._take_token(token), person
        return reason

    def _check_reservation(self, token: str, person: Person, displace: bool) -> None:
        kept = self._reserved and asyncio.get_running_loop().time() < self._reserved_until
        if kept and not (displace and person.may_displace) and not _same(token, self._reserved):
            raise self._make_refusal(token, person, Message("session.installer"))
        self._reserved = ""

    def _make_refusal(self, token: str, person: Person, holder: str = "") -> NotAdmitted:
        guest = self._make_guest(token, person) if person.may_displace else ""
        held = Message("session.held", name=holder or self._holder.name)
        return NotAdmitted(held, guest=guest, running=self._session.is_busy)

    def _make_guest(self, token: str, person: Person) -> str:
        guest = self._take_token(token)
        self._guests = dict([*self._guests.items(), (guest, person)][-MAX_GUESTS:])
        return guest

    def _take_token(self, token: str) -> str:
        """Return the guest's token, removed from the guests, or a new one."""
        return token if self._guests.pop(token, None) else secrets.token_urlsafe(32)

    def _revoke_all(self, reason: str) -> None:
        for page_lease in self._page_leases:
            page_lease.revoke(reason)
        self._page_leases.clear()

    def _attended_until(self) -> float:
        leases = (page_lease.until for page_lease in self._page_leases)
        return max([self._handed_over_until, *leases])

    def _check_attended(self, reason: str = SILENT, by: str = "") -> None:
        """Pause now if no page is visible, else check again when the last answer expires."""
        loop = asyncio.get_running_loop()
        if self._recheck:
            self._recheck.cancel()
        if self.attended:
            self._recheck = loop.call_at(self._attended_until(), self._check_attended)
        elif self._session.is_busy:
            self._pause = loop.create_task(self._session.pause(reason, by))

    def _start_expiry(self) -> None:
        if not self._page_leases | self._watchers and self._exclusive:
            self._leaving = asyncio.get_running_loop().call_later(self._grace, self.expired.set)

    def _cancel_expiry(self) -> None:
        if self._leaving:
            self._leaving.cancel()


def _same(token: str, expected: str) -> bool:
    return secrets.compare_digest(token.encode(), expected.encode())
