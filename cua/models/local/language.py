"""The person's words -> instructions, by rules that fit on a page.

A task is a list of instructions separated by commas, lines, "then" and "and". What stands in
quotes is taken as it is. Goals are looked for first, over as many parts as they can have.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .instructions import (
    Await,
    Check,
    Clear,
    Click,
    Drag,
    Instruction,
    Press,
    Rest,
    Scroll,
    Target,
    Visit,
    Write,
)
from .goals import goal

HELP = (
    'open / click / double-click / right-click "LABEL" (also: next to, under or above "LABEL"), '
    'type "TEXT" into "FIELD", press KEYS, clear "FIELD", scroll until "LABEL", drag "A" to "B", '
    'go to ADDRESS, wait for "LABEL", check that "TEXT" is shown; and these goals: set dns server to 8.8.8.8, '
    "download the esp32 datasheet, write TEXT in the notepad and save it as NAME, "
    "open the terminal and run COMMAND, delete the file NAME, shut down or restart the computer"
)
"""What the person is told when a task is not understood."""


class NotUnderstood(ValueError):
    """Holds the words that no rule fits."""


_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|`([^`]*)`|(?<!\w)\'([^\']*)\'(?!\w)')
_FIRST = 0xE000  # private use: one character stands for a quoted text until rules are done
_VERBS = (
    r"(?:open|start|launch|go to|click|double|right|left|tap|press|hit|push|select|choose|type|enter"
    r"|write|clear|empty|scroll|wait|check|verify|make sure|drag|save|close|set|download|run"
    r"|delete|remove|shut|restart|reboot)\b"
)
_STRONG = re.compile(
    rf"\s*(?:[\n;]+|,\s*(?:and\s+)?(?:then\s+)?|\.\s+(?={_VERBS})|\s(?:and\s+)?then\s)\s*", re.IGNORECASE
)
_WEAK = re.compile(rf"\s+and\s+(?={_VERBS})", re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:[-*•]\s+|\d+[.)]\s+|please,?\s+|now,?\s+|first,?\s+|next,?\s+|finally,?\s+|then,?\s+"
    r"|and\s+|can you\s+|could you\s+|task:\s*)+",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"\s+(?:button|icon|link|menu|menu item|tab|check\s?box|field|box|window|program|app|entry)$",
    re.IGNORECASE,
)
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


def understand(text: str) -> list[Instruction]:
    """Raises `NotUnderstood` with the part that no rule fits."""
    quotes: list[str] = []
    parts = [part for part in _STRONG.split(_put_away(text, quotes)) if part.strip(" .!")]
    found: list[Instruction] = []
    while parts:
        taken, instructions = _next(parts, quotes)
        found += instructions
        parts = parts[taken:]
    if not found:
        raise NotUnderstood(text.strip())
    return found


def _next(parts: list[str], quotes: list[str]) -> tuple[int, list[Instruction]]:
    """How many of the parts were used, and what they say: the longest goal, else one part."""
    for count in range(len(parts), 0, -1):
        said = _POLITE.sub("", ", ".join(parts[:count]).strip(" .!"))
        if wanted := goal(_bring_back(said, quotes)):
            return count, [wanted]
    return 1, _part(parts[0], quotes)


def _part(part: str, quotes: list[str]) -> list[Instruction]:
    pieces = [_POLITE.sub("", piece).strip() for piece in _WEAK.split(part.strip(" .!"))]
    if len(pieces) == 1:
        return _one(pieces[0], quotes)
    return [wanted for piece in pieces for wanted in _part(piece, quotes)]


def _one(words: str, quotes: list[str]) -> list[Instruction]:
    if wanted := goal(_bring_back(words, quotes)):
        return [wanted]
    for pattern, build in _RULES:
        if (match := pattern.fullmatch(words)) and (found := build(_Said(match, quotes))):
            return found
    raise NotUnderstood(_bring_back(words, quotes, marks=True))


def _put_away(text: str, quotes: list[str]) -> str:
    def away(match: re.Match[str]) -> str:
        quotes.append(next(group for group in match.groups() if group is not None))
        return chr(_FIRST + len(quotes) - 1)

    return _QUOTED.sub(away, "".join(c for c in text if not 0xE000 <= ord(c) <= 0xF8FF))


def _bring_back(text: str, quotes: list[str], marks: bool = False) -> str:
    mark = '"' if marks else ""
    for index, quoted in enumerate(quotes):
        text = text.replace(chr(_FIRST + index), f"{mark}{quoted}{mark}")
    return text


@dataclass(frozen=True)
class _Said:
    """A rule's match; its groups by name, with the quoted words back in place."""

    match: re.Match[str]
    quotes: list[str]

    def text(self, name: str) -> str:
        group = self.match.groupdict().get(name) or ""
        return _bring_back(group if len(group) == 1 else group.strip(), self.quotes)

    def target(self, name: str = "label") -> Target:
        """Quoted words are the label; unquoted ones may carry "the" and "button"."""
        said = self.text(name)
        if not said:
            raise NotUnderstood(_bring_back(self.match.string, self.quotes, marks=True))
        names = [said]
        if not _is_quoted(self.match.groupdict()[name]):
            bare = re.sub(r"^(?:the|on|at|a|an|my)\s+", "", said, flags=re.IGNORECASE)
            names = [bare, _KIND.sub("", bare)]
        near, where = self.text("near"), " ".join(self.text("where").lower().split())
        return Target(tuple(dict.fromkeys(names)), near, _WHERE.get(where, ""), self._pick())

    def _pick(self) -> int | None:
        return _ORDINALS.get(self.text("nth").lower())


def _is_quoted(group: str) -> bool:
    """Quotes may be preceded by what they are: the button "Save"."""
    return any(_FIRST <= ord(letter) <= 0xF8FF for letter in group)


_WHERE = {
    "next to": "next to", "beside": "next to", "near": "next to", "right of": "next to",
    "left of": "next to", "of": "next to", "in the row of": "next to", "under": "under",
    "below": "under", "above": "above", "over": "above",
}  # fmt: skip
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}


def keys(said: str) -> str:
    """A chord as the line dialect writes it, "" if these are no keys."""
    said = re.sub(r"\s+(?:keys?|button)$", "", re.sub(r"^the\s+", "", said.strip().lower()))
    names = re.split(r"\s*\+\s*|(?<=\w)-(?=\w)", said) if len(said) > 1 else [said]
    if len(names) == 1 and _KEYS.get(said, "") == "" and " " in said:
        names = said.split()
    chord = [_KEYS.get(name, name.upper()) for name in names]
    return "+".join(chord) if chord and all(map(_KEY.fullmatch, chord)) else ""


def _press(said: _Said) -> list[Instruction]:
    chord, times = keys(said.text("keys")), said.text("times").lower()
    count = _TIMES.get(times) or int(re.sub(r"\D", "", times) or 1)
    if chord:
        return [Press(chord, min(count, 100))]
    return [Click(said.target("keys"))]  # press the button "OK"


def _write(said: _Said) -> list[Instruction]:
    """A line break in the text is Enter, as `typestr` cannot say it."""
    into = said.target("label") if said.text("label") else None
    lines = said.text("text").split("\n")
    found: list[Instruction] = []
    for number, line in enumerate(lines):
        if number:
            found.append(Press("ENTER"))
        if line:
            found.append(Write(line, into if number == 0 else None))
    return found


def _click(said: _Said) -> list[Instruction]:
    verb = "".join(said.text("verb").lower().split()).replace("-", "")
    count = 2 if verb.startswith("double") else 0 if verb in ("open", "start", "launch") else 1
    return [Click(said.target(), count, "right" if verb.startswith("right") else "left")]


def _scroll(said: _Said) -> list[Instruction]:
    down = said.text("way").lower() != "up"
    times = min(int(said.text("times") or 1), 20)
    return [Scroll(down, said.target() if said.text("label") else None, times)]


def _check(said: _Said) -> list[Instruction]:
    return [Check(said.text("label"), shown=not said.text("no"))]


def _drag(said: _Said) -> list[Instruction]:
    return [Drag(said.target("label"), said.target("end"))]


def _clear(said: _Said) -> list[Instruction]:
    plain = said.text("label").lower() in ("", "field", "the field", "it", "text", "the text")
    return [Clear(None if plain else said.target())]


_NEAR = (
    r"(?:\s+(?P<where>next to|beside|near|in the row of|(?:to the )?(?:right|left) of|under|below"
    r"|above)\s+(?:the\s+)?(?P<near>.+?))?"
)
_NTH = r"(?:the\s+)?(?:(?P<nth>first|second|third|fourth|fifth)\s+)?"
_Build = Callable[[_Said], "list[Instruction]"]
_RULES: list[tuple[re.Pattern[str], _Build]] = [
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), build)
    for pattern, build in [
        (
            r"(?P<verb>open|start|launch|(?:double|right|left)?[- ]?click|tap|select|choose)"
            rf"\s+(?:on\s+)?{_NTH}(?P<label>.+?){_NEAR}",
            _click,
        ),
        (
            r"(?:type|enter|write|input)(?: in)?\s+(?:the text\s+)?(?P<text>.+?)"
            r"(?:\s+(?:in|into|in to)\s+(?:the\s+)?(?:field\s+)?(?P<label>.+?))?",
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
        (
            r"wait\s+(?:for\s+)?(?P<seconds>\d{1,4}(?:\.\d+)?)\s*(?:s|sec|seconds?)",
            lambda said: [Rest(min(float(said.text("seconds")), 60.0))],
        ),
        (
            r"wait\s+(?:for|until|till)\s+(?:you see\s+)?(?P<label>.+?)"
            r"(?:\s+(?:is|to be|appears?|to appear)(?:\s+(?:shown|visible|seen))?)?",
            lambda said: [Await(said.target())],
        ),
        (
            r"(?:check|verify|make sure)(?:\s+that)?\s+(?P<label>.+?)"
            r"(?:\s+(?:is|are|can)\s+(?P<no>not\s+)?(?:be\s+)?(?:shown|visible|seen|there"
            r"|on the screen))?",
            _check,
        ),
        (r"(?:go|navigate|browse)\s+to\s+(?P<text>.+)", lambda said: [Visit(said.text("text"))]),
        (r"drag\s+(?P<label>.+?)\s+(?:to|onto|into|on)\s+(?P<end>.+)", _drag),
        (r"(?:clear|empty)(?:\s+(?P<label>.+?))?", _clear),
    ]
]


_AGAIN = re.compile(
    r"(?:please\s+)?(?:continue|go on|carry on|proceed|resume|retry|try again|again|yes|ok|okay"
    r"|done|ready|it is there now)(?:[,\s]+please)?[.!]*",
    re.IGNORECASE,
)
_SKIP = re.compile(
    r"(?:please\s+)?(?:skip|ignore|leave)(?:\s+(?:it|this|that|this step))?[.!]*", re.IGNORECASE
)
_WHICH = re.compile(
    r"(?:the\s+|number\s+|no\.?\s*|#)*(?P<which>\d|first|second|third|fourth|fifth|left|right|top"
    r"|upper|bottom|lower|last)(?:most)?(?:\s+one)?[.!]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Pick:
    """The answer to "which one?"."""

    which: int | str


def answer(text: str) -> list[Instruction] | Pick | str:
    """What the person says in between: new instructions, a choice, "again" or "skip".

    Raises `NotUnderstood`.
    """
    said = text.strip()
    if _AGAIN.fullmatch(said):
        return "again"
    if _SKIP.fullmatch(said):
        return "skip"
    if match := _WHICH.fullmatch(said):
        which = match["which"].lower()
        which = {"upper": "top", "lower": "bottom", "last": "bottom"}.get(which, which)
        return Pick(int(which) if which.isdigit() else _ORDINALS.get(which, which))
    return understand(text)
