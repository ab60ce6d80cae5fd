"""Who may open a page: users who are logged in to the KVM, or who enter a pairing code.

It is decided when a page's WebSocket says hello, never by `GET /`, which any web page in the
neighbourhood can make a browser ask for. Without `--auth` everybody on this machine is let in.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakKeyDictionary

from ...messages import Message
from ...types import CuaError
from ..presence import Person
from .kvm_login import Verdict

FAILURES, MINUTE = 10, 60.0
LOGGED_OUT = Message("session.logged_out")
LOGGED_OUT_PAUSED = Message("session.logged_out_paused")
DOUBTS = 3
"""Times in a row that the KVM may fail to answer whether somebody is still logged in."""


class AccessDenied(CuaError):
    """`code`: whether a pairing code would help."""

    def __init__(self, words: str, *, code: bool) -> None:
        super().__init__(words)
        self.code = code


@dataclass(frozen=True, eq=False)
class Connection:
    """Who knocks: from which address, at which of ours, with what."""

    client_address: str
    local_address: str
    cookies: Mapping[str, str] = field(repr=False)
    code: str = field(default="", repr=False)
    returning: Person | None = None
    """Who the visitor was when the token was given that they bring."""


class Access(Protocol):
    async def admit(self, connection: Connection, /) -> Person:
        """Raises `AccessDenied`."""

    async def is_still_admitted(self, connection: Connection, person: Person, /) -> bool:
        """Whether one who was let in would still be."""


class OpenAccess:
    """For a service that only this machine can reach, and for `first-visitor`."""

    def __init__(self, name: str, *, equal: bool) -> None:
        self._person = Person(name, equal)

    async def admit(self, _connection: Connection, /) -> Person:
        return self._person

    async def is_still_admitted(self, _connection: Connection, _person: Person, /) -> bool:
        return True


class Logins(Protocol):
    async def verify(self, cookies: Mapping[str, str], local_address: str) -> Verdict: ...


class PairingCodes(Protocol):
    def offer(self) -> None: ...
    def redeem(self, code: str) -> None: ...


@dataclass(frozen=True)
class Paired(Person):
    """Somebody who knew the code: their tab may come back without another."""


@dataclass(frozen=True)
class LoggedIn(Person):
    """Somebody whom the KVM knows."""


class Authenticator:
    """First the KVM's login, then a pairing code.

    `again` is asked whether somebody is still logged in: strangers, who make `logins` busy, must
    not get anybody dismissed.
    """

    def __init__(
        self,
        logins: Logins,
        codes: PairingCodes,
        again: Logins,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._logins, self._codes, self._again = logins, codes, again
        self._clock = clock
        self._failures: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=FAILURES))
        self._doubts: WeakKeyDictionary[Connection, int] = WeakKeyDictionary()

    async def admit(self, connection: Connection) -> Person:
        self._check_patience(connection.client_address)
        verdict = await self._logins.verify(connection.cookies, connection.local_address)
        if verdict.answer == "yes":
            return LoggedIn(f"{verdict.name}, {connection.client_address}")
        if isinstance(connection.returning, Paired):
            return connection.returning
        if connection.code:
            self._redeem(connection)
            return Paired(connection.client_address)
        if verdict.answer == "no":
            self._fail(connection.client_address)
        self._codes.offer()
        raise AccessDenied(Message("session.log_in"), code=True)

    async def is_still_admitted(self, connection: Connection, person: Person) -> bool:
        if not isinstance(person, LoggedIn):
            return True
        verdict = await self._again.verify(connection.cookies, connection.local_address)
        doubts = self._doubts.get(connection, 0) + 1 if verdict.answer == "unsure" else 0
        self._doubts[connection] = doubts
        return verdict.answer == "yes" or 0 < doubts < DOUBTS

    def _redeem(self, connection: Connection) -> None:
        try:
            self._codes.redeem(connection.code)
        except CuaError as wrong:
            self._fail(connection.client_address)
            self._codes.offer()
            raise AccessDenied(wrong.message, code=True) from None

    def _fail(self, address: str) -> None:
        old = self._clock() - MINUTE
        for known in [known for known, times in self._failures.items() if times[-1] < old]:
            del self._failures[known]
        self._failures[address].append(self._clock())

    def _check_patience(self, address: str) -> None:
        """Ten failures in a minute are enough for one address."""
        times = self._failures.get(address, deque())
        if len(times) == FAILURES and self._clock() - times[0] < MINUTE:
            raise AccessDenied(Message("session.too_many_attempts"), code=False)
