"""Parse one phrase into instructions, by a table of patterns.

Quoted texts are one character each here (see `language.py`), so no pattern can split them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...dialects import fields
from ...hid.keymap import NAMED
from ...messages import Message
from ...types import FormatError
from ...types.modifiers import MODIFIERS
from .instructions import Check, Click, Drag, Instruction, Scroll, Send, Target, Where, Write

QUOTE = 0xE000
"""Code point (private use) of the first quoted text; the next ones follow."""
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
MAX_PRESSES = 100
MAX_SCROLLS = 20
MAX_WAIT_S = 60.0
_ARTICLE = re.compile(r"^(?:the|on|at|a|an|my)\s+", re.IGNORECASE)
_KIND = re.compile(
    r"\s+(?:button|icon|link|menu|menu item|tab|check\s?box|field|box|window|program|app|entry)$",
    re.IGNORECASE,
)
_POINTED = re.compile(
    r"→ (?:the place (?P<x>[\d.]+) % from the left and (?P<y>[\d.]+) % from the top"
    r"|距左边 (?P<x_zh>[\d.]+) %、距上边 (?P<y_zh>[\d.]+) % 的位置)"
)
"""What the page writes for a tapped position, in each language."""
_WHERE: dict[str, Where] = {"under": "under", "below": "under", "above": "above"}
_KEYS = {
    "RETURN": "ENTER", "ESCAPE": "ESC", "CONTROL": "CTRL", "DEL": "DELETE", "SPACEBAR": "SPACE",
    "WINDOWS": "WIN", "SUPER": "WIN", "CMD": "WIN", "META": "WIN", "OPTION": "ALT",
    "ARROWUP": "UP", "ARROWDOWN": "DOWN", "ARROWLEFT": "LEFT", "ARROWRIGHT": "RIGHT",
}  # fmt: skip
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
        pick = ORDINALS.get(self.raw("nth").lower(), 0)
        return Target(tuple(dict.fromkeys(names)), near, where, pick)

    def label(self) -> str:
        return restore_quotes(_ARTICLE.sub("", self.raw("label")), self.quotes)

    def optional_target(self) -> Target | None:
        return self.target() if self.raw("label") else None


def restore_quotes(text: str, quotes: Sequence[str], mark: str = "") -> str:
    for index, quoted in enumerate(quotes):
        text = text.replace(chr(QUOTE + index), f"{mark}{quoted}{mark}")
    return text


def parse_phrase(words: str, quotes: Sequence[str]) -> list[Instruction]:
    """Raise `NotUnderstood`."""
    for pattern, build in _RULES:
        if match := pattern.fullmatch(words):
            return build(PhraseMatch(match, quotes))
    raise NotUnderstood(restore_quotes(words, quotes, mark='"'))


def parse_keys(text: str) -> str:
    """Return a chord in the line dialect, or "" if these are not keys."""
    text = re.sub(r"\s+keys?$", "", _ARTICLE.sub("", text.strip()))
    try:
        names = [_KEYS.get(name, name) for name in fields.parse_keys(text)]
    except FormatError:
        return ""
    known = (len(name) == 1 or name in NAMED or name in MODIFIERS for name in names)
    return "+".join(names) if all(known) else ""


def _build_click(match: PhraseMatch) -> list[Instruction]:
    verb = match.text("verb").lower()
    count = 2 if verb.startswith("double") else 0 if verb in ("open", "start", "launch") else 1
    return [Click(match.target(), count, "right" if verb.startswith("right") else "left")]


def _build_write(match: PhraseMatch) -> list[Instruction]:
    """A line break in the text is Enter, as `typestr` has none."""
    field = match.optional_target()
    found: list[Instruction] = []
    if field and field.at:
        found, field = [Click(field)], None
    for number, line in enumerate(match.text("text").split("\n")):
        if number:
            found.append(press("ENTER"))
        if line:
            found.append(Write(line, field if number == 0 else None))
    return found


def press(chord: str, times: int = 1) -> Send:
    words = Message("local.press", keys=chord, count=times)
    return Send(words, (f"keyboard {chord}",) * times)


def _build_press(match: PhraseMatch) -> list[Instruction]:
    chord, times = parse_keys(match.text("keys")), match.text("times").lower()
    if not chord:
        return [Click(match.target("keys"))]  # press the button "OK"
    count = _TIMES.get(times) or int(re.sub(r"\D", "", times) or 1)
    return [press(chord, min(count, MAX_PRESSES))]


def _build_scroll(match: PhraseMatch) -> list[Instruction]:
    times = min(int(match.text("times") or 1), MAX_SCROLLS)
    return [Scroll(match.raw("way").lower() != "up", match.optional_target())] * times


def _build_rest(match: PhraseMatch) -> list[Instruction]:
    seconds = f"{min(float(match.text('seconds')), MAX_WAIT_S):g}"
    return [Send(Message("local.rest", seconds=seconds), (f"sleep {seconds}",))]


def _build_visit(match: PhraseMatch) -> list[Instruction]:
    address = match.text("text")
    commands = ("keyboard CTRL+L", f"typestr {address}", "keyboard ENTER")
    return [Send(Message("local.visit", address=address), commands)]


_NEAR = (
    r"(?:\s+(?P<where>next to|beside|near|in the row of|(?:to the )?(?:right|left) of|under|below"
    r"|above)\s+(?:the\s+)?(?P<near>.+?))?"
)
_NTH = r"(?:the\s+)?(?:(?P<nth>first|second|third|fourth|fifth)\s+)?"
_TABLE: list[tuple[str, Callable[[PhraseMatch], list[Instruction]]]] = [
    (
        r"(?P<verb>open|start|launch|(?:double|right|left)?[- ]?click|tap|select|choose)"
        rf"\s+(?:on\s+)?{_NTH}(?P<label>.+?){_NEAR}",
        _build_click,
    ),
    (
        r"(?:type|enter|write|input)(?: in)?\s+(?:the text\s+)?(?P<text>.+?)"
        r"(?:\s+(?:(?:in|into|in to)\s+(?:the\s+)?(?:field\s+)?|(?:here\s+)?(?=→))(?P<label>.+?))?",
        _build_write,
    ),
    (r"(?:fill|set)\s+(?:in\s+)?(?P<label>.+?)\s+(?:with|to)\s+(?P<text>.+)", _build_write),
    (
        r"(?:press|hit|push)\s+(?P<keys>.+?)"
        r"(?:\s+(?P<times>once|twice|three times|\d+\s*(?:times|x)))?",
        _build_press,
    ),
    (
        r"scroll(?:\s+(?P<way>down|up))?\s+(?:until|to|till)\s+(?:you see\s+)?(?P<label>.+?)"
        r"(?:\s+(?:is|can be)\s+(?:shown|visible|seen))?",
        _build_scroll,
    ),
    (r"scroll(?:\s+(?P<way>down|up))?(?:\s+(?P<times>\d{1,3})(?:\s+times)?)?", _build_scroll),
    (
        r"wait\s+(?:for\s+)?(?P<seconds>\d{1,4}(?:\.\d+)?)\s*(?:s|sec|seconds?)",
        _build_rest,
    ),
    (
        r"wait\s+(?:for|until|till)\s+(?:you see\s+)?(?P<label>.+?)"
        r"(?:\s+(?:is|to be|appears?|to appear)(?:\s+(?:shown|visible|seen))?)?",
        lambda match: [Check(match.label(), wait=True)],
    ),
    (
        r"(?:check|verify|make sure)(?:\s+that)?\s+(?P<label>.+?)"
        r"(?:\s+(?:is|are|can)\s+(?P<no>not\s+)?(?:be\s+)?(?:shown|visible|seen|there"
        r"|on the screen))?",
        lambda match: [Check(match.label(), shown=not match.raw("no"))],
    ),
    (r"(?:go|navigate|browse)\s+to\s+(?P<text>.+)", _build_visit),
    (
        r"drag\s+(?P<label>.+?)\s+(?:to|onto|into|on)\s+(?P<end>.+)",
        lambda match: [Drag(match.target(), match.target("end"))],
    ),
    (r"(?:clear|empty)\s+(?P<label>.+?)", lambda match: [Write("", match.target())]),
]
_RULES = [(re.compile(words, re.IGNORECASE | re.DOTALL), build) for words, build in _TABLE]
