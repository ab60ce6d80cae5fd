"""Secrets that the person gives for typing, by name: the model knows `{{secret:name}}` and no more.

They are held in memory only and forgotten when the service ends: a password on a flash card is one
that somebody finds. What is known here is taken out of every text that is shown, sent or recorded,
and so are the keys of the settings.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

from .types import ActionError, Button, Deed, Hands, Keypress, Point, Type

ENVIRON = "CUA_SECRET_"
"""`CUA_SECRET_WIFI=...` gives the secret `wifi` where there is no page."""
DOTS = "••••"
SHORTEST = 4
"""Characters of a secret that can be taken out of a text without taking words out."""
LONGEST = 500
MOST = 50
_ENTER = ("ENTER", "RETURN", "KPENTER", "NUMPADENTER")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_NAMED = re.compile(r"\{\{\s*secret\s*:\s*([^{}\s]+?)\s*\}\}", re.IGNORECASE)


class Vault:
    """`others` are secrets that are not for typing, such as API keys."""

    def __init__(
        self, environ: Mapping[str, str], others: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._others = others
        self._values: dict[str, str] = {}
        self._private: set[str] = set()
        self.withheld = False
        """Whether one that the model must not see may be on the screen."""
        for name, value in environ.items():
            if name.startswith(ENVIRON) and value:
                self.keep(name.removeprefix(ENVIRON).lower(), value)

    def names(self) -> list[dict[str, object]]:
        """Name, and whether the model must not see the screen while it may be on it."""
        return [{"name": name, "withhold": name in self._private} for name in sorted(self._values)]

    def keep(self, name: str, value: str, *, withhold: bool = False) -> None:
        """Raises `ValueError` in words for the person."""
        if not _NAME.fullmatch(name):
            raise ValueError("A name is of small letters, digits, - and _, such as wifi.")
        if not SHORTEST <= len(value) <= LONGEST:
            raise ValueError(f"A secret has {SHORTEST} to {LONGEST} characters.")
        if name not in self._values and len(self._values) >= MOST:
            raise ValueError(f"There are {MOST} secrets already. Forget one first.")
        self._values[name] = value
        self._private.discard(name)
        if withhold:
            self._private.add(name)

    def forget(self, name: str) -> None:
        self._values.pop(name, None)
        self._private.discard(name)

    def used(self, text: str) -> list[str]:
        return [name.lower() for name in _NAMED.findall(text)]

    def is_private(self, text: str) -> bool:
        return any(name in self._private for name in self.used(text))

    def filled(self, text: str) -> str:
        """With the secrets in place of their names. Raises `ActionError` for one not given."""
        for name in self.used(text):
            if name not in self._values:
                given = ", ".join(sorted(self._values)) or "none"
                raise ActionError(
                    f"There is no secret named {name}. Given are: {given}. Ask the person for it."
                )
        return _NAMED.sub(lambda match: self._values[match[1].lower()], text)

    def named(self, text: str) -> str:
        """A person's words with the name in place of each secret, for the model."""
        for name, value in sorted(self._values.items(), key=lambda item: -len(item[1])):
            text = text.replace(value, f"{{{{secret:{name}}}}}")
        return text

    def masked(self, text: str) -> str:
        """Without any secret."""
        for value in self._known():
            if value in text:
                text = text.replace(value, DOTS)
        return text

    def _known(self) -> list[str]:
        values = {*self._values.values(), *self._others()}
        return sorted((each for each in values if len(each) >= SHORTEST), key=len, reverse=True)


class SecretHands:
    """`types.Hands` that type a secret where its name stands, and tell nothing of it."""

    def __init__(self, hands: Hands, vault: Vault) -> None:
        self._hands, self._vault = hands, vault
        self._secret = False

    @property
    def touched(self) -> float:
        return self._hands.touched

    @property
    def progress(self) -> str:
        """Without the number of characters, which would tell the secret's length."""
        return "it was begun but not finished" if self._secret else self._hands.progress

    def check(self, action: Deed) -> None:
        self._hands.check(self._filled(action))

    async def perform(self, action: Deed) -> None:
        filled = self._filled(action)
        self._secret = filled is not action
        if isinstance(action, Type) and self._vault.is_private(action.text):
            self._vault.withheld = True
        await self._hands.perform(filled)
        if _sends(action):
            self._vault.withheld = False

    async def pull(self, button: Button, way: AsyncIterator[Point]) -> None:
        self._secret = False
        await self._hands.pull(button, way)

    def _filled(self, action: Deed) -> Deed:
        if not isinstance(action, Type) or not self._vault.used(action.text):
            return action
        return Type(text=self._vault.filled(action.text))


def _sends(action: Deed) -> bool:
    """Whether Enter comes last: what was typed is gone then."""
    if isinstance(action, Type):
        return action.text.endswith("\n")
    return isinstance(action, Keypress) and action.keys[-1].strip().upper() in _ENTER
