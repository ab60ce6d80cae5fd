"""Read what the model says that it clicks on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from .languages import Language, judge_label, load_languages
from .words import (
    MARKS,
    QUOTE,
    STOP,
    Phrases,
    Words,
    drop_phrases,
    has_phrase,
    match_phrase,
    read_words,
)

MAX_LABEL_WORDS = 10
MAX_SENTENCE_WORDS = 40
MAX_LEAD_WORDS = 3
"""Words before a verb that may deny or defer it."""
AFTER, BEFORE, ON_KEY = "clicks", "clicked", "keys"
"""Sections of verbs that a label follows, that follow a label, and of keys that press a label."""


class _Statement(NamedTuple):
    """That something is clicked: the words before the verb in its sentence, and those after it."""

    before: Words
    after: Words
    language: Language
    section: str

    def leads_with(self, section: str) -> bool:
        return has_phrase(self.before[-MAX_LEAD_WORDS:], self.language.get(section))

    def judge(self) -> str:
        """Return the section of the label; "" if it is unknown."""
        rest, around = self.after, self.language.around
        while size := match_phrase(rest, 0, around):
            rest = rest[size:]
        if rest[:1] == (QUOTE,):
            return judge_label(_take_until(MARKS, rest[1:]))
        label = _take_until(MARKS, rest)[:MAX_LABEL_WORDS]
        sizes = range(len(label), 0, -1)
        ends = (at for at in sizes if at == len(label) or match_phrase(label, at, around))
        found = (judge_label(label[:end]) for end in ends)
        return next(filter(None, found), "") if label else self._judge_before()

    def _judge_before(self) -> str:
        quotes = [at for at, word in enumerate(self.before) if word == QUOTE]
        if len(quotes) > 1:
            return judge_label(self.before[quotes[-2] + 1 : quotes[-1]])
        words = drop_phrases(self.before, self.language.around)[-MAX_LABEL_WORDS:]
        found = (judge_label(words[at:]) for at in range(len(words)))
        return next(filter(None, found), "") if self.section == BEFORE else ""


def judge_speech(thought: str, *, on_key: bool = False) -> set[str]:
    """Return the sections of the labels. `on_key`: only those that a key is said to press."""
    found = [each for each in _find(read_words(thought)) if not each.leads_with("negations")]
    now = [each for each in found if each is found[0] or not each.leads_with("later")]
    return {each.judge() for each in now if each.section == ON_KEY or not on_key}


def _find(words: Words) -> Iterator[_Statement]:
    for start, end, name in _load_verbs().find_all(words):
        language, _, section = name.partition(" ")
        before = words[max(0, start - MAX_SENTENCE_WORDS) : start]
        before = _take_until({STOP}, before[::-1])[::-1]
        after = words[end : end + MAX_SENTENCE_WORDS]
        yield _Statement(before, after, load_languages()[language], section)


def _take_until(marks: Collection[str], words: Words) -> Words:
    return tuple(takewhile(lambda word: word not in marks, words))


@cache
def _load_verbs() -> Phrases:
    return Phrases(
        (verb, f"{name} {section}")
        for name, language in load_languages().items()
        for section in (AFTER, BEFORE, ON_KEY)
        for verb in language.sections.get(section, ())
    )
