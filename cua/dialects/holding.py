"""Keys and buttons that a reply presses in one call and lets go in another.

Between two replies nothing stays pressed here, so such pairs become the one action that they make
together: a drag, a click with keys held, a chord. What is pressed and not let go is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..types import (
    Action,
    Button,
    Click,
    Drag,
    FormatError,
    Keypress,
    Move,
    Point,
    Type,
    Wait,
)


@dataclass(frozen=True)
class Keys:
    """These keys go down, or up."""

    names: tuple[str, ...]
    down: bool


@dataclass(frozen=True)
class Press:
    """A button goes down, or up; `at` None: where the pointer is."""

    down: bool
    at: Point | None = None
    button: Button = "left"


Part = Action | Keys | Press
PASSIVE = (Move, Wait)
"""What is done without the keys that are held: a tap with a pause in it is still a tap."""


def joined(parts: Sequence[Part]) -> list[Action]:
    """Raises `FormatError` where the parts do not make whole actions."""
    joiner = _Joiner()
    for part in parts:
        joiner.take(part)
    if joiner.held or joiner.button:
        raise FormatError(
            "What is pressed must be let go in the same reply: nothing stays pressed between two."
        )
    return joiner.done


@dataclass
class _Joiner:
    done: list[Action] = field(default_factory=list)
    held: tuple[str, ...] = ()
    used: bool = True
    """Whether something was done with the keys that are held."""
    button: Button | None = None
    path: list[Point] = field(default_factory=list)
    from_pointer: bool = False

    def take(self, part: Part) -> None:
        if isinstance(part, Keys):
            self._keys(part)
        elif isinstance(part, Press):
            self._press(part) if part.down else self._let_go(part)
        elif self.button:
            self._on_the_way(part)
        else:
            self.done.append(self._with_keys(part))
            self.used = self.used or not isinstance(part, PASSIVE)

    def _keys(self, keys: Keys) -> None:
        if keys.down:
            self.held += tuple(name for name in keys.names if name not in self.held)
            self.used = False
            return
        if not self.used:
            self.done.append(Keypress(keys=self.held))
            self.used = True
        self.held = tuple(name for name in self.held if name not in keys.names)

    def _with_keys(self, action: Action) -> Action:
        if not self.held or isinstance(action, PASSIVE):
            return action
        if isinstance(action, Click):
            keys = self.held + action.keys
            return Click(at=action.at, button=action.button, count=action.count, keys=keys)
        if isinstance(action, Keypress):
            return Keypress(keys=self.held + action.keys, count=action.count)
        if isinstance(action, Type) and len(action.text) == 1:
            return Keypress(keys=(*self.held, action.text.upper()))
        raise FormatError("While keys are held only clicks and other keys are possible.")

    def _press(self, press: Press) -> None:
        if self.button:
            raise FormatError("A mouse button is pressed that was not let go before.")
        if self.held:
            raise FormatError("A drag with keys held is not possible.")
        self.button, at = press.button, press.at
        if at is None and self.done and isinstance(self.done[-1], Move):
            at = self.done[-1].at
        self.path, self.from_pointer = [at] if at else [], at is None

    def _on_the_way(self, part: Action) -> None:
        if isinstance(part, Move):
            self.path.append(part.at)
        elif not isinstance(part, Wait):
            raise FormatError("While a mouse button is pressed only moves are possible.")

    def _let_go(self, press: Press) -> None:
        if not self.button:
            raise FormatError("A mouse button is let go that was not pressed in this reply.")
        if press.at:
            self.path.append(press.at)
        way = self.path[-1:] if self.from_pointer else self.path
        still = not way or (not self.from_pointer and len(set(way)) == 1)
        if still:
            self.done.append(Click(at=way[0] if way else None, button=self.button))
        else:
            self.done.append(Drag(path=tuple(way), button=self.button))
        self.button = None
