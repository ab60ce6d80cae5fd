"""Follow the line that is being typed, key by key, over many actions.

What a key does depends on the program: Ctrl+A goes to the start of a line or selects all of it, a
click may leave the line or move within it. So several possible lines are kept, and a rule applies
if it matches one of them. All text typed since the last Enter is kept too, in case the guesses are
wrong or too many.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from ...hid import keymap
from ...hid.layouts import Key
from ...types import ActionError, Click, Drag, Keypress, ManualAction, Type
from . import editing
from .editing import BEGIN, EDITS, MAX_LINE_CHARS, PASTED, Text

MAX_LINES = 12
"""Possible lines kept at a time."""
MAX_ENTERED = 40
MORE = "\ufdd1"
"""Stands for further possible lines, too many to judge."""
MAX_PIECES = 200
MAX_PIECES_CHARS = 4 * MAX_LINE_CHARS
"""Characters of all lines that may begin at a cut in the typed text."""
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


Entered = list[str]
"""The lines that one Enter may have entered."""


class Line:
    """`possible`: the possible current lines; `entered`: lines entered before, newest last."""

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

    def take(self, action: ManualAction) -> list[Entered]:
        """Follow an action; return the lines that each Enter in it enters."""
        if isinstance(action, Type):
            return [line for character in action.text for line in self._character(character)]
        if isinstance(action, Keypress):
            return self._keys(action)
        if isinstance(action, (Click, Drag)):
            self._keep_or_leave()
            if action.button == "middle":  # X pastes with it
                self._set([*self.possible, *(each.put(PASTED) for each in self.possible)])
        return []

    def may_take(self, action: ManualAction) -> None:
        """Follow an action that may not have been executed."""
        before, typed = self.possible, self._typed
        if self.take(action):
            self._typed = (*typed, *self._typed)[-MAX_PIECES:]
        pairs = zip_longest(self.possible, before)
        self._set(each for pair in pairs for each in pair if each is not None)

    def disturb(self) -> None:
        """Note that the keyboard was used from elsewhere."""
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
        self._typed = (*self._typed[:-1], (self._typed[-1] + character)[-MAX_LINE_CHARS:])
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
        self.entered = [*self.entered, *found[-2:]][-MAX_ENTERED:]
        found = list(dict.fromkeys([*found, *self._began()]))
        self._typed, self._back = ("",), 0
        self._set([Text(), *kept])
        return [found] if found else []

    def _began(self) -> list[str]:
        """Return all that was typed, and the rest from each position where a line may begin."""
        found = ["".join(self._typed)[-MAX_LINE_CHARS:]]
        left = MAX_PIECES_CHARS
        for at in range(len(self._typed) - 1, 0, -1):
            text = "".join(self._typed[at:])[-MAX_LINE_CHARS:]
            left -= len(text)
            if left < 0:
                return [*found, MORE]
            found.append(text)
        return [text for text in found if text.strip()]

    def _edit(self, key: Key) -> None:
        name = editing.name(key)
        if name in ("up", "down"):
            self._recall(1 if name == "up" else -1)
        elif name == "leave":
            self._keep_or_leave()
        elif name == "doubt":
            self._keep_or_leave(known=False)
        elif name == "fetch":
            self._set(each._replace(known=False) for each in self.possible)
        elif name == "paste":
            self._set(each.put(PASTED) for each in self.possible)
        elif name:
            if name in BEGIN:
                self._cut()
            self._set(new for each in self.possible for new in EDITS[name](each))

    def _recall(self, step: int) -> None:
        """Recall a line of a shell's history; elsewhere the key moves between lines."""
        self._cut()
        self._back = max(0, self._back + step)
        kept = [each for each in self.possible if each.text not in self.entered]
        if 0 < self._back <= len(self.entered):
            text = self.entered[-self._back]
            kept.append(Text(text, len(text)))
        self._set(kept or [Text()])

    def _keep_or_leave(self, with_: str = "", *, known: bool = True) -> None:
        self._cut()
        kept = [each.put(with_) if with_ else each for each in self.possible if each.text]
        self._set([Text(), *(each._replace(known=each.known and known) for each in kept)])

    def _cut(self) -> None:
        """Note that a line may begin here."""
        if self._typed[-1] and len(self._typed) < MAX_PIECES:
            self._typed = (*self._typed, "")

    def _set(self, possible: Iterable[Text]) -> None:
        """Keep at most `MAX_LINES`; if there are more, none is certain."""
        found = tuple(dict.fromkeys(possible))
        if len(found) > MAX_LINES:
            found = tuple(each._replace(known=False) for each in found[:MAX_LINES])
        self.possible = found


_CTRL_ENTERS = {keymap.key(name).usage for name in ("J", "M", "O")}
