"""What the service says, in another language: for what goes out as a file.

It says English, whole sentences with names and numbers in them; the table has each of them with
{name} in their place. Several may stand in a row, or in a list. What is not known, such as a
server's own words, stays as it is. The page does the same in `static/core/heard.js`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

PLACE = re.compile(r"\{(\w+)\}")
SENTENCE = re.compile(r"(?<=[.?!:…”]) ")
JOINTS = {". ": "。", ": ": "：", "; ": "；", ", ": "、", " and ": "、"}
FEW = 9
LONGEST = 4000
"""Characters; longer texts are somebody else's."""
MOST = 200
"""Places and parts of a text that are looked at. What the service says has far fewer; a hostile
text may have so many ways to be taken apart that nobody would see the end of it.
"""


class _Pattern(NamedTuple):
    """`pieces` of English with a value of these `names` between them; `inner`: only of a part."""

    pieces: list[str]
    names: list[str]
    text: str
    inner: bool

    def values(self, said: str) -> dict[str, str] | None:
        """Each as short as can be, in one pass; None if the sentence is another one."""
        first, *middle, last = self.pieces
        end = len(said) - len(last)
        if not said.startswith(first) or not said.endswith(last):
            return None
        at, found = len(first), []
        for piece in middle:
            to = said.find(piece, at + 1, end)
            if to < 0:
                return None
            found.append(said[at:to])
            at = to + len(piece)
        return dict(zip(self.names, [*found, said[at:end]], strict=True)) if at < end else None


class Heard:
    """`known` is English -> the reader's language."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        entries = sorted(known.items(), key=lambda entry: -_letters(entry[0]))
        self._patterns = [_pattern(*entry) for entry in entries if PLACE.search(entry[0])]

    def __call__(self, said: str, part: bool = False) -> str:
        """`part`: of a sentence, as actions are."""
        return (
            said if len(said) > LONGEST else _Reading(self._known, self._patterns).say(said, part)
        )


class _Reading:
    """Of one text; it takes no longer for one that is out to take long."""

    def __init__(self, known: Mapping[str, str], patterns: Sequence[_Pattern]) -> None:
        self._known, self._patterns = known, patterns
        self._left = MOST

    def say(self, said: str, part: bool) -> str:
        if self._left <= 0 or not re.search("[A-Za-z]", said):
            return said
        self._left -= 1
        if part and "\n" in said:
            return "\n".join(self.say(line, part) for line in said.split("\n"))
        if part and (named := self._listed(said, ": ")):
            return named
        found = self._whole(said, part)
        return self._joined(said, part) if found is None else found

    def _whole(self, said: str, part: bool) -> str | None:
        if said in self._known:
            return self._known[said]
        for pattern in self._patterns:
            if (part or not pattern.inner) and (found := pattern.values(said)):
                values = {name: self.say(value, True) for name, value in found.items()}
                return PLACE.sub(lambda place: values[place[1]], pattern.text)  # noqa: B023 - called here
        return None

    def _gaps(self, mark: re.Pattern[str], said: str) -> Iterator[re.Match[str]]:
        for gap in mark.finditer(said):
            if self._left <= 0:
                return
            self._left -= 1
            yield gap

    def _joined(self, said: str, part: bool) -> str:
        if "\n" in said:
            return "\n".join(self.say(line, part) for line in said.split("\n"))
        for gap in self._gaps(SENTENCE, said):
            head = said[: gap.start()]
            first = self._known.get(head) if head.endswith(":") else self._whole(head, part)
            if first is not None:
                return first + self.say(said[gap.end() :], True)
        listed = (self._listed(said, mark) for mark in JOINTS) if part else ()
        return next(filter(None, listed), "") or self._ended(said, part)

    def _listed(self, said: str, mark: str) -> str:
        """Names and parts of sentences, all of which have to be known."""
        for gap in self._gaps(re.compile(re.escape(mark)), said):
            head, rest = said[: gap.start()], said[gap.end() :]
            first = None if SENTENCE.search(head) else self._whole(head, True)
            if first is not None and (then := self.say(rest, True)) != rest:
                return first + JOINTS[mark] + then
        return ""

    def _ended(self, said: str, part: bool) -> str:
        """Words of somebody else, and a sentence after them."""
        for gap in self._gaps(SENTENCE, said):
            last = self._whole(said[gap.end() :], part)
            if last is not None:
                return f"{said[: gap.start()]} {last}"
        return said


def _pattern(key: str, text: str) -> _Pattern:
    parts = PLACE.split(key)
    return _Pattern(parts[::2], parts[1::2], text, _is_part(key))


def _is_part(key: str) -> bool:
    """Of a sentence; or with so few words that somebody else may well have said them."""
    return not key.startswith("[") and (_letters(key) < FEW or bool(re.match('[a-z"]', key)))


def _letters(key: str) -> int:
    """The more of them, the more surely it is the one that is meant."""
    return len(re.sub(r"\{\w+\}|[^A-Za-z]", "", key))
