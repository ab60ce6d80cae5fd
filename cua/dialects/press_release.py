"""Join presses and releases of keys and buttons, in separate calls, into whole actions.

Nothing stays pressed between two replies: a pair becomes a drag, a mouse action with keys, or
a chord. A press without its release is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..messages import Message
from ..types import (
    Action,
    Button,
    Click,
    Drag,
    FormatError,
    Keypress,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)


@dataclass(frozen=True)
class KeyChange:
    names: tuple[str, ...]
    down: bool


@dataclass(frozen=True)
class ButtonChange:
    """Press or release a mouse button; `at` None: at the pointer."""

    down: bool
    at: Point | None = None
    button: Button = "left"


Part = Action | KeyChange | ButtonChange
PASSIVE = (Move, Wait)
"""Actions to which pressed keys do not apply: a tap with a pause in it is still a tap."""


def join_parts(parts: Sequence[Part]) -> tuple[Action, ...]:
    """Return whole actions. Raises `FormatError` if the parts do not make any."""
    joiner = _Joiner()
    for part in parts:
        joiner.add(part)
    if joiner.pressed or joiner.button:
        raise FormatError(Message("format.still_pressed"))
    return tuple(joiner.done)


@dataclass
class _Joiner:
    done: list[Action] = field(default_factory=list)
    pressed: tuple[str, ...] = ()
    used: bool = True
    """Whether an action used the pressed keys."""
    button: Button | None = None
    path: list[Point] = field(default_factory=list)
    from_pointer: bool = False

    def add(self, part: Part) -> None:
        if isinstance(part, KeyChange):
            self._change_keys(part)
        elif isinstance(part, ButtonChange):
            self._press(part) if part.down else self._release(part)
        elif self.button:
            self._move_pressed(part)
        else:
            self._append(part)

    def _append(self, action: Action) -> None:
        self.done.append(self._add_keys(action))
        self.used = self.used or not isinstance(action, PASSIVE)

    def _change_keys(self, keys: KeyChange) -> None:
        if self.button:
            raise FormatError(Message("format.key_with_button"))
        if keys.down:
            self.pressed += tuple(name for name in keys.names if name not in self.pressed)
            self.used = False
            return
        if not self.used:
            self.done.append(Keypress(keys=self.pressed))
            self.used = True
        self.pressed = tuple(name for name in self.pressed if name not in keys.names)

    def _add_keys(self, action: Action) -> Action:
        if not self.pressed or isinstance(action, PASSIVE):
            return action
        if isinstance(action, (Click, Drag, Scroll)):
            keys = self.pressed + action.keys
            return action.model_validate({**action.model_dump(), "keys": keys})
        if isinstance(action, Keypress):
            return Keypress(keys=self.pressed + action.keys, count=action.count)
        if isinstance(action, Type) and len(action.text) == 1:
            return Keypress(keys=(*self.pressed, action.text.upper()))
        raise FormatError(Message("format.only_with_keys"))

    def _press(self, press: ButtonChange) -> None:
        if self.button:
            raise FormatError(Message("format.button_pressed"))
        self.button, at = press.button, press.at
        if at is None and self.done and isinstance(self.done[-1], Move):
            at = self.done[-1].at
        self.path, self.from_pointer = [at] if at else [], at is None

    def _move_pressed(self, part: Action) -> None:
        if isinstance(part, Move):
            self.path.append(part.at)
        elif not isinstance(part, Wait):
            raise FormatError(Message("format.only_moves"))

    def _release(self, press: ButtonChange) -> None:
        if not self.button:
            raise FormatError(Message("format.button_released"))
        if press.at:
            self.path.append(press.at)
        path = self.path[-1:] if self.from_pointer else self.path
        still = not path or (not self.from_pointer and len(set(path)) == 1)
        if still:
            self._append(Click(at=path[0] if path else None, button=self.button))
        else:
            self._append(Drag(path=tuple(path), button=self.button))
        self.button = None
