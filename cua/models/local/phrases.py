"""Parse one phrase into instructions, by a table of patterns.

Quoted texts are one character each here (see `language.py`), so no pattern can split them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .instructions import (
    Await,
    Check,
    Clear,
    Click,
    Drag,
    Instruction,
    Pick,
    Press,
    Rest,
    Scroll,
    Target,
    Visit,
    Where,
    Write,
)

QUOTE = 0xE000  # private use; the quoted text number n is chr(QUOTE + n)
ORDINALS: dict[str, Pick] = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_ARTICLE = re.compile(r"^(?:the|on|at|a|an|my)\s+", re.IGNORECASE)
_KIND = re.compile(
    r"\s+(?:button|icon|link|menu|menu item|tab|check\s?box|field|box|window|program|app|entry)$",
    re.IGNORECASE,
)
_POINTED = re.compile(
    r"→ (?:the place (?P<x>[\d.]+) % from the left and (?P<y>[\d.]+) % from the top"
    r"|距左边 (?P<x_zh>[\d.]+) %、距上边 (?P<y_zh>[\d.]+) % 的位置)"
)
"""What the page writes for a tapped place, in each language."""
_WHERE: dict[str, Where] = {"under": "under", "below": "under", "above": "above"}
_KEYS = {
    "return": "ENTER", "escape": "ESC", "control": "CTRL", "ctl": "CTRL", "del": "DELETE",
    "windows": "WIN", "super": "WIN", "cmd": "WIN", "meta": "WIN", "pgup": "PAGEUP",
    "pgdn": "PAGEDOWN", "page up": "PAGEUP", "page down": "PAGEDOWN", "spacebar": "SPACE",
    "option": "ALT", "arrow up": "UP", "arrow down": "DOWN", "up arrow": "UP",
    "down arrow": "DOWN", "left arrow": "LEFT", "right arrow": "RIGHT",
}  # fmt: skip
_KEY = re.compile(
    r"(?:CTRL|SHIFT|ALT|WIN|ENTER|ESC|TAB|SPACE|BACKSPACE|DELETE|INSERT|UP|DOWN|LEFT|RIGHT|HOME|END"
    r"|PAGEUP|PAGEDOWN|PRINTSCREEN|MENU|F\d{1,2}|[!-~])"
)
_TIMES = {"once": 1, "twice": 2, "three times": 3}


class NotUnderstood(ValueError):
    """No pattern matches these words."""


@dataclass(frozen=True)
class PhraseMatch:
    """A pattern's match: its groups by name, with quoted texts restored."""

    match: re.Match[str]
    quotes: Sequence[str]

    def raw(self, name: str) -> str:
        return (self.match.groupdict().get(name) or "").strip()

    def text(self, name: str) -> str:
        return restore_quotes(self.raw(name), self.quotes)

    def target(self, name: str = "label") -> Target:
        """The label is the quoted text, else all but articles, and also without "button"."""
        raw = self.raw(name)
        if pointed := _POINTED.search(raw):
            x, y = (float(part) for part in pointed.groups() if part)
            return Target((), at=(min(x, 100.0), min(y, 100.0)))
        bare = _ARTICLE.sub("", raw)
        quoted = [self.quotes[ord(letter) - QUOTE] for letter in raw if ord(letter) >= QUOTE]
        names = quoted[:1] or [bare, _KIND.sub("", bare)]
        if not names[0].strip():
            raise NotUnderstood(restore_quotes(self.match.string, self.quotes, mark='"'))
        near, where = self.text("near"), _WHERE.get(self.raw("where").lower(), "next to")
        pick = ORDINALS.get(self.raw("nth").lower())
        return Target(tuple(dict.fromkeys(names)), near, where, pick)


def restore_quotes(text: str, quotes: Sequence[str], mark: str = "") -> str:
    for index, quoted in enumerate(quotes):
        text = text.replace(chr(QUOTE + index), f"{mark}{quoted}{mark}")
    return text


def phrase(words: str, quotes: Sequence[str]) -> list[Instruction]:
    """Parse a phrase. Raises `NotUnderstood`."""
    for pattern, build in _RULES:
        if match := pattern.fullmatch(words):
            return build(PhraseMatch(match, quotes))
    raise NotUnderstood(restore_quotes(words, quotes, mark='"'))


def keys(said: str) -> str:
    """A chord in the line dialect, or "" if these are not keys."""
    said = re.sub(r"\s+(?:keys?|button)$", "", re.sub(r"^the\s+", "", said.strip().lower()))
    names = re.split(r"\s*\+\s*|(?<=\w)-(?=\w)", said) if len(said) > 1 else [said]
    if len(names) == 1 and said not in _KEYS:
        names = said.split()
    chord = [_KEYS.get(name, name.upper()) for name in names]
    return "+".join(chord) if chord and all(map(_KEY.fullmatch, chord)) else ""


def _click(said: PhraseMatch) -> list[Instruction]:
    verb = said.text("verb").lower()
    count = 2 if verb.startswith("double") else 0 if verb in ("open", "start", "launch") else 1
    return [Click(said.target(), count, "right" if verb.startswith("right") else "left")]


def _write(said: PhraseMatch) -> list[Instruction]:
    """A line break in the text is Enter, as `typestr` has none."""
    into = said.target() if said.raw("label") else None
    found: list[Instruction] = []
    if into and into.at:
        found, into = [Click(into)], None
    for number, line in enumerate(said.text("text").split("\n")):
        if number:
            found.append(Press("ENTER"))
        if line:
            found.append(Write(line, into if number == 0 else None))
    return found


def _press(said: PhraseMatch) -> list[Instruction]:
    chord, times = keys(said.text("keys")), said.text("times").lower()
    count = _TIMES.get(times) or int(re.sub(r"\D", "", times) or 1)
    if not chord:
        return [Click(said.target("keys"))]  # press the button "OK"
    return [Press(chord, min(count, 100))]


def _scroll(said: PhraseMatch) -> list[Instruction]:
    until = said.target() if said.raw("label") else None
    times = min(int(said.text("times") or 1), 20)
    return [Scroll(said.raw("way").lower() != "up", until, times)]


def _clear(said: PhraseMatch) -> list[Instruction]:
    at_cursor = said.raw("label").lower() in ("", "field", "the field", "it", "text", "the text")
    into = None if at_cursor else said.target()
    return [Click(into), Clear()] if into and into.at else [Clear(into)]


def _drag(said: PhraseMatch) -> list[Instruction]:
    return [Drag(said.target(), said.target("end"))]


def _check(said: PhraseMatch) -> list[Instruction]:
    return [Check(said.text("label"), shown=not said.raw("no"))]


def _await(said: PhraseMatch) -> list[Instruction]:
    return [Await(said.target())]


def _rest(said: PhraseMatch) -> list[Instruction]:
    return [Rest(min(float(said.text("seconds")), 60.0))]


def _visit(said: PhraseMatch) -> list[Instruction]:
    return [Visit(said.text("text"))]


_NEAR = (
    r"(?:\s+(?P<where>next to|beside|near|in the row of|(?:to the )?(?:right|left) of|under|below"
    r"|above)\s+(?:the\s+)?(?P<near>.+?))?"
)
_NTH = r"(?:the\s+)?(?:(?P<nth>first|second|third|fourth|fifth)\s+)?"
_TABLE: list[tuple[str, Callable[[PhraseMatch], list[Instruction]]]] = [
    (
        r"(?P<verb>open|start|launch|(?:double|right|left)?[- ]?click|tap|select|choose)"
        rf"\s+(?:on\s+)?{_NTH}(?P<label>.+?){_NEAR}",
        _click,
    ),
    (
        r"(?:type|enter|write|input)(?: in)?\s+(?:the text\s+)?(?P<text>.+?)"
        r"(?:\s+(?:(?:in|into|in to)\s+(?:the\s+)?(?:field\s+)?|(?:here\s+)?(?=→))(?P<label>.+?))?",
        _write,
    ),
    (r"(?:fill|set)\s+(?:in\s+)?(?P<label>.+?)\s+(?:with|to)\s+(?P<text>.+)", _write),
    (
        r"(?:press|hit|push)\s+(?P<keys>.+?)"
        r"(?:\s+(?P<times>once|twice|three times|\d+\s*(?:times|x)))?",
        _press,
    ),
    (
        r"scroll(?:\s+(?P<way>down|up))?\s+(?:until|to|till)\s+(?:you see\s+)?(?P<label>.+?)"
        r"(?:\s+(?:is|can be)\s+(?:shown|visible|seen))?",
        _scroll,
    ),
    (r"scroll(?:\s+(?P<way>down|up))?(?:\s+(?P<times>\d{1,3})(?:\s+times)?)?", _scroll),
    (r"wait\s+(?:for\s+)?(?P<seconds>\d{1,4}(?:\.\d+)?)\s*(?:s|sec|seconds?)", _rest),
    (
        r"wait\s+(?:for|until|till)\s+(?:you see\s+)?(?P<label>.+?)"
        r"(?:\s+(?:is|to be|appears?|to appear)(?:\s+(?:shown|visible|seen))?)?",
        _await,
    ),
    (
        r"(?:check|verify|make sure)(?:\s+that)?\s+(?P<label>.+?)"
        r"(?:\s+(?:is|are|can)\s+(?P<no>not\s+)?(?:be\s+)?(?:shown|visible|seen|there"
        r"|on the screen))?",
        _check,
    ),
    (r"(?:go|navigate|browse)\s+to\s+(?P<text>.+)", _visit),
    (r"drag\s+(?P<label>.+?)\s+(?:to|onto|into|on)\s+(?P<end>.+)", _drag),
    (r"(?:clear|empty)(?:\s+(?P<label>.+?))?", _clear),
]
_RULES = [(re.compile(words, re.IGNORECASE | re.DOTALL), build) for words, build in _TABLE]
