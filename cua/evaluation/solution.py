"""The solution of a task, move by move.

A move names its target by its label, so that one solution holds wherever windows and icons are.
Only scripted models read it; a real model gets the goal alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["click", "double", "right", "drag", "scroll", "type", "press"]


@dataclass(frozen=True)
class Move:
    """`what` is a label, a text or keys joined by "+"; `role` the kind of thing that has the label.

    `on`: the program that has to be in front, or the phase of a computer without a desktop. `by` is
    how far to drag, in pixels.
    """

    kind: Kind
    what: str
    role: str = ""
    on: str = ""
    by: tuple[int, int] = (0, 0)

    @property
    def words(self) -> str:
        """The move as a sentence."""
        if self.kind in ("type", "press"):
            return f"I {self.kind} {self.what}."
        return f"I {_VERBS[self.kind]} {self.what or self.role}."


_VERBS = {
    "click": "click on",
    "double": "double-click on",
    "right": "right-click on",
    "drag": "drag",
    "scroll": "scroll down in",
}


def click(what: str, role: str = "", on: str = "") -> Move:
    return Move("click", what, role, on)


def double(what: str, role: str = "", on: str = "") -> Move:
    return Move("double", what, role, on)


def right(what: str, role: str = "", on: str = "") -> Move:
    return Move("right", what, role, on)


def drag(what: str, by: tuple[int, int], role: str = "Title", on: str = "") -> Move:
    return Move("drag", what, role, on, by)


def scroll(what: str, role: str = "Window", on: str = "") -> Move:
    return Move("scroll", what, role, on)


def write(text: str, on: str = "") -> Move:
    return Move("type", text, on=on)


def press(*keys: str, on: str = "") -> tuple[Move, ...]:
    """Return a move for each of `keys`; keys that are pressed together are joined by "+"."""
    return tuple(Move("press", key, on=on) for key in keys)
