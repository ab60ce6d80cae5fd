"""The actions of a model, and which of them go to keyboard and mouse.

Positions are fractions of the screen's width and height, 0..1 from the top left. Only dialects (on
the way in) and `hid.action_to_reports` (on the way out) convert them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, WrapValidator

from ..messages import Message
from .modifiers import Modifier

Button = Literal["left", "right", "middle"]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


def _keep_message(value: object, validate: Callable[[object], str]) -> str:
    return value if isinstance(value, Message) else validate(value)


Text = Annotated[str, WrapValidator(_keep_message)]
"""A `str` or a `Message`; pydantic alone would reduce a `Message` to its English text."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Point(_Frozen):
    """A position on the screen, in fractions of its width and height."""

    x: Fraction
    y: Fraction

    @classmethod
    def clipped(cls, x: float, y: float) -> Point:
        """Return the nearest position that is on the screen."""
        return cls(x=min(1.0, max(0.0, x)), y=min(1.0, max(0.0, y)))


class Area(_Frozen):
    """A part of the screen, in fractions of its width and height."""

    left: Fraction
    top: Fraction
    right: Fraction
    bottom: Fraction

    @property
    def proportion(self) -> float:
        """The part of the screen that it covers, 0..1."""
        return (self.right - self.left) * (self.bottom - self.top)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def offset(self, other: Area) -> tuple[float, float]:
        """Return how far its middle is to the right of and below that of another one."""
        return self.middle[0] - other.middle[0], self.middle[1] - other.middle[1]

    @classmethod
    def clipped(cls, left: float, top: float, right: float, bottom: float) -> Area:
        """Return the part that is on the screen."""
        left, top, right, bottom = (min(1.0, max(0.0, each)) for each in (left, top, right, bottom))
        return cls(left=left, top=top, right=right, bottom=bottom)

    def moved(self, x: float, y: float) -> Area:
        """Return a copy that is still on the screen."""
        x = min(1 - self.right, max(-self.left, x))
        y = min(1 - self.bottom, max(-self.top, y))
        return self.clipped(self.left + x, self.top + y, self.right + x, self.bottom + y)

    def grown(self, x: float, y: float) -> Area:
        return self.clipped(self.left - x, self.top - y, self.right + x, self.bottom + y)


class _MouseAction(_Frozen):
    """`keys` are pressed during the action."""

    keys: tuple[Modifier, ...] = ()


class Move(_MouseAction):
    kind: Literal["move"] = "move"
    at: Point


class Click(_MouseAction):
    """`at` None: where the pointer is."""

    kind: Literal["click"] = "click"
    at: Point | None = None
    button: Button = "left"
    count: int = Field(default=1, ge=1, le=3)


class Drag(_MouseAction):
    """Press at the first point, move through the others, release at the last.

    A path of one point starts where the pointer is.
    """

    kind: Literal["drag"] = "drag"
    path: tuple[Point, ...] = Field(min_length=1, max_length=100)
    button: Button = "left"


class Scroll(_MouseAction):
    """Wheel notches; `dy` > 0 scrolls down, `dx` > 0 scrolls right."""

    kind: Literal["scroll"] = "scroll"
    at: Point | None = None
    dx: int = Field(default=0, ge=-100, le=100)
    dy: int = Field(default=0, ge=-100, le=100)


NAMED_SECRET = re.compile(r"\{\{\s*secret\s*:\s*([^{}\s]+?)\s*\}\}", re.IGNORECASE)
"""In a text to type: stands for the secret of this name, which is typed in its place."""


class Type(_Frozen):
    """Text to type unchanged; a newline is Enter, a tab is Tab."""

    kind: Literal["type"] = "type"
    text: str = Field(min_length=1, max_length=10_000)


class Keypress(_Frozen):
    """Keys pressed together, `count` times; names are those of `hid.keymap`."""

    kind: Literal["keypress"] = "keypress"
    keys: tuple[str, ...] = Field(min_length=1, max_length=8)
    count: int = Field(default=1, ge=1, le=200)


class Wait(_Frozen):
    kind: Literal["wait"] = "wait"
    seconds: float = Field(ge=0, le=60, allow_inf_nan=False)


PowerButton = Literal["power", "hold_power", "reset", "wake"]
"""A button of the computer's case: a short press, one of several seconds, and the reset; or a
Wake-on-LAN packet."""
Drive = Literal["cdrom", "disk"]
"""The kind of USB drive that the computer sees."""


class Power(_Frozen):
    """Press a button of the computer's case, or wake the computer over the network."""

    kind: Literal["power"] = "power"
    button: PowerButton


class Mount(_Frozen):
    """Show an image that the KVM stores to the computer as a USB drive."""

    kind: Literal["mount"] = "mount"
    image: str = Field(max_length=500)
    """The image's name in the KVM's list."""
    drive: Drive = "cdrom"


class Eject(_Frozen):
    """Remove the image from the drive."""

    kind: Literal["eject"] = "eject"


class Zoom(_Frozen):
    """See a part of the screen enlarged; no input is sent."""

    kind: Literal["zoom"] = "zoom"
    area: Area


class Done(_Frozen):
    """The task is done; `answer` is for the person. `refused`: except what the person refused;
    None: the model does not say.
    """

    kind: Literal["done"] = "done"
    answer: Text = ""
    refused: bool | None = Field(default=None, exclude=True)


class Fail(_Frozen):
    """The task cannot be done. `setting`, if any, fixes that; no model names it."""

    kind: Literal["fail"] = "fail"
    reason: Text = ""
    setting: str = Field(default="", exclude=True)


class Ask(_Frozen):
    """A question to the person. `anew`: the task was not understood; it asks for another one.
    `replaces`: what the answer replaces, a line of the task or a message that was not understood.
    """

    kind: Literal["ask"] = "ask"
    question: Text
    anew: bool = False
    replaces: str = Field(default="", exclude=True)


ManualAction = Move | Click | Drag | Scroll | Type | Keypress | Wait
"""An action of keyboard and mouse."""
KvmAction = Power | Mount | Eject
"""An action of the KVM itself. From a model, it always needs the person's approval."""
InputAction = ManualAction | KvmAction
"""Everything that affects the computer."""
Action = Annotated[InputAction | Zoom | Done | Fail | Ask, Field(discriminator="kind")]
"""Everything that a model can reply."""
