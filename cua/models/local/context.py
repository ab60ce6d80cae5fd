"""The input of the rules, and their decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...screen.ocr.layout import Box, ScreenLayout, TextLine
from .instructions import Instruction
from .matching import news
from .progress import OwnReply

CLICK = {("left", 1): 1, ("right", 1): 2, ("left", 2): 3}
DOWN, UP = 5, 6


@dataclass(frozen=True)
class Act:
    """Commands, and why in words.

    `helps`: they only prepare the instruction, so its effect is not checked yet.
    """

    say: str
    commands: tuple[str, ...]
    helps: bool = False


@dataclass(frozen=True)
class Achieved:
    """The instruction is done; `seen` proves it."""

    seen: str


@dataclass(frozen=True)
class Question:
    text: str


Move = Act | Achieved | Question


@dataclass(frozen=True)
class RuleContext:
    """The screen now, and `before`: at the last reply (None if that is not sent any more).

    `own` are the replies for the current instruction, `all` those of the whole chat; `typed` is how
    many characters of the last command were typed if it was interrupted; `previous` is the
    instruction before, `goal` the name of the current goal.
    """

    look: ScreenLayout
    before: ScreenLayout | None = None
    own: tuple[OwnReply, ...] = ()
    all: tuple[OwnReply, ...] = ()
    typed: int | None = None
    previous: Instruction | None = None
    goal: str = ""

    @property
    def rules(self) -> list[str]:
        """The names of the rules that acted for this goal, in order."""
        return [rule for own in self.all if (rule := own.rule(self.goal))]

    @property
    def last_rule(self) -> str:
        """The last rule that acted for the current instruction."""
        return self.tries[-1].rule(self.goal) if self.tries else ""

    @property
    def tries(self) -> list[OwnReply]:
        return [own for own in self.own if not own.helps]

    @property
    def helps(self) -> list[OwnReply]:
        return [own for own in self.own if own.helps]

    @property
    def changed(self) -> bool:
        """Whether readable text changed since the last reply; True if that is unknown."""
        if self.before is None:
            return True
        apart = self._pointers[-2:]
        return bool(news(self.before, self.look, apart) or news(self.look, self.before, apart))

    @property
    def result(self) -> str:
        """The text that became visible."""
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

    def next(self) -> RuleContext:
        """The context for the next instruction."""
        return replace(self, own=(), typed=None)

    def after(self, previous: Instruction | None) -> RuleContext:
        return replace(self, previous=previous)


def times(replies: list[OwnReply], command: str) -> int:
    """How many of these replies had this command."""
    return sum(any(line.startswith(command) for line in own.commands) for own in replies)


def place(look: ScreenLayout, at: Box | TextLine) -> str:
    """Coordinates in the line dialect, where `0 0` means "do not move"."""
    x, y = look.fraction((at.box if isinstance(at, TextLine) else at).middle)
    return f"{max(x, 0.0005):.4f} {max(y, 0.0005):.4f}"


def click(look: ScreenLayout, at: Box | TextLine, count: int = 1, button: str = "left") -> str:
    return f"mouse {place(look, at)} {CLICK[button, count]}"


_NINTHS = (
    ("at the top left", "at the top", "at the top right"),
    ("at the left", "in the middle", "at the right"),
    ("at the bottom left", "at the bottom", "at the bottom right"),
)


def where(look: ScreenLayout, seen: TextLine) -> str:
    """Describe a position: at the top left, in the middle, ..."""
    x, y = look.fraction(seen.box.middle)
    return _NINTHS[min(2, int(y * 3))][min(2, int(x * 3))]


def list_texts(look: ScreenLayout) -> str:
    """Some texts on the screen, for a question."""
    texts = [f'"{seen.text}"' for seen in look.lines if len(seen.text) > 2][:12]
    return ", ".join(texts) or "nothing that I can read"
