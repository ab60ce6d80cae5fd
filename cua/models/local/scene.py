"""What the rules decide upon, and what they can decide."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Union

from .instructions import Instruction
from .matching import changed
from .ocr import Box, Look, Seen
from .story import Own

CLICK = {("left", 1): 1, ("right", 1): 2, ("left", 2): 3}
DOWN, UP = 5, 6


@dataclass(frozen=True)
class Act:
    """Commands for the hands and, in words, why."""

    say: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Achieved:
    """The instruction is carried out, as was `seen`."""

    seen: str


@dataclass(frozen=True)
class Question:
    text: str


Move = Union[Act, Achieved, Question]


@dataclass(frozen=True)
class Scene:
    """The screen now and at the last reply (None if that picture is no longer sent).

    `own` are the replies for the instruction in hand, `all` those of the whole chat; `typed` is how
    many characters of the last command were typed if it was interrupted.
    """

    look: Look
    before: Look | None = None
    own: list[Own] = field(default_factory=list)
    all: list[Own] = field(default_factory=list)
    typed: int | None = None
    previous: Instruction | None = None

    def did(self, command: str) -> int:
        """How many of its replies had this command."""
        return sum(own.did(command) for own in self.own)

    @property
    def changed(self) -> bool:
        """Whether something to read changed since the last reply; True if nobody can tell."""
        return self.before is None or changed(self.before, self.look)

    @property
    def clicked(self) -> tuple[int, int] | None:
        """Where the last click of the chat went, in pixels."""
        for own in reversed(self.all):
            for command in reversed(own.commands):
                words = command.split()
                if words[0] == "mouse" and words[3] in "123":
                    return self.look.pixel((float(words[1]), float(words[2])))
        return None

    def later(self) -> Scene:
        """For the next instruction, before anything was done for it."""
        return replace(self, own=[], typed=None)

    def after(self, previous: Instruction | None) -> Scene:
        return replace(self, previous=previous)


def place(look: Look, at: Box | Seen | tuple[int, int]) -> str:
    """As the line dialect writes places; the very corner means "do not move" there."""
    box = at.box if isinstance(at, Seen) else at
    x, y = look.fraction(box.middle if isinstance(box, Box) else box)
    return f"{max(x, 0.0005):.4f} {max(y, 0.0005):.4f}"


def click(
    look: Look, at: Box | Seen | tuple[int, int], count: int = 1, button: str = "left"
) -> str:
    return f"mouse {place(look, at)} {CLICK[button, count]}"


def where(look: Look, seen: Seen) -> str:
    """In the words of a person: top left, in the middle, ..."""
    x, y = look.fraction(seen.box.middle)
    row = "top" if y < 1 / 3 else "bottom" if y > 2 / 3 else ""
    column = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    if row and column:
        return f"at the {row} {column}"
    return f"at the {row or column}" if row or column else "in the middle"
