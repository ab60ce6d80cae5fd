"""Parse one phrase into instructions, by the patterns of each language.

Quoted texts are one character each here (see `language.py`), so no pattern can split them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ...dialects import fields
from ...hid.keymap import NAMED
from ...messages import Message
from ...types import FormatError
from ...types.describe import name_keys
from ...types.modifiers import MODIFIERS
from .grammar import Grammar, compile_pattern, read_grammar
from .instructions import Check, Click, Drag, Instruction, Output, Scroll, Send, Target, Write

QUOTE = 0xE000
"""Code point (private use) of the first quoted text; the next ones follow."""
GRAMMARS = (read_grammar("english"), read_grammar("chinese"))
MAX_PRESSES = 100
MAX_SCROLLS = 20
MAX_WAIT_S = 60.0
_POINTED = re.compile(
    r"→ (?:the place (?P<x>[\d.]+) % from the left and (?P<y>[\d.]+) % from the top"
    r"|距左边 (?P<x_zh>[\d.]+) ?%、距上边 (?P<y_zh>[\d.]+) ?% 的位置)"
)
"""The page's text for a tapped position, in each language."""
_TAKES_TEXT = {"terminal", "notepad"}
"""Programs that take text without a labelled field."""
_KEYS = {name: key for grammar in GRAMMARS for name, key in grammar.keys.items()}


class NotUnderstood(ValueError):
    """No pattern matches these words."""


def parse_number(grammar: Grammar, text: str) -> int:
    """Return a number in words or in digits; 0 for none."""
    return grammar.numbers.get(text.lower()) or int(re.sub(r"\D", "", text) or 0)


def find_names(label: str) -> tuple[str, ...]:
    """Return the texts that a label without quotes may have on the screen."""
    return (label, *(each.labels[label] for each in GRAMMARS if label in each.labels))


@dataclass(frozen=True)
class PhraseMatch:
    """A pattern's match: its groups by name, with quoted texts restored."""

    match: re.Match[str]
    quotes: Sequence[str]
    grammar: Grammar

    def raw(self, name: str) -> str:
        return (self.match.groupdict().get(name) or "").strip()

    def text(self, name: str) -> str:
        return restore_quotes(self.raw(name), self.quotes)

    def number(self, name: str) -> int:
        return parse_number(self.grammar, self.raw(name))

    def target(self, name: str = "label") -> Target:
        """Return the label: the quoted text, else the words without articles and "button"."""
        raw = self.raw(name)
        if pointed := _POINTED.search(raw):
            x, y = (float(part) for part in pointed.groups() if part)
            return Target((), at=(min(x, 100.0), min(y, 100.0)))
        bare = self._strip_article(raw)
        quoted = [self.quotes[ord(letter) - QUOTE] for letter in raw if is_quote(letter)]
        words = quoted[:1] or [bare, re.sub(self.grammar.kinds, "", bare, flags=re.IGNORECASE)]
        if not words[0].strip():
            raise NotUnderstood(restore_quotes(self.match.string, self.quotes, mark='"'))
        names = [name for each in words for name in find_names(each)]
        where = self.grammar.where.get(self.raw("where").lower(), "next to")
        near, window, pick = self.text("near"), self.text("window"), self.number("nth")
        return Target(tuple(dict.fromkeys(names)), near, where, pick, window=window)

    def label(self) -> str:
        return restore_quotes(self._strip_article(self.raw("label")), self.quotes)

    def optional_target(self) -> Target | None:
        return self.target() if self.raw("label") else None

    def _strip_article(self, text: str) -> str:
        return re.sub(self.grammar.articles, "", text, flags=re.IGNORECASE)


def is_quote(letter: str) -> bool:
    """Whether a character stands for a quoted text: it is in the private use area."""
    return "\ue000" <= letter <= "\uf8ff"


def restore_quotes(text: str, quotes: Sequence[str], mark: str = "") -> str:
    for index, quoted in enumerate(quotes):
        text = text.replace(chr(QUOTE + index), f"{mark}{quoted}{mark}")
    return text


def parse_phrase(words: str, quotes: Sequence[str]) -> list[Instruction]:
    """Parse a phrase. Raises `NotUnderstood`."""
    for grammar, pattern, build in _RULES:
        if match := pattern.fullmatch(words):
            return build(PhraseMatch(match, quotes, grammar))
    raise NotUnderstood(restore_quotes(words, quotes, mark='"'))


def parse_keys(text: str) -> str:
    """Return a chord for KVM lines, or "" if these are not keys."""
    text = re.sub(r"^the\s+|\s+keys?$", "", text.strip(), flags=re.IGNORECASE)
    try:
        names = [_KEYS.get(name, name) for name in fields.parse_keys(text)]
    except FormatError:
        return ""
    known = (len(name) == 1 or name in NAMED or name in MODIFIERS for name in names)
    return "+".join(names) if all(known) else ""


def _build_click(
    match: PhraseMatch, count: int = 1, button: Literal["left", "right"] = "left"
) -> list[Instruction]:
    return [Click(match.target(), count, button, match.text("unless"))]


def _build_write(match: PhraseMatch) -> list[Instruction]:
    """Build instructions; a line break in the text is Enter, as `typestr` has none."""
    field = match.optional_target()
    found: list[Instruction] = []
    if field and field.at:
        found, field = [Click(field)], None
    elif field and _TAKES_TEXT.intersection(map(str.casefold, field.names)):
        found, field = [Click(field, count=0)], None
    for number, line in enumerate(match.text("text").split("\n")):
        if number:
            found.append(press("ENTER"))
        if line:
            found.append(Write(line, field if number == 0 else None))
    return found


def press(chord: str, times: int = 1) -> Send:
    return Send(
        Message("local.press", keys=name_keys(chord.split("+")), count=times),
        (f"keyboard {chord}",) * times,
    )


def _build_press(match: PhraseMatch) -> list[Instruction]:
    chord = parse_keys(match.text("keys"))
    if not chord:
        return [Click(match.target("keys"))]  # press the button "OK"
    return [press(chord, min(match.number("times") or 1, MAX_PRESSES))]


def _build_scroll(match: PhraseMatch) -> list[Instruction]:
    times = min(match.number("times") or 1, MAX_SCROLLS)
    return [Scroll(not match.raw("up"), match.optional_target())] * times


def _build_rest(match: PhraseMatch) -> list[Instruction]:
    seconds = f"{min(float(match.text('seconds')), MAX_WAIT_S):g}"
    return [Send(Message("local.rest", seconds=seconds), (f"sleep {seconds}",))]


def _build_visit(match: PhraseMatch) -> list[Instruction]:
    address = match.text("text")
    commands = ("keyboard CTRL+L", f"typestr {address}", "keyboard ENTER")
    return [Send(Message("local.visit", address=address), commands)]


def _build_check(match: PhraseMatch) -> list[Instruction]:
    shown = not (match.raw("no") or match.raw("gone"))
    return [Check(match.label(), shown, window=match.text("window"))]


_BUILDERS: dict[str, Callable[[PhraseMatch], list[Instruction]]] = {
    "visit": _build_visit,
    "open": partial(_build_click, count=0),
    "double_click": partial(_build_click, count=2),
    "right_click": partial(_build_click, button="right"),
    "click": _build_click,
    "drag": lambda match: [Drag(match.target(), match.target("end"))],
    "write_into": _build_write,
    "fill": _build_write,
    "write": _build_write,
    "clear": lambda match: [Write("", match.target())],
    "press": _build_press,
    "scroll_until": _build_scroll,
    "scroll": _build_scroll,
    "rest": _build_rest,
    "wait": lambda match: [Check(match.label(), wait=True)],
    "check": _build_check,
    "output": lambda match: [Output(match.text("text"))],
}
"""Name of a pattern -> its builder, in the order of matching."""
_RULES = [
    (grammar, compile_pattern(grammar.phrases[key]), build)
    for grammar in GRAMMARS
    for key, build in _BUILDERS.items()
]
