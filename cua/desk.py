"""Who sits at the controls: which page holds the session, and what happens when it leaves.

A page claims the session at its WebSocket's handshake, never by asking for `/`. With `exclusive`
one page holds it; the same tab may come back (a refresh), another one is refused. When nobody is
left, the run pauses at once, and after a grace the service may end.
"""

from __future__ import annotations

import asyncio
import secrets

from .session import Session
from .types import Busy


class Desk:
    """`vacated` is set when an exclusive session's page has been away for `grace` seconds."""

    def __init__(self, session: Session, *, exclusive: bool, grace: float) -> None:
        self.vacated = asyncio.Event()
        self._session = session
        self._exclusive = exclusive
        self._grace = grace
        self._token = "" if exclusive else secrets.token_urlsafe(32)
        self._seats: set[Seat] = set()
        self._leaving: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def knows(self, token: str | None) -> bool:
        """Whether a request comes from a page that holds the session."""
        return bool(self._token) and secrets.compare_digest(
            (token or "").encode(), self._token.encode()
        )

    async def sit(self, token: str | None) -> Seat:
        """Claim the session, or take it up again. Raises `Busy` while another page holds it."""
        if self._exclusive:
            await self._make_room(token)
        seat = Seat(self._token)
        self._seats.add(seat)
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        return seat

    async def closed(self) -> None:
        """Returns when the service ends and every page has to go."""
        await self._closing.wait()

    def close(self) -> None:
        self._closing.set()

    async def leave(self, seat: Seat) -> None:
        self._seats.discard(seat)
        if not self._seats:
            await self._session.pause("The page was closed, so the run was paused.")
            if self._exclusive and self._leaving is None and not self._seats:
                self._leaving = asyncio.create_task(self._end())

    async def _make_room(self, token: str | None) -> None:
        if not self._token:
            self._token = secrets.token_urlsafe(32)
        elif not self.knows(token):
            raise Busy(
                "Another page holds this session. Close that page, then start the assistant again."
            )
        else:
            await self._unseat_twin()

    async def _unseat_twin(self) -> None:
        """A refreshed page may be here before its old socket is gone, a duplicated tab stays."""
        for seat in list(self._seats):
            seat.taken.set()
            self._seats.discard(seat)
        await self._session.pause("The page was opened again, so the run was paused.")

    async def _end(self) -> None:
        await asyncio.sleep(self._grace)
        self.vacated.set()


class Seat:
    """One page's place; `taken` is set when the same session sits down elsewhere."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.taken = asyncio.Event()
