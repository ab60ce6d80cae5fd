"""Words of buttons, questions and speech in each language, from `languages/<name>.rules`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise, product
from pathlib import Path
from typing import NamedTuple

from ...messages import Message
from .words import Phrases, Words, drop_phrases, has_phrase, read_label, read_words

_FOLDER = Path(__file__).parent
_PURPOSES = (_FOLDER / "purposes.rules").read_text("utf-8").splitlines()
PURPOSES = {name: Message(key) for name, _, key in (each[1:].partition("] ") for each in _PURPOSES)}
"""Purpose of an action -> the sentence shown to the person; the first that applies counts."""
HARMLESS, DECLINES, ANSWERS, SIGNS_IN = "harmless", "declines", "answers", "signs in"
KINDS = (HARMLESS, DECLINES, *PURPOSES, ANSWERS)
"""Sections of labels."""
FORMS = ("forms", "endings")
MAX_LABEL_WORDS = 24
MAX_OBJECT_WORDS = 10
"""Words that a placeholder stands for at most."""
_HEADING = re.compile(r"\[([a-z +]+)\]")
_PLACEHOLDER = re.compile(r"\*|<([a-z]+)>")


class Pattern(NamedTuple):
    """Words before and after a placeholder.

    `names`: the section with the object's last words; "" if the object may be anything.
    """

    before: Words
    names: str
    after: Words
    kind: str


class Language:
    """`sections`: name -> lines, as their entries would take 2 MiB; `labels`: label -> its section.

    An entry of `FORMS` has the end of a word and what to replace it with.
    """

    def __init__(self, sections: dict[str, list[str]]) -> None:
        self.sections = sections
        self._words: dict[str, set[Words]] = {}
        entries = [(each, kind) for kind in KINDS for each in self.read_entries(kind)]
        self.labels = {read_label(each): kind for each, kind in entries if not _is_pattern(each)}
        self.patterns = [_read_pattern(*each) for each in entries if _is_pattern(each[0])]
        self._by_word: dict[str, list[Pattern]] = defaultdict(list)
        for each in self.patterns:
            self._by_word[(each.before or each.after[-1:])[0]].append(each)
        self._forms = {
            name: [each.split(">") for each in self.read_entries(name)] for name in FORMS
        }
        self.around = self.get("around") | (self.get("fillers") - self.labels.keys())

    def read_entries(self, section: str) -> Iterator[str]:
        """Yield the entries of a section; none if the language does not have it."""
        for line in self.sections.get(section, ()):
            for entry in line.split(","):
                yield from _expand(entry)

    def get(self, section: str) -> set[Words]:
        """Return the words of a section; none if the language does not have it."""
        if section not in self._words:
            self._words[section] = set(map(read_words, self.read_entries(section)))
        return self._words[section]

    def get_labels(self, words: Words, section: str = "forms") -> list[Words]:
        """Return the words with each label that the first may be a form of."""
        forms = self._forms[section] if words else ()
        fits = ((end, label) for end, label in forms if words[0].endswith(end))
        return [(words[0].removesuffix(end) + label, *words[1:]) for end, label in fits]

    def drop_around(self, words: Words) -> Words:
        return drop_phrases(words, self.around)

    def judge(self, label: Words) -> str:
        """Return the section of a label; "" if it is unknown."""
        short = drop_phrases(label, self.get("fillers"))
        if short in self.labels:
            return self.labels[short]
        fits = {
            pattern.kind
            for way in {label, short}
            for word in {*way[:1], *way[-1:]}
            for pattern in self._by_word.get(word, ())
            if self._fits(pattern, way)
        }
        return next((kind for kind in KINDS if kind in fits), "")

    def _fits(self, pattern: Pattern, label: Words) -> bool:
        words = label[len(pattern.before) : len(label) - len(pattern.after)]
        spared = pattern.kind != HARMLESS and has_phrase(words, self.get("harmless words"))
        fits = label == (*pattern.before, *words, *pattern.after)
        if spared or not (fits and 0 < len(words) <= MAX_OBJECT_WORDS):
            return False
        names, singular = self.get(pattern.names), (*words[:-1], words[-1].removesuffix("s"))
        ends = (each[at:] for each in (words, singular) for at in range(len(words)))
        return not pattern.names or any(end in names for end in ends)


@cache
def load_languages() -> dict[str, Language]:
    """Return the languages by the names of their files."""
    files = sorted((_FOLDER / "languages").glob("*.rules"))
    return {path.stem: Language(_read_sections(path.read_text("utf-8"))) for path in files}


@cache
def load_phrases(ending: str) -> Phrases:
    """Return the sections `<meaning> <ending>` of all languages."""
    return Phrases(
        (each, section.removesuffix(f" {ending}"))
        for language in load_languages().values()
        for section in language.sections
        if section.endswith(f" {ending}")
        for each in language.read_entries(section)
        if not _is_pattern(each)
    )


def get_first(names: Collection[str]) -> str:
    """Return the first of the purposes that is among the names; "" if none is."""
    return next((each for each in PURPOSES if each in names), "")


def is_in(label: str, section: str) -> bool:
    """Whether a label is an entry of a section in any language."""
    words = read_label(label)
    return any(words in each.get(section) for each in load_languages().values())


def has_harmless_word(label: Words) -> bool:
    """Whether a label has one of the `[harmless words]` of a language."""
    return any(has_phrase(label, each.get("harmless words")) for each in load_languages().values())


@lru_cache(maxsize=256)
def judge_label(label: Words) -> str:
    """Return the section of a label in the first language that knows it; "" if none does."""
    if len(label) > MAX_LABEL_WORDS:
        return ""
    languages = load_languages().values()
    whole = (each.labels.get(label, "") for each in languages)
    shortened = (each.judge(label) for each in languages)
    return next(filter(None, chain(whole, shortened)), "")


def judge_joined(label: Words) -> str:
    """Judge a label such as "Block and delete" by its risky part, if none is harmless."""
    places = [at for at, word in enumerate(label[:MAX_LABEL_WORDS]) if is_in(word, "joins")]
    kinds = [judge_label(label[a + 1 : b]) for a, b in pairwise([-1, *places, len(label)])]
    nouns = "" in kinds and kinds[-1] not in PURPOSES and places[:1] == [1]  # "Sleep and focus"
    return "" if nouns or HARMLESS in kinds else get_first(kinds)


def judge_slider(label: Words) -> str:
    """Return what a slider such as "Slide to pay" does; "" if the label is not one."""
    slides = load_languages()["more"].get("slides")
    act = drop_phrases(label, slides)
    return "" if act == label else judge_label(label) or judge_label(act)


def _is_pattern(entry: str) -> bool:
    return bool(_PLACEHOLDER.search(entry))


def _read_pattern(entry: str, kind: str) -> Pattern:
    before, names, after = _PLACEHOLDER.split(entry)
    return Pattern(read_label(before), names or "", read_label(after), kind)


def _read_sections(text: str) -> dict[str, list[str]]:
    """Return the lines of each section."""
    sections: dict[str, list[str]] = defaultdict(list)
    names: list[str] = []
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            names = heading[1].split(" + ")
            line = line[heading.end() :]
        for name in () if line.startswith("#") else names:
            sections[name].append(line)
    return sections


def _expand(entry: str) -> Iterable[str]:
    """Return the ways to read an entry such as `shut-down/restart [*]`, with or without object."""
    ways = product(*(word.split("/") for word in entry.split()))
    found = [" ".join(words) for words in ways if words]
    return [each.replace("[*]", put) for each in found for put in ("", "*")[: 1 + ("[*]" in each)]]
