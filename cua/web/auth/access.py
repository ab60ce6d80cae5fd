"""Access control: admits users who are logged in to the KVM, or who enter a pairing code.

It decides at the hello of a page's WebSocket, never at `GET /`, which any web page can make a
browser request. Without `--auth` everyone on this machine is admitted.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...messages import Message
from ...types import CuaError
from ..session_ownership import NotAdmitted, Person
from .kvm_login import KvmLogin
from .pairing import PairingCodes

MAX_FAILURES, FAILURE_WINDOW_S = 10, 60.0
"""Failed attempts of an address within the window after which it is refused."""
LOGGED_OUT = Message("session.logged_out")
LOGGED_OUT_PAUSED = Message("session.logged_out_paused")


@dataclass(frozen=True)
class Connection:
    """An incoming connection: client address, local address, cookies, pairing code."""

    client_address: str
    local_address: str
    cookies: Mapping[str, str] = field(repr=False)
    code: str = field(default="", repr=False)
    returning: Person | None = None
    """The person to whom the client's token belongs."""


class OpenAccess:
    """Admits everyone: for a service that only this machine can reach, and `first-visitor`."""

    def __init__(self, name: str, *, may_displace: bool) -> None:
        self._person = Person(name, may_displace)

    async def admit(self, _connection: Connection) -> Person:
        return self._person

    async def is_still_admitted(self, _connection: Connection, _person: Person) -> bool:
        return True


@dataclass(frozen=True)
class Paired(Person):
    """A user who entered a pairing code; their tab may return without another one."""


@dataclass(frozen=True)
class LoggedIn(Person):
    """A user who is logged in to the KVM."""


class Authenticator:
    """Checks the KVM's login, then a pairing code.

    `rechecks` checks whether a person is still logged in. It is separate, as strangers who keep
    `logins` busy must not end that person's session.
    """

    def __init__(
        self,
        logins: KvmLogin,
        codes: PairingCodes,
        rechecks: KvmLogin,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._logins, self._codes, self._rechecks = logins, codes, rechecks
        self._clock = clock
        self._failures: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MAX_FAILURES))

    async def admit(self, connection: Connection) -> Person:
        """Return the person. Raises `NotAdmitted`."""
        self._check_failures(connection.client_address)
        verdict = await self._logins.verify(connection.cookies, connection.local_address)
        if verdict.answer == "yes":
            return LoggedIn(f"{verdict.name}, {connection.client_address}")
        if isinstance(connection.returning, Paired):
            return connection.returning
        wrong = ""
        if connection.code:
            try:
                self._codes.redeem(connection.code)
                return Paired(connection.client_address)
            except CuaError as error:
                wrong = error.message
        if wrong or verdict.answer == "no":
            self._count_failure(connection.client_address)
        self._codes.offer()
        raise NotAdmitted(Message("session.log_in"), code=True, wrong=wrong)

    async def is_still_admitted(self, connection: Connection, person: Person) -> bool | None:
        """Whether a person still has access; None if the KVM cannot tell."""
        if not isinstance(person, LoggedIn):
            return True
        verdict = await self._rechecks.verify(connection.cookies, connection.local_address)
        return None if verdict.answer == "unsure" else verdict.answer == "yes"

    def _count_failure(self, address: str) -> None:
        old = self._clock() - FAILURE_WINDOW_S
        for known in [known for known, times in self._failures.items() if times[-1] < old]:
            del self._failures[known]
        self._failures[address].append(self._clock())

    def _check_failures(self, address: str) -> None:
        times = self._failures.get(address, deque())
        if len(times) == MAX_FAILURES and self._clock() - times[0] < FAILURE_WINDOW_S:
            raise NotAdmitted(Message("session.too_many_attempts"), code=False)


Access = OpenAccess | Authenticator
