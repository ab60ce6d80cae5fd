"""Turn texts of the screen and of the model into words, and find phrases among them.

A word has no case, accents or apostrophes. Each Chinese, Japanese and Korean character is a word,
each number is "#", and "yn" is a prompt such as [y/N]. `MARKS` are kept among the words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from sys import intern

Words = tuple[str, ...]
MAX_TEXT_CHARS = 12_000
"""Characters of a text that are read; the rest is ignored."""
MAX_PHRASE_WORDS = 6
MAX_GAP_WORDS = 12
QUOTE, STOP = '"', "."
MARKS = {QUOTE, STOP}

_CHARACTERS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = re.compile(
    rf'[{_CHARACTERS}]|\d+(?:[.,]\d+)*(?![^\W\d_])|[^\W_{_CHARACTERS}]+|[?"#]|\.(?=\s|$)'
)
_HIDDEN = re.compile(r"[•●∙⋅*＊·]{4}")
"""The dots of a filled-in password field."""
_PROMPT = re.compile(
    r"\b(?:y/n|yes/no|y,n)\b|(?<=[(\[])(?:[sjotdeiakд]/[nнhe]|(?:yes|sim?|ja|oui|tak|да|evet|igen|ano)"
    r"\]?/\[?(?:non?|nao|nein|nee|nej|nie|нет|hayir|nem|ne))(?=[)\]])"
)
CHORD = re.compile(r"(?:\b(?:ctrl|strg|shift|alt|cmd|win) ?\+ ?)+\w+|\bf1?\d\b", re.IGNORECASE)
_NO_LABEL = re.compile(rf"[$€£¥₩₽₺₹₫]|\(&?\w\)|{CHORD.pattern}|\besc\b|\bdel$", re.IGNORECASE)
"""Accelerators and keyboard shortcuts."""
_ELIDED = re.compile(r"\b([dlj]|dell|nell|all|sull|dall)['’](?=[^\W\d])")
"""Articles and prepositions of French and Italian that are joined to the next word."""
_REPLACED = str.maketrans(
    {
        **dict.fromkeys(map(chr, range(0x300, 0x370))),  # accents
        **dict.fromkeys("'’‘ʼ&\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"),
        **dict.fromkeys("“”„«»「」『』`*", QUOTE),
        **dict.fromkeys("$€£¥₩₽₺₹₫", " money "),
        **{"ı": "i", "!": STOP, "。": f"{STOP} "},
    }
)


@lru_cache(maxsize=16)
def read_words(text: str) -> Words:
    """Return the words and marks of a text."""
    shown = _HIDDEN.sub(" hiddenpassword ", text[:MAX_TEXT_CHARS].replace(" & ", " and "))
    parted = unicodedata.normalize("NFKD", _ELIDED.sub(r"\1 ", shown.casefold()))
    plain = unicodedata.normalize("NFC", parted.translate(_REPLACED))
    words = _WORD.findall(_PROMPT.sub("yn", plain.replace(2 * QUOTE, QUOTE)))
    return tuple("#" if (word[0] + word[-1]).isdigit() else intern(word) for word in words)


def read_label(text: str) -> Words:
    """Return the words of a label without marks, accelerators and keyboard shortcuts."""
    plain = text[:MAX_TEXT_CHARS].translate({ord(sign): "cmd+" for sign in "⌘⌥⇧⌃"})
    return without_marks(read_words(_NO_LABEL.sub(" ", plain)) or read_words(text))


def without_marks(words: Words) -> Words:
    return tuple(each for each in words if each not in MARKS)


def match_phrase(words: Words, at: int, phrases: Collection[Words]) -> int:
    """Return the number of words of the longest of the phrases that is at this position."""
    sizes = range(min(MAX_PHRASE_WORDS, len(words) - at), 0, -1)
    return next((size for size in sizes if words[at : at + size] in phrases), 0)


def has_phrase(words: Words, phrases: Collection[Words]) -> bool:
    return any(match_phrase(words, at, phrases) for at in range(len(words)))


def drop_phrases(words: Words, phrases: Collection[Words]) -> Words:
    """Return the words without these phrases; all words if none would remain."""
    kept: list[str] = []
    at = 0
    while at < len(words):
        size = match_phrase(words, at, phrases)
        kept += () if size else (words[at],)
        at += size or 1
    return tuple(kept) or words


class Phrases:
    """Phrases and their meanings. `...` in a phrase stands for up to `MAX_GAP_WORDS` words."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        self._by_word: dict[str, list[tuple[tuple[Words, ...], str]]] = defaultdict(list)
        for phrase, meaning in phrases:
            parts = tuple(map(read_words, phrase.split("...")))
            self._by_word[parts[0][0]].append((parts, intern(meaning)))

    def find_all(self, words: Words) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and meaning of each occurrence, in order of the starts."""
        for start, word in enumerate(words):
            for parts, meaning in self._by_word.get(word, ()):
                end = _match(parts, words, start)
                if end:
                    yield start, end, meaning

    def meanings(self, words: Words) -> set[str]:
        return {meaning for _, _, meaning in self.find_all(words)}


def _match(parts: Iterable[Words], words: Words, start: int) -> int:
    """Return where the shortest match of the parts ends; 0 if there is none."""
    end, gap = start, 0
    for part in parts:
        starts = range(end, end + gap + 1)
        at = next((at for at in starts if words[at : at + len(part)] == part), -1)
        if at < 0 or words[end:at].count(QUOTE) % 2:
            return 0
        end, gap = at + len(part), MAX_GAP_WORDS
    return end
