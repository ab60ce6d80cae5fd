"""What stands in the line that is being typed, followed key by key over many actions.

What a key does depends on the program: Ctrl+A goes to the start of a line or selects all of it, a
click may leave the line or move within it. So several lines are kept, one for each thing that may
be true, and a rule has to hold for one of them only. Beside them stands all that was typed since
the last Enter: guesses may be wrong, or too many, and then that is still known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ..hid import keymap
from ..hid.layouts import Key
from ..types import ActionError, Click, Drag, Keypress, Manual, Type

MOST = 12
"""Possible lines that are followed at a time."""
LONGEST = 4000
REMEMBERED = 40
PASTED = "\ufffc"
"""Stands for text that came from the clipboard."""
UNKNOWN = "\ufdd0"
"""At the end of a line: what else is in it, nobody knows. Unicode has no such character."""
MORE = "\ufdd1"
"""Stands for the lines that it may be as well and that are too many to be judged."""
MOST_PIECES = 200
LONGEST_PIECES = 4 * LONGEST
"""Characters of all lines that may have begun where what is typed was cut."""
TAB = "\t"

_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -=[]\\;'`,./!@#$%^&*()_+{}|:\"~<>?"
_CHARACTERS = {
    **{keymap.key(each)._replace(modifiers=2): each.upper() for each in _SIGNS[:26]},
    **{keymap.key(each): each for each in _SIGNS},
}
_KEYPAD = {keymap.key(f"KP{each}").usage: each for each in "0123456789/*-+."}
_ENTER = {keymap.key("ENTER").usage, keymap.key("KPENTER").usage}
_SHIFTS = keymap.MODIFIERS["SHIFT"] | keymap.MODIFIERS["RSHIFT"]
_CTRLS = keymap.MODIFIERS["CTRL"] | keymap.MODIFIERS["RCTRL"]
_CMDS = keymap.MODIFIERS["WIN"] | keymap.MODIFIERS["RWIN"]


class Text(NamedTuple):
    """A line and the place in it where the next character goes. `all`: it is selected; not
    `known`: more may stand in it, or less."""

    text: str = ""
    at: int = 0
    all: bool = False
    known: bool = True

    @property
    def entered(self) -> str:
        return self.text if self.known else self.text + UNKNOWN

    def put(self, character: str) -> Text:
        if self.all:
            return Text(character, len(character))
        if len(self.text) >= LONGEST:
            return self._replace(known=False)
        text = self.text[: self.at] + character + self.text[self.at :]
        return self._replace(text=text, at=self.at + len(character))

    def cut(self, start: int, end: int) -> Text:
        start, end = max(0, start), min(len(self.text), end)
        return self._replace(text=self.text[:start] + self.text[end:], at=start)


Entered = list[str]
"""The lines that one Enter may have entered."""


class Line:
    """`entered` are the lines that Enter was pressed on, newest last."""

    def __init__(self) -> None:
        self.possible: tuple[Text, ...] = (Text(),)
        self.entered: list[str] = []
        self._typed: tuple[str, ...] = ("",)  # since the last Enter, cut where a line may begin
        self._back = 0

    def copy(self) -> Line:
        other = Line()
        other.possible, other.entered = self.possible, list(self.entered)
        other._typed, other._back = self._typed, self._back
        return other

    @property
    def pending(self) -> list[str]:
        return [each.text for each in self.possible if each.text.strip()]

    def take(self, action: Manual) -> list[Entered]:
        """Follow an action. Returns what each Enter in it enters."""
        if isinstance(action, Type):
            return [line for character in action.text for line in self._character(character)]
        if isinstance(action, Keypress):
            return self._keys(action)
        if isinstance(action, (Click, Drag)):
            self._keep_or_leave()
        return []

    def may_take(self, action: Manual) -> None:
        """Follow an action of which nobody knows whether it was done."""
        before, typed = self.possible, self._typed
        if self.take(action):
            self._typed = (*typed, *self._typed)[-MOST_PIECES:]
        pairs = zip_longest(self.possible, before)
        self._set(each for pair in pairs for each in pair if each is not None)

    def disturb(self) -> None:
        """Somebody else was at the keys."""
        self._keep_or_leave()

    def _keys(self, action: Keypress) -> list[Entered]:
        try:
            keys = [keymap.key(name) for name in action.keys]
        except ActionError:
            return []
        modifiers = 0
        for each in keys:
            modifiers |= each.modifiers
        usages = dict.fromkeys(each.usage for each in keys if each.usage)
        pressed = [Key(usage, modifiers) for usage in usages]
        return [line for _ in range(action.count) for key in pressed for line in self._press(key)]

    def _press(self, key: Key) -> list[Entered]:
        chord = key.modifiers & ~_SHIFTS
        if key.usage in _ENTER or (chord and not chord & ~_CTRLS and key.usage in _CTRL_ENTERS):
            return self._enter()
        if not chord:
            character = _CHARACTERS.get(key._replace(modifiers=2 if key.modifiers else 0))
            character = character or _KEYPAD.get(key.usage)
            if character:
                return self._character(character)
        self._edit(key)
        return []

    def _character(self, character: str) -> list[Entered]:
        if character == "\n":
            return self._enter()
        if character == TAB:
            self._keep_or_leave(TAB)
            return []
        self._typed = (*self._typed[:-1], (self._typed[-1] + character)[-LONGEST:])
        self._set(each.put(character) for each in self.possible)
        return []

    def _enter(self) -> list[Entered]:
        guessed = list(dict.fromkeys(each.entered for each in self.possible))
        kept = [
            each.cut(len(each.text) - 1, len(each.text))  # the shells go on with the next line
            for each in self.possible
            if each.text.endswith(("\\", "^", "`"))
        ]
        found = [text for text in guessed if text.strip()]
        self.entered = [*self.entered, *found[-2:]][-REMEMBERED:]
        found = list(dict.fromkeys([*found, *self._began()]))
        self._typed, self._back = ("",), 0
        self._set([Text(), *kept])
        return [found] if found else []

    def _began(self) -> list[str]:
        """All that was typed, and what was from each place on where the line may have begun."""
        found = ["".join(self._typed)[-LONGEST:]]
        left = LONGEST_PIECES
        for at in range(len(self._typed) - 1, 0, -1):
            text = "".join(self._typed[at:])[-LONGEST:]
            left -= len(text)
            if left < 0:
                return [*found, MORE]
            found.append(text)
        return [text for text in found if text.strip()]

    def _edit(self, key: Key) -> None:
        chord = "CTRL" if key.modifiers & (_CTRLS | _CMDS) else ""
        chord = "ALT" if key.modifiers & 0x44 else chord
        name = _EDITING.get((chord, key.usage))
        if name in ("up", "down"):
            self._recall(1 if name == "up" else -1)
        elif name == "keep or leave":
            self._keep_or_leave()
        elif name == "paste":
            self._set(each.put(PASTED) for each in self.possible)
        elif name:
            if name in _BEGIN:
                self._cut()
            self._set(new for each in self.possible for new in _EDITS[name](each))
        elif chord:
            self._keep_or_leave()

    def _recall(self, step: int) -> None:
        """A shell's history; elsewhere the key moves between lines or entries."""
        self._cut()
        self._back = max(0, self._back + step)
        kept = [each for each in self.possible if each.text not in self.entered]
        if 0 < self._back <= len(self.entered):
            text = self.entered[-self._back]
            kept.append(Text(text, len(text)))
        self._set(kept or [Text()])

    def _keep_or_leave(self, with_: str = "") -> None:
        self._cut()
        kept = [each.put(with_) if with_ else each for each in self.possible if each.text]
        self._set([Text(), *kept])

    def _cut(self) -> None:
        """The line may begin here."""
        if self._typed[-1] and len(self._typed) < MOST_PIECES:
            self._typed = (*self._typed, "")

    def _set(self, possible: Iterable[Text]) -> None:
        """Of those that are too many, each that is left may as well be another one."""
        found = tuple(dict.fromkeys(possible))
        if len(found) > MOST:
            found = tuple(each._replace(known=False) for each in found[:MOST])
        self.possible = found


def _word_start(each: Text) -> int:
    return each.text[: each.at].rstrip().rfind(" ") + 1


Edit = Callable[[Text], Sequence[Text]]
_EDITS: dict[str, Edit] = {
    "backspace": lambda each: [Text() if each.all else each.cut(each.at - 1, each.at)],
    "delete": lambda each: [Text() if each.all else each.cut(each.at, each.at + 1)],
    "left": lambda each: [each._replace(at=max(0, each.at - 1), all=False)],
    "right": lambda each: [each._replace(at=min(len(each.text), each.at + 1), all=False)],
    "home": lambda each: [each._replace(at=0, all=False)],
    "end": lambda each: [each._replace(at=len(each.text), all=False)],
    "all": lambda each: [each._replace(at=0), each._replace(all=True)],
    "clear": lambda each: [Text(), each],
    "kill start": lambda each: [each.cut(0, each.at), each],
    "kill end": lambda each: [each.cut(each.at, len(each.text)), each],
    "kill word": lambda each: [each.cut(_word_start(each), each.at), each],
}


_BEGIN = {"all", "clear", "kill start"}
"""After these a new line may begin."""


def _usage(name: str) -> int:
    return keymap.key(name).usage


_EDITING: dict[tuple[str, int], str] = {
    ("", _usage("BACKSPACE")): "backspace",
    ("", _usage("DELETE")): "delete",
    ("", _usage("LEFT")): "left",
    ("", _usage("RIGHT")): "right",
    ("", _usage("HOME")): "home",
    ("", _usage("END")): "end",
    ("", _usage("UP")): "up",
    ("", _usage("DOWN")): "down",
    ("", _usage("ESC")): "clear",
    ("", _usage("INSERT")): "paste",
    ("CTRL", _usage("H")): "backspace",
    ("CTRL", _usage("B")): "left",
    ("CTRL", _usage("F")): "right",
    ("CTRL", _usage("A")): "all",
    ("CTRL", _usage("E")): "end",
    ("CTRL", _usage("P")): "up",
    ("CTRL", _usage("N")): "down",
    ("CTRL", _usage("U")): "kill start",
    ("CTRL", _usage("K")): "kill end",
    ("CTRL", _usage("W")): "kill word",
    ("CTRL", _usage("BACKSPACE")): "kill word",
    ("ALT", _usage("BACKSPACE")): "kill word",
    ("CTRL", _usage("X")): "clear",
    ("CTRL", _usage("C")): "clear",
    ("CTRL", _usage("V")): "paste",
    ("CTRL", _usage("Y")): "paste",
}
_CTRL_ENTERS = {_usage(name) for name in ("J", "M", "O")}
