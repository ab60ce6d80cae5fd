"""Who may sit down at the desk: from the KVM's own login down to a code read from its terminal.

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

from .desk import Person
from .kvm_login import Verdict
from .types import CuaError

FAILURES, MINUTE = 10, 60.0
LOG_IN = (
    "Log in to the KVM in this browser, then try again. Or enter the pairing code that is shown "
    "where this service was started; on the KVM, “python cua_webapp.py pair” shows it."
)
TOO_OFTEN = "Too many attempts from this address. Wait a minute."
SEEN_OUT = "You are no longer logged in to the KVM."
LOGGED_OUT = "You are no longer logged in to the KVM, so the run was paused."
DOUBTS = 3
"""Times in a row that the KVM may fail to answer whether somebody is still logged in."""


class NotLetIn(CuaError):
    """`code`: whether a pairing code would help."""

    def __init__(self, words: str, *, code: bool) -> None:
        super().__init__(words)
        self.code = code


@dataclass(frozen=True, eq=False)
class Visitor:
    """Who knocks: from which address, at which of ours, with what."""

    address: str
    reached: str
    cookies: Mapping[str, str] = field(repr=False)
    code: str = field(default="", repr=False)
    returns: Person | None = None
    """Who the visitor was when the token was given that they bring."""


class Access(Protocol):
    async def admit(self, visitor: Visitor, /) -> Person:
        """Raises `NotLetIn`."""

    async def still(self, visitor: Visitor, person: Person, /) -> bool:
        """Whether one who was let in would still be."""


class Everybody:
    """For a service that only this machine can reach, and for `first-visitor`."""

    def __init__(self, name: str, *, equal: bool) -> None:
        self._person = Person(name, equal)

    async def admit(self, _visitor: Visitor, /) -> Person:
        return self._person

    async def still(self, _visitor: Visitor, _person: Person, /) -> bool:
        return True


class Logins(Protocol):
    async def who(self, cookies: Mapping[str, str], reached: str) -> Verdict: ...


class Codes(Protocol):
    def offer(self) -> None: ...
    def redeem(self, code: str) -> None: ...


@dataclass(frozen=True)
class Paired(Person):
    """Somebody who knew the code: their tab may come back without another."""


@dataclass(frozen=True)
class LoggedIn(Person):
    """Somebody whom the KVM knows."""


class Ladder:
    """First the KVM's login, then a pairing code.

    `again` is asked whether somebody is still logged in: strangers, who make `logins` busy, must
    not get anybody dismissed.
    """

    def __init__(
        self,
        logins: Logins,
        codes: Codes,
        again: Logins,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._logins, self._codes, self._again = logins, codes, again
        self._clock = clock
        self._failures: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=FAILURES))
        self._doubts: WeakKeyDictionary[Visitor, int] = WeakKeyDictionary()

    async def admit(self, visitor: Visitor) -> Person:
        self._check_patience(visitor.address)
        verdict = await self._logins.who(visitor.cookies, visitor.reached)
        if verdict.answer == "yes":
            return LoggedIn(f"{verdict.name}, {visitor.address}")
        if isinstance(visitor.returns, Paired):
            return visitor.returns
        if visitor.code:
            self._redeem(visitor)
            return Paired(visitor.address)
        if verdict.answer == "no":
            self._fail(visitor.address)
        self._codes.offer()
        raise NotLetIn(LOG_IN, code=True)

    async def still(self, visitor: Visitor, person: Person) -> bool:
        if not isinstance(person, LoggedIn):
            return True
        verdict = await self._again.who(visitor.cookies, visitor.reached)
        doubts = self._doubts.get(visitor, 0) + 1 if verdict.answer == "unsure" else 0
        self._doubts[visitor] = doubts
        return verdict.answer == "yes" or 0 < doubts < DOUBTS

    def _redeem(self, visitor: Visitor) -> None:
        try:
            self._codes.redeem(visitor.code)
        except CuaError as wrong:
            self._fail(visitor.address)
            self._codes.offer()
            raise NotLetIn(str(wrong), code=True) from None

    def _fail(self, address: str) -> None:
        old = self._clock() - MINUTE
        for known in [known for known, times in self._failures.items() if times[-1] < old]:
            del self._failures[known]
        self._failures[address].append(self._clock())

    def _check_patience(self, address: str) -> None:
        """Ten failures in a minute are enough for one address."""
        times = self._failures.get(address, deque())
        if len(times) == FAILURES and self._clock() - times[0] < MINUTE:
            raise NotLetIn(TOO_OFTEN, code=False)
