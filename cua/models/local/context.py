"""The input of a decision, and the decisions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from ...messages import Message
from ...screen.ocr.labels import is_icon
from ...screen.ocr.layout import Box, ScreenLayout, TextLine
from ...screen.ocr.matching import new_texts, normalize_ocr
from ...types.describe import describe_place
from .instructions import Instruction, Target, list_first
from .task_history import OwnReply

CLICK_CODES = {("left", 1): 1, ("right", 1): 2, ("left", 2): 3}
SCROLL_DOWN, SCROLL_UP = 5, 6
_ALIKE = 0.5
_WHOLE = re.compile(r"(?=.*[^\W\d_]{2})[^\W_][^\\|{}<>~^=_]{1,39}")
"""A text that may be a label: short, and not part of a picture, path or line of code."""
_SHORT = re.compile("[a-z]{1,3}", re.ASCII | re.IGNORECASE)
"""A text that may be the rest of a longer one, unless it is on a button or under an icon."""
_PART = re.compile(rf"{_SHORT.pattern}|.*(?:\.\.|…)", re.IGNORECASE)
"""A text that is cut, or may be the rest of a longer one."""
_WORD = re.compile(r"\d|[^\W\d_].*[^\W\d_]")
"""A number or two letters; OCR reads icons and frames as one."""


@dataclass(frozen=True)
class Act:
    """Commands in KVM lines, with the reason unless it is obvious.

    `preparation`: their purpose if the instruction itself comes later, such as closing a dialog.
    The reply is marked with it, and its effect is not checked.
    """

    say: str
    commands: tuple[str, ...]
    preparation: str = ""
    label: str = ""
    """The text on the target of a click, or beside a field."""


@dataclass(frozen=True)
class Achieved:
    """The instruction is done; `seen`: the evidence."""

    seen: str


@dataclass(frozen=True)
class Question:
    text: str
    preparation: str = ""


Decision = Act | Achieved | Question


@dataclass(frozen=True)
class Context:
    """The screen now, and `before`: at the last reply, if that screenshot is still sent.

    `own`: the replies for the current instruction; `all`: those of the whole chat; `previous`: the
    instruction before; `opened`: what was opened before it, unless something was clicked since;
    `by_hand`: the person has done something since, such as open a window.
    """

    layout: ScreenLayout
    before: ScreenLayout | None = None
    own: tuple[OwnReply, ...] = ()
    all: tuple[OwnReply, ...] = ()
    previous: Instruction | None = None
    opened: Target | None = None
    by_hand: bool = False

    @property
    def attempts(self) -> list[OwnReply]:
        return [own for own in self.own if not own.preparation]

    @property
    def rest(self) -> tuple[str, ...]:
        """What an interruption left undone of the last reply for the current instruction."""
        return self.own[-1].rest if self.own else ()

    @property
    def changed(self) -> bool:
        """Whether text on the screen changed since the last reply; True if that is unknown."""
        if self.before is None:
            return True
        pointers = self._pointers[-2:]
        return bool(
            new_texts(self.before, self.layout, pointers)
            or new_texts(self.layout, self.before, pointers)
        )

    @property
    def appeared(self) -> list[str]:
        """The texts that became visible, without what is cut off and parts of words."""
        if self.before is None:
            return []
        found = new_texts(self.before, self.layout.without_cut(), self._pointers[-2:])
        return [text for text in found if _WORD.search(text) and not _PART.fullmatch(text)]

    @property
    def result(self) -> str:
        """Describe the text that became visible."""
        if not (found := self.appeared):
            return Message("local.changed")
        return Message("local.appeared", texts=list_first(found))

    @property
    def clicked(self) -> tuple[int, int] | None:
        """The last position of the pointer in pixels."""
        return self._pointers[-1] if self._pointers else None

    @property
    def _pointers(self) -> list[tuple[int, int]]:
        commands = [words for own in self.all for words in map(str.split, own.commands)]
        ends = [words[1:3] for words in commands if words[0] == "mouse"]
        return [self.layout.pixel((float(x), float(y))) for x, y in ends]

    def count_preparations(self, preparation: str) -> int:
        return sum(own.preparation == preparation for own in self.own)

    def count_attempts(self, command: str) -> int:
        """Count the attempts with this command."""
        return sum(any(line.startswith(command) for line in own.commands) for own in self.attempts)


def format_position(layout: ScreenLayout, at: Box | TextLine) -> str:
    """Return coordinates for KVM lines, where `0 0` means "do not move"."""
    x, y = layout.fraction((at.box if isinstance(at, TextLine) else at).middle)
    return f"{max(x, 0.0005):.4f} {max(y, 0.0005):.4f}"


def click(layout: ScreenLayout, at: Box | TextLine, count: int = 1, button: str = "left") -> str:
    return f"mouse {format_position(layout, at)} {CLICK_CODES[button, count]}"


def describe_position(layout: ScreenLayout, line: TextLine) -> str:
    """Describe a position: at the top left, in the middle, ..."""
    return describe_place(*layout.fraction(line.box.middle))


def list_texts(
    layout: ScreenLayout, wanted: str, near: tuple[int, int] | None = None
) -> list[str] | str:
    """Return some texts of the screen for a question.

    First those similar to `wanted`, then the nearest to a place in pixels; without one a dialog's
    buttons, then other buttons and icons. No parts of texts, as far as they can be told.
    """

    def is_marked(line: TextLine) -> bool:
        return layout.frame_of(line) is not None or is_icon(layout, line)

    def rank(line: TextLine) -> tuple[float, int, bool, bool]:
        like = SequenceMatcher(None, normalize_ocr(line.text), normalize_ocr(wanted)).ratio()
        is_button = layout.frame_of(line) is not None
        in_dialog = layout.is_dialog(layout.window_at(line.box.middle), None)
        return (
            -like if like > _ALIKE else 0,
            line.box.distance(near) if near else 0,
            not (is_button and in_dialog),
            not is_marked(line),
        )

    shown = set(layout.words())
    uncut = layout.without_cut().lines
    whole = [line for line in uncut if _WHOLE.fullmatch(line.text) and line.text in shown]
    long = [line for line in whole if not _SHORT.fullmatch(line.text) or is_marked(line)]
    found = sorted(long or whole, key=rank)
    return list_first(line.text for line in found) or Message("local.nothing")
