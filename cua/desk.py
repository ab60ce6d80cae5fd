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

from .session import Session
from .types import CuaError

LEASE = 3.0
"""Seconds for which an answer to a heartbeat counts."""
GUESTS = 32

CLOSED = "The page was closed, so the run was paused."
HIDDEN = "The page went out of sight, so the run was paused."
SILENT = f"The page did not answer for {LEASE:.0f} seconds, so the run was paused."
REOPENED = "The page was opened again, so the run was paused."
ELSEWHERE = "This session was opened in another tab."
WATCHES = "A page came to watch."
HELD = "Another page holds this session ({name})."


@dataclass(frozen=True)
class Person:
    """Somebody who was let in. `equal`: may take the session over from whoever holds it."""

    name: str
    equal: bool = True


class Held(CuaError):
    """Another page holds the session; with `guest`, a token, this one may stop it all the same."""

    def __init__(self, words: str, guest: str) -> None:
        super().__init__(words)
        self.guest = guest


@dataclass(eq=False)
class Seat:
    """One page's place. `gone` is set, with the reason, when it is taken from the page."""

    token: str
    person: Person
    until: float = 0.0
    """Loop time up to which the page counts as being there."""
    reason: str = ""
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, reason: str) -> None:
        self.reason = reason
        self.gone.set()


class Desk:
    """`vacated` is set when an exclusive session's page has been away for `grace` seconds."""

    def __init__(self, session: Session, *, exclusive: bool, grace: float) -> None:
        self.vacated = asyncio.Event()
        self._session = session
        self._exclusive = exclusive
        self._grace = grace
        self._token = "" if exclusive else secrets.token_urlsafe(32)
        self._holder = Person("")
        self._guests: deque[str] = deque(maxlen=GUESTS)
        self._seats: set[Seat] = set()
        self._watchers: set[Seat] = set()
        self._lapse: asyncio.TimerHandle | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._pause: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    @property
    def attended(self) -> bool:
        """Whether a page is in sight and answers."""
        return self._until() > asyncio.get_running_loop().time()

    def knows(self, token: str | None) -> bool:
        """Whether a request comes from a page that holds the session."""
        return bool(self._token) and _same(token, self._token)

    def holder(self, token: str | None) -> Person | None:
        """Who was given this token, if it still holds the session."""
        return self._holder if self.knows(token) else None

    def may_stop(self, token: str | None) -> bool:
        """Whether it comes from the holder, or from somebody else who was let in."""
        return self.may_watch(token) or any([_same(token, guest) for guest in self._guests])

    def may_watch(self, token: str | None) -> bool:
        """Whether it comes from the holder, or from a page that watches at this moment."""
        return self.knows(token) or any([_same(token, each.token) for each in self._watchers])

    async def sit(
        self, token: str | None, person: Person, *, visible: bool = True, take_over: bool = False
    ) -> Seat:
        """Claim the session, take it up again, or take it over. Raises `Held`.

        Nothing is awaited before the seat is taken, so that no other claim comes between.
        """
        reason = self._make_room(token, person, take_over) if self._exclusive else ""
        seat = Seat(self._token, person)
        self._seats.add(seat)
        self._session.log.append("connection", who=person.name, what=reason or "A page came.")
        self._stay()
        self.answered(seat, visible=visible)
        if reason:
            await self._session.pause(reason)
        return seat

    def watch(self, person: Person) -> Seat:
        """A place to see from; nobody's session is touched. Raises `Held`."""
        if not person.equal:
            raise Held(HELD.format(name=self._holder.name), "")
        seat = Seat(self._guest(), person)
        self._watchers.add(seat)
        self._stay()
        self._session.log.append("connection", who=person.name, what=WATCHES)
        return seat

    def answered(self, seat: Seat, *, visible: bool) -> None:
        """The page says that it is there, or that it goes out of sight."""
        if seat in self._seats:
            seat.until = asyncio.get_running_loop().time() + LEASE if visible else 0.0
            self._reckon(HIDDEN)

    async def leave(self, seat: Seat) -> None:
        """However its socket ended. A seat that was taken away has left before."""
        if seat in self._seats | self._watchers:
            self._seats.discard(seat)
            self._watchers.discard(seat)
            self._session.log.append("connection", who=seat.person.name, what="A page left.")
            self._reckon(CLOSED)
            self._begin_to_end()

    async def dismiss(self, seat: Seat, reason: str) -> None:
        """Take the session from a page, which is told why; nobody holds it then."""
        if seat in self._watchers:
            self._watchers.discard(seat)
            self._guests = deque([each for each in self._guests if each != seat.token], GUESTS)
            self._begin_to_end()
            seat.take(reason)
        elif seat in self._seats:
            self._token = ""
            self._seats.discard(seat)
            self._begin_to_end()
            await self._session.pause(reason)
            seat.take(reason)

    async def closed(self) -> None:
        """Returns when the service ends and every page has to go."""
        await self._closing.wait()

    def close(self) -> None:
        self._closing.set()

    def _make_room(self, token: str | None, person: Person, take_over: bool) -> str:
        """Returns why a run has to pause."""
        if self.knows(token):
            # A refreshed page may be here before its old socket is gone, a duplicated tab stays.
            self._unseat(ELSEWHERE)
            return REOPENED
        if self._token:
            self._may_displace(person, take_over)
            self._unseat(f"{person.name} took over.")
        self._token, self._holder = secrets.token_urlsafe(32), person
        return f"{person.name} took over, so the run was paused."

    def _may_displace(self, person: Person, take_over: bool) -> None:
        """A page that is away may be displaced without a word, one that is there on demand."""
        if not person.equal:
            raise Held(HELD.format(name=self._holder.name), "")
        if self._seats and not take_over:
            raise Held(HELD.format(name=self._holder.name), self._guest())

    def _guest(self) -> str:
        self._guests.append(secrets.token_urlsafe(32))
        return self._guests[-1]

    def _unseat(self, reason: str) -> None:
        for seat in self._seats:
            seat.take(reason)
        self._seats.clear()

    def _until(self) -> float:
        return max((seat.until for seat in self._seats), default=0.0)

    def _reckon(self, reason: str = SILENT) -> None:
        """Pause now if nobody is there, else look again when the last answer lapses."""
        loop = asyncio.get_running_loop()
        if self._lapse:
            self._lapse.cancel()
            self._lapse = None
        if self.attended:
            self._lapse = loop.call_at(self._until(), self._reckon)
        elif self._session.working:
            self._pause = loop.create_task(self._session.pause(reason))

    def _begin_to_end(self) -> None:
        if not self._seats | self._watchers and self._exclusive:
            self._stay()
            loop = asyncio.get_running_loop()
            self._leaving = loop.call_later(self._grace, self.vacated.set)

    def _stay(self) -> None:
        if self._leaving:
            self._leaving.cancel()
            self._leaving = None


def _same(token: str | None, expected: str) -> bool:
    return secrets.compare_digest((token or "").encode(), expected.encode())
