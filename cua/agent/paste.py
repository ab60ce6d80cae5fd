"""Text of the person that is typed into the computer at their word, as a model's text is typed.

What the keyboard layout lacks, and what the approval rules ask about, the person decides on before
the first key. Nothing but the number of characters is recorded or told: it may be a password.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ..messages import Message
from ..types import ActionError, Busy, Inputs, Type, UntypableText
from .manual_control import ManualControl
from .session import Session


@dataclass(frozen=True)
class Pasted:
    """`characters` that were typed; 0 until the person has decided about `missing` or `risk`.

    `missing`: which characters the keyboard layout lacks. `risk`: why a rule asks; `digest`
    stands for exactly this text and reason.
    """

    characters: int = 0
    missing: str = ""
    risk: str = ""
    digest: str = ""


class Paste:
    """`find_risk` returns why the rules ask about a text, or ""."""

    def __init__(
        self,
        session: Session,
        manual_control: ManualControl,
        inputs: Callable[[], Inputs],
        find_risk: Callable[[Type], Awaitable[str]],
    ) -> None:
        self._session, self._manual_control = session, manual_control
        self._inputs, self._find_risk = inputs, find_risk

    async def begin(self) -> int:
        """Return the turn for `type_text`. Raises `Busy`."""
        self._check_idle()
        return await self._manual_control.take_over()

    async def type_text(
        self,
        action: Type,
        turn: int,
        *,
        skip_missing: bool = False,
        confirmed: str = "",
    ) -> Pasted:
        """Type a text, unless the person has to decide first. Raises as `ManualControl.perform`.

        `confirmed` is the digest of the risk that the person accepts.
        """
        self._check_idle()
        try:
            self._inputs().check(action)
        except UntypableText as error:
            if not skip_missing:
                return Pasted(missing=error.message)
            action = _leave_out(action, error.characters)
        finally:
            if not self._session.is_busy:
                self._session.notify_idle()
        risk = await self._find_risk(action)
        digest = hashlib.sha256(f"{turn}\0{risk}\0{action.text}".encode()).hexdigest()
        if risk and confirmed != digest:
            return Pasted(risk=risk, digest=digest)
        self._check_idle()
        count = len(action.text)
        recorded = Message("session.pasted", count=count)
        await self._manual_control.perform(action, turn, recorded=recorded)
        return Pasted(count)

    def _check_idle(self) -> None:
        if self._session.status == "running":
            raise Busy(Message("session.pause_to_paste"))


def _leave_out(action: Type, characters: frozenset[str]) -> Type:
    text = "".join(char for char in action.text if char not in characters)
    if not text:
        raise ActionError(Message("session.nothing_to_paste"))
    return Type(text=text)
