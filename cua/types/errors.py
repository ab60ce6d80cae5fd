"""The exceptions that packages share; each message says what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from ..extras import PIP_MODULES, command
from ..messages import Message


class CuaError(Exception):
    """An error for people. `message` is a `Message` or a server's own words; `setting` names the
    setting that fixes it, if there is one.
    """

    def __init__(self, message: str = "", *, setting: str = "") -> None:
        super().__init__(message)
        self.message, self.setting = message, setting


class FormatError(CuaError):
    """A reply cannot be parsed; the message tells the model the format."""


class NoAction(FormatError):
    """A reply has only `words`, as where a model refuses a task."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words


class ActionError(CuaError):
    """An action cannot be executed, such as an unknown key; the model gets the message."""


class UntypableText(ActionError):
    """The keyboard layout has no keys for some `characters` of a text."""

    def __init__(self, message: str, characters: Sequence[str], *, setting: str) -> None:
        super().__init__(message, setting=setting)
        self.characters = frozenset(characters)


class ModelError(CuaError):
    """The model server failed or refused. The tokens are those of its unusable replies."""

    tokens_in = 0
    tokens_out = 0


class ModelLimit(ModelError):
    """The request is too large for the server. `max_images`: its limit; None: unknown."""

    def __init__(self, message: str, max_images: int | None = None, *, setting: str = "") -> None:
        super().__init__(message, setting=setting)
        self.max_images = max_images


class MissingExtra(ModelError):
    """The optional packages of `extra` (a key in `extras`) are not installed."""

    def __init__(self, extra: str, *, setting: str = "") -> None:
        values = {"extra": extra, "command": command(extra)}
        message = Message(
            "extra.missing_for_pip" if extra in PIP_MODULES else "extra.missing", **values
        )
        super().__init__(message, setting=setting)
        self.extra = extra


class ScreenError(CuaError):
    """There is no usable screenshot."""


class NoSignal(ScreenError):
    """The computer sends no video: it is off or asleep, or its cable is unplugged."""


class DeviceError(CuaError):
    """Keyboard or mouse do not accept reports."""


class InputReleased(DeviceError):
    """A report was refused because it relies on keys that were released in between."""


class ProcedureError(CuaError):
    """A procedure is invalid, cannot be stored, or cannot be made from a recording."""


class ProcedureNameError(ProcedureError):
    """A procedure cannot have this name."""


class Busy(CuaError):
    """The command is not possible now."""
