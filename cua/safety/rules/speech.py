"""Find what the model says that it will click."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from itertools import takewhile
from typing import NamedTuple

from .languages import DECLINES, PURPOSES, Language, judge_label, load_languages, load_phrases
from .words import CHORD, MARKS, QUOTE, STOP, Phrases, Words, has_phrase, match_phrase, read_words

MAX_NAMED_WORDS = 10
"""Words of the model at most that are read as a label, or as the object of an act."""
MAX_SENTENCE_WORDS = 40
MAX_LEAD_WORDS = 3
"""Words before a verb at most that may deny or defer it."""
MAX_MENTION_WORDS = 4
AFTER, BEFORE, ON_KEY = "clicks", "clicked", "keys"
"""Sections of verbs that a label follows, that follow a label, and of keys that press a label."""
SUBJECTS, LINKS, CAUSES, PASSIVES = "subjects", "links", "causes", "passives"
"""Words before a verb that is also a label: `i` (delete the file), `to` after a key or a click
(send it), what has the verb with an ending (`enter` deletes it; after a click it `is` deleted)."""
ACT = " said"
"""End of the names of sections with the model's acts, such as "ich lösche"."""
ACTS = (SUBJECTS, LINKS, CAUSES, PASSIVES)
HARMLESS_OBJECTS = ("harmless objects", "harmless words", "negations")
VERBS = (AFTER, BEFORE, ON_KEY, *ACTS)


class _Statement(NamedTuple):
    """A click that the model mentions: the words before and after the verb in its sentence."""

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
            words = self.language.drop_around(self.before)[-MAX_NAMED_WORDS:]
            found = (judge_label(words[at:]) for at in range(len(words)))
            return self._judge_quoted() or next(filter(None, found), "")
        if self.section in ACTS:
            return self._judge_act()
        sentence = _take_until({STOP}, self.after)
        if has_phrase(sentence, self.language.get("reads")):
            return ""
        return self._judge_label(self.after, self.language.around, self._judge_quoted())

    def _judge_quoted(self) -> str:
        """Judge the last words in quotes before the verb."""
        quotes = [at for at, word in enumerate(self.before) if word == QUOTE]
        return judge_label(self.before[quotes[-2] + 1 : quotes[-1]]) if len(quotes) > 1 else ""

    def _judge_act(self) -> str:
        """Judge the verb after a subject, with its object, as the label that it may be."""
        unlinked = self.section in (LINKS, PASSIVES) and not self._follows_press()
        if unlinked or self._is_harmless():
            return ""
        clauses, ends = self._get_first_words("clauses"), self.language.get("prepositions")
        ways = self._list_labels()
        found = (self._judge_label(_take_until(clauses, way), ends) for way in ways)
        return next((each for each in found if each in PURPOSES), "")

    def _list_labels(self) -> list[Words]:
        """Return the words from the verb on, as each label that it may be a form of."""
        if self.section in (CAUSES, PASSIVES):
            return self.language.get_labels(self.after, "endings")
        ways = (self.after, (*self.before[-1:], *self.after))  # "ich lösche", "lösche ich"
        names = ("forms", "endings")  # "ich lösche", "I deleted"
        found = [
            each for way in ways for name in names for each in self.language.get_labels(way, name)
        ]
        return [self.after, *found, *(each[:1] for each in found)]

    def _follows_press(self) -> bool:
        """Whether a key or a click is named before the verb, and no other purpose between."""
        presses, links = self.language.get("presses"), self.language.get(LINKS)
        starts = [at for at in range(len(self.before)) if match_phrase(self.before, at, presses)]
        return bool(starts) and not has_phrase(self.before[starts[-1] + 1 :], links)

    def _judge_label(self, words: Words, ends: Collection[Words], nothing: str = "") -> str:
        """Judge the words up to one of the `ends` as a label; the longest that is known."""
        rest = words
        while size := match_phrase(rest, 0, self.language.around):
            rest = rest[size:]
        if rest[:1] == (QUOTE,):
            named = _take_until(MARKS, rest[1:])
            return judge_label(named) or next(iter(load_phrases("shown").meanings(named)), "")
        label = _take_until(MARKS, rest)[:MAX_NAMED_WORDS]
        sizes = range(len(label), 0, -1)
        ends = {*ends, ("#",)}
        places = (at for at in sizes if at == len(label) or match_phrase(label, at, ends))
        found = [judge_label(label[:end]) for end in places] or [nothing]
        return DECLINES if found[-1] == DECLINES else next(filter(None, found), "")

    def _get_first_words(self, section: str) -> set[str]:
        return {each[0] for each in self.language.get(section)}

    def _is_harmless(self) -> bool:
        """Whether the object of the act has words that make it harmless, or deny it."""
        ends = self._get_first_words("clauses") | self._get_first_words("prepositions") | {STOP}
        words = _take_until(ends, self.after)[:MAX_NAMED_WORDS]
        every = self.section.endswith(ACT) or "forms" in self.language.sections
        names = HARMLESS_OBJECTS if every else HARMLESS_OBJECTS[:1]
        return any(has_phrase(words, self.language.get(name)) for name in names)


def judge_speech(thought: str, *, on_key: bool = False) -> set[str]:
    """Return the sections of the labels that the model says it will click, and of its acts.

    `on_key`: labels count only if the model says that a key presses them. A sentence may be a label
    as a whole ("Send the letter."), or a form of one ("Lösche die Datei."). Each chord is read as
    Enter, as both press a button.
    """
    words = read_words(CHORD.sub("enter", thought) if on_key else thought)
    found = [each for each in _find(words) if not each.leads_with("negations")]
    pressed = [each for each in found if each.section in (AFTER, BEFORE, ON_KEY)]
    now = [each for each in found if each in pressed[:1] or not each.leads_with("later")]
    said = {each.judge() for each in now if not (on_key and each.section in (AFTER, BEFORE))}
    if DECLINES in {each.judge() for each in pressed}:
        said -= {each.judge() for each in now if each not in pressed}
    whole = [] if pressed else [_take_until(MARKS, each) for each in _list_sentences(words)]
    languages = load_languages().values()
    forms = {form for each in whole for one in languages for form in one.get_labels(each)}
    return said | set(map(judge_label, {*whole, *forms})) & PURPOSES.keys()


def find_target(thought: str, labels: Collection[Words]) -> tuple[Words, str]:
    """Return the label that the model says it clicks or opens, and the words about other things.

    Three words from "of" on belong to the label, as in "history of the payments".
    """
    words, of = read_words(thought), load_languages()["more"].get("of")
    found = (*_load_verbs().find_all(words), *load_phrases("screen").find_all(words))
    ends = (end for _, end, name in found if name.endswith((f" {AFTER}", "opens")))
    at = min(ends, default=len(words))
    for start in range(at, at + MAX_LEAD_WORDS + 1):
        if size := match_phrase(words, start, labels):
            rest = words[start + size :]
            rest = rest[3:] if rest[:1] in of else rest
            return words[start : start + size], " ".join((*words[:start], *rest))
    return (), thought


@lru_cache(maxsize=16)
def find_mentioned(thought: str) -> set[str]:
    """Return the sections of all labels that the model's words may be a form of.

    Denied ones are left out; a question mentions none. A decline and a plain yes count only by the
    phrases of `[... mentioned]`.
    """
    words = read_words(thought)[:MAX_SENTENCE_WORDS]
    if "?" in words:
        return set()
    every, english = load_languages().values(), load_languages()["en"]
    found = {(start, meaning) for start, _, meaning in load_phrases("mentioned").find_all(words)}
    for start in (at for at, word in enumerate(words) if word not in MARKS):
        grams = [words[start : start + size] for size in range(1, MAX_MENTION_WORDS + 1)]
        forms = {form for gram in grams for form in (gram, *english.get_labels(gram, "endings"))}
        kinds = (language.labels.get(each) for language in every for each in forms)
        found |= {(start, kind) for kind in kinds if kind in PURPOSES}
    leads = {start: words[max(0, start - MAX_LEAD_WORDS) : start] for start, _ in found}
    denied = {start for start, lead in leads.items() if has_phrase(lead, load_denials())}
    return {meaning for start, meaning in found if start not in denied}


@cache
def load_denials() -> set[Words]:
    every = load_languages().values()
    return {each for one in every for each in one.get("negations") | one.get("later")}


def _find(words: Words) -> Iterator[_Statement]:
    for start, end, name in _load_verbs().find_all(words):
        language, _, section = name.partition(" ")
        before = words[max(0, start - MAX_SENTENCE_WORDS) : start]
        before = _take_until({STOP}, before[::-1])[::-1]
        after = words[end : end + MAX_SENTENCE_WORDS]
        yield _Statement(before, after, load_languages()[language], section)
    for sentence in _list_sentences(words):
        if sentence and sentence[0].endswith("ing"):
            yield _Statement((), sentence, load_languages()["en"], CAUSES)


def _list_sentences(words: Words) -> list[Words]:
    """Return the words from the start of each sentence."""
    starts = (0, *(at + 1 for at, word in enumerate(words) if word == STOP))
    return [words[start : start + MAX_SENTENCE_WORDS] for start in starts]


def _take_until(marks: Collection[str], words: Words) -> Words:
    return tuple(takewhile(lambda word: word not in marks, words))


@cache
def _load_verbs() -> Phrases:
    return Phrases(
        (verb, f"{name} {section}")
        for name, language in load_languages().items()
        for section in language.sections
        if section in VERBS or section.endswith(ACT)
        for verb in language.read_entries(section)
    )
