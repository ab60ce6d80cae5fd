"""The only exceptions that cross rooms; each message says what to do next."""

from __future__ import annotations


class CuaError(Exception):
    """Something that is shown to the person in words."""


class FormatError(CuaError):
    """The model's reply cannot be understood; the text teaches the model its format."""


class ActionError(CuaError):
    """The action cannot be carried out as asked (a key that does not exist); told to the model."""


class ModelError(CuaError):
    """The model server failed or refused."""


class ModelLimit(ModelError):
    """The request was too large for the server; `max_images` where it says how many it takes."""

    def __init__(self, message: str, max_images: int | None = None) -> None:
        super().__init__(message)
        self.max_images = max_images


class ScreenError(CuaError):
    """There is no usable picture of the screen."""


class NoSignal(ScreenError):
    """The computer sends no picture: it is off or asleep, or its cable is out."""


class DeviceError(CuaError):
    """The keyboard and mouse endpoints do not take reports."""


class Busy(CuaError):
    """The command does not fit what is going on now."""
