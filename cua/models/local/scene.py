"""What the rules decide upon, and what they can decide."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .instructions import Instruction
from .matching import news
from .ocr import Box, Look, Seen
from .story import Own

CLICK = {("left", 1): 1, ("right", 1): 2, ("left", 2): 3}
DOWN, UP = 5, 6


@dataclass(frozen=True)
class Act:
    """Commands for the hands and, in words, why.

    `helps`: they only clear the way, so that nobody looks for the effect of the instruction yet.
    """

    say: str
    commands: tuple[str, ...]
    helps: bool = False


@dataclass(frozen=True)
class Achieved:
    """The instruction is carried out, as was `seen`."""

    seen: str


@dataclass(frozen=True)
class Question:
    text: str


Move = Act | Achieved | Question


@dataclass(frozen=True)
class Scene:
    """The screen now, and `before`: at the last reply (None if that picture is not sent any more).

    `own` are the replies for the instruction in hand, `all` those of the whole chat; `typed` is how
    many characters of the last command were typed if it was interrupted; `previous` is the
    instruction before, `goal` the words of the goal that is pursued.
    """

    look: Look
    before: Look | None = None
    own: tuple[Own, ...] = ()
    all: tuple[Own, ...] = ()
    typed: int | None = None
    previous: Instruction | None = None
    goal: str = ""

    @property
    def rules(self) -> list[str]:
        """The names of the rules that acted for this goal, in order."""
        return [rule for own in self.all if (rule := own.rule(self.goal))]

    @property
    def last_rule(self) -> str:
        """Of those in hand, but for what only cleared the way."""
        return self.tries[-1].rule(self.goal) if self.tries else ""

    @property
    def tries(self) -> list[Own]:
        return [own for own in self.own if not own.helps]

    @property
    def helps(self) -> list[Own]:
        return [own for own in self.own if own.helps]

    @property
    def changed(self) -> bool:
        """Whether something to read changed since the last reply; True if nobody can tell."""
        if self.before is None:
            return True
        apart = self._pointers[-2:]
        return bool(news(self.before, self.look, apart) or news(self.look, self.before, apart))

    @property
    def result(self) -> str:
        """What became visible, in a few words."""
        fresh = news(self.before, self.look, self._pointers[-2:])[:3] if self.before else []
        seen = ", ".join(f'"{text}"' for text in fresh)
        return f"I now see {seen}" if seen else "the screen changed"

    @property
    def clicked(self) -> tuple[int, int] | None:
        """Where the pointer was last sent, in pixels."""
        return self._pointers[-1] if self._pointers else None

    @property
    def _pointers(self) -> list[tuple[int, int]]:
        moves = [words for own in self.all for words in map(str.split, own.commands)]
        ends = [words[1:3] for words in moves if words[0] == "mouse"]
        return [self.look.pixel((float(x), float(y))) for x, y in ends]

    def next(self) -> Scene:
        """For the next instruction, before anything was done for it."""
        return replace(self, own=(), typed=None)

    def after(self, previous: Instruction | None) -> Scene:
        return replace(self, previous=previous)


def times(replies: list[Own], command: str) -> int:
    """How many of these replies had this command."""
    return sum(any(line.startswith(command) for line in own.commands) for own in replies)


def place(look: Look, at: Box | Seen) -> str:
    """As the line dialect writes places; the very corner means "do not move" there."""
    x, y = look.fraction((at.box if isinstance(at, Seen) else at).middle)
    return f"{max(x, 0.0005):.4f} {max(y, 0.0005):.4f}"


def click(look: Look, at: Box | Seen, count: int = 1, button: str = "left") -> str:
    return f"mouse {place(look, at)} {CLICK[button, count]}"


def where(look: Look, seen: Seen) -> str:
    """In the words of a person: at the top left, in the middle, ..."""
    x, y = look.fraction(seen.box.middle)
    row = "top" if y < 1 / 3 else "bottom" if y > 2 / 3 else ""
    column = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    return (
        f"at the {row} {column}".replace("  ", " ").rstrip() if row or column else "in the middle"
    )


def glance(look: Look) -> str:
    """A few of the words on the screen, for a question."""
    texts = [f'"{seen.text}"' for seen in look.lines if len(seen.text) > 2][:12]
    return ", ".join(texts) or "nothing that I can read"
