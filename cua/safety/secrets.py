"""Named secrets for typing: the model knows only `{{secret:name}}`.

They are only in memory. Their values, and the secrets of the settings, are masked in every text
that is shown, sent or recorded.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

from ..messages import Message
from ..types import ActionError, Button, InputAction, Inputs, Keypress, Point, Type
from ..types.actions import NAMED_SECRET

ENVIRON_PREFIX = "CUA_SECRET_"
"""Prefix of environment variables: `CUA_SECRET_WIFI=...` sets the secret `wifi`."""
DOTS = "••••"
MIN_CHARS = 4
"""Shortest secret; masking shorter ones would mask words."""
MAX_CHARS = 500
MAX_SECRETS = 50
_ENTER = ("ENTER", "RETURN", "KPENTER", "NUMPADENTER")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+|[\w-]+([.:/\\][\w-]*)+")
_KINDS_OF_CHARACTERS = (r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s]")


class SecretStore:
    """Named secrets. `others`: secrets that are not for typing, such as API keys."""

    def __init__(
        self, environ: Mapping[str, str], others: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._others = others
        self._values: dict[str, str] = {}
        self._private: set[str] = set()
        self.withheld = False
        """Whether a secret that the model must not see may be on the screen."""
        for name, value in environ.items():
            if name.startswith(ENVIRON_PREFIX) and value:
                self.keep(name.removeprefix(ENVIRON_PREFIX).lower(), value)

    def names(self) -> list[dict[str, object]]:
        """Return each name, and whether the model must not see a screen with the secret."""
        return [{"name": name, "withhold": name in self._private} for name in sorted(self._values)]

    def keep(self, name: str, value: str, *, withhold: bool = False) -> None:
        """Set a secret. Raises `ValueError` with a message for the person."""
        if not _NAME.fullmatch(name):
            raise ValueError(Message("secret.bad_name"))
        if not MIN_CHARS <= len(value) <= MAX_CHARS:
            raise ValueError(Message("secret.bad_length", least=MIN_CHARS, most=MAX_CHARS))
        if name not in self._values and len(self._values) >= MAX_SECRETS:
            raise ValueError(Message("secret.too_many", most=MAX_SECRETS))
        self._values[name] = value
        self._private.discard(name)
        if withhold:
            self._private.add(name)

    def forget(self, name: str) -> None:
        self._values.pop(name, None)
        self._private.discard(name)

    def find_names(self, text: str) -> list[str]:
        return [name.lower() for name in NAMED_SECRET.findall(text)]

    def is_private(self, text: str) -> bool:
        return any(name in self._private for name in self.find_names(text))

    def fill_in(self, text: str) -> str:
        """Replace names by secrets. Raises `ActionError` for an unknown name."""
        for name in self.find_names(text):
            if name not in self._values:
                raise ActionError(Message("secret.unknown", name=name), setting=f"secrets:{name}")
        return NAMED_SECRET.sub(lambda match: self._values[match[1].lower()], text)

    def insert_names(self, text: str) -> str:
        """Replace secrets by their names, for the model."""
        for name, value in sorted(self._values.items(), key=lambda item: -len(item[1])):
            text = text.replace(value, f"{{{{secret:{name}}}}}")
        return text

    def mask(self, text: str) -> str:
        """Replace every secret by dots."""
        for value in self._known():
            if value in text:
                text = text.replace(value, DOTS)
        return text

    def _known(self) -> list[str]:
        values = {*self._values.values(), *self._others()}
        return sorted((each for each in values if len(each) >= MIN_CHARS), key=len, reverse=True)


class SecretInputs:
    """`types.Inputs` that type secrets in place of their names, and do not report their length."""

    def __init__(self, inputs: Inputs, secret_store: SecretStore) -> None:
        self._inputs, self._secret_store = inputs, secret_store
        self._secret = False

    @property
    def last_report_at(self) -> float:
        return self._inputs.last_report_at

    @property
    def progress(self) -> str:
        """The progress, without the number of characters of a secret."""
        done = self._inputs.progress
        is_typed = isinstance(done, Message) and done.key == "progress.typed"
        return Message("progress.begun") if self._secret and is_typed else done

    def check(self, action: InputAction) -> None:
        self._inputs.check(self._fill_in(action))

    async def perform(self, action: InputAction) -> None:
        filled = self._fill_in(action)
        self._secret = filled is not action
        if isinstance(action, Type) and self._secret_store.is_private(action.text):
            self._secret_store.withheld = True
        await self._inputs.perform(filled)
        if _submits(action):
            self._secret_store.withheld = False

    async def hold_button(self, button: Button, path: AsyncIterator[Point]) -> None:
        self._secret = False
        await self._inputs.hold_button(button, path)

    def _fill_in(self, action: InputAction) -> InputAction:
        if not isinstance(action, Type) or not self._secret_store.find_names(action.text):
            return action
        return Type(text=self._secret_store.fill_in(action.text))


def _submits(action: InputAction) -> bool:
    """Whether the action ends with Enter, after which the secret is no longer visible."""
    if isinstance(action, Type):
        return action.text.endswith("\n")
    return isinstance(action, Keypress) and action.keys[-1].strip().upper() in _ENTER


def looks_secret(text: str) -> bool:
    """Whether a typed text may be a password: one mixed word, not an address."""
    kinds = sum(bool(re.search(kind, text)) for kind in _KINDS_OF_CHARACTERS)
    is_word = len(text) >= 6 and not re.search(r"\s", text)
    return is_word and kinds >= 2 and not _ADDRESS.fullmatch(text)
