"""Read what the model says that it clicks on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from .languages import DECLINES, PURPOSES, Language, judge_label, load_languages
from .words import (
    MARKS,
    QUOTE,
    STOP,
    Phrases,
    Words,
    drop_phrases,
    has_phrase,
    match_phrase,
    read_label,
    read_words,
)

MAX_LABEL_WORDS = 10
MAX_SENTENCE_WORDS = 40
MAX_LEAD_WORDS = 3
"""Words before a verb that may deny or defer it."""
AFTER, BEFORE, ON_KEY = "clicks", "clicked", "keys"
"""Sections of verbs that a label follows, that follow a label, and of keys that press a label."""
ACT = " said"
"""Ends the sections of what the model says that it does, such as "i delete"."""


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
        if self.section.endswith(ACT):
            return "" if self._is_harmless() else self.section.removesuffix(ACT)
        if self.section == BEFORE:
            return self._judge_before()
        rest, around = self.after, self.language.around
        while size := match_phrase(rest, 0, around):
            rest = rest[size:]
        if rest[:1] == (QUOTE,):
            return judge_label(_take_until(MARKS, rest[1:]))
        label = _take_until(MARKS, rest)[:MAX_LABEL_WORDS]
        sizes = range(len(label), 0, -1)
        ends = (at for at in sizes if at == len(label) or match_phrase(label, at, around))
        found = [judge_label(label[:end]) for end in ends] or [self._judge_before()]
        return DECLINES if found[-1] == DECLINES else next(filter(None, found), "")

    def _is_harmless(self) -> bool:
        names = ("harmless words", "harmless said", "negations")
        words = _take_until({STOP}, self.after)[:MAX_LABEL_WORDS]
        return any(has_phrase(words, self.language.get(name)) for name in names)

    def _judge_before(self) -> str:
        quotes = [at for at, word in enumerate(self.before) if word == QUOTE]
        if len(quotes) > 1:
            return judge_label(self.before[quotes[-2] + 1 : quotes[-1]])
        words = drop_phrases(self.before, self.language.around)[-MAX_LABEL_WORDS:]
        found = (judge_label(words[at:]) for at in range(len(words)))
        return next(filter(None, found), "") if self.section == BEFORE else ""


def judge_speech(thought: str, *, on_key: bool = False) -> set[str]:
    """Return the sections of the labels and acts. `on_key`: of labels only those that a key is
    said to press. A sentence may be a label as a whole, such as "Send the letter."."""
    found = [each for each in _find(read_words(thought)) if not each.leads_with("negations")]
    now = [each for each in found if each is found[0] or not each.leads_with("later")]
    said = {each.judge() for each in now if not (on_key and each.section in (AFTER, BEFORE))}
    sentences = () if found else thought.replace("。", ".").split(".")
    return said | {judge_label(read_label(each)) for each in sentences} & PURPOSES.keys()


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
        for section, verbs in language.sections.items()
        for verb in verbs
        if section in (AFTER, BEFORE, ON_KEY) or section.endswith(ACT)
    )
