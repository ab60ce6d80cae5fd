"""Read the label of each key and the button with the focus from the words on the screen."""

from __future__ import annotations

import re

from .chords import read_keys
from .words import read_words

_MODIFIER = r"(?:ctrl|strg|control|shift|umschalt|maj|alt|option|cmd|command|win|[⌘⌥⇧⌃^])"
_KEY = r"(?:del|entf|suppr|supr|canc|enter|return|eingabe|esc|[⌫⌦↵⏎])"
_FUNCTION = r"f(?:1[0-2]|[1-9])(?!\d)"
_ANY = rf"{_FUNCTION}|{_KEY}|delete|backspace|space|[a-z0-9]"
_ASKS = ("press ", "hit ", "type ", "sie ", "taste ", "sur ", "pulse ", "premere ", "клавишу ")
"""Words before a letter that is a key. They end an instruction such as `To delete it, press L`."""
_SHORTCUT = re.compile(
    rf"((?<!\w)(?:{_MODIFIER} ?[+-]? ?){{1,3}}"
    rf"(?:{_ANY})(?!\w)"
    rf"|(?<!\w)(?:{_FUNCTION}|{_KEY}(?!\w))|(?<=\()[a-z](?=\))|(?<=\[)[a-z](?=\])"
    rf"|(?:{'|'.join(f'(?<={each})' for each in _ASKS)})(?-i:[A-Z])(?!\w)"
    rf"|(?<!\w)(?-i:[A-Z])(?= ?[:=] ?\w))",
    re.IGNORECASE,
)
_PART = re.compile(rf"{_MODIFIER}|{_ANY}", re.IGNORECASE)
_NAMES = {
    **{"strg": "ctrl", "umschalt": "shift", "maj": "shift", "⌃": "ctrl", "^": "ctrl", "⇧": "shift"},
    **{"⌥": "alt", "option": "alt", "⌘": "win", "entf": "delete", "suppr": "delete"},
    **{"supr": "delete", "canc": "delete", "⌫": "backspace", "⌦": "delete", "↵": "enter"},
    **{"⏎": "enter", "eingabe": "enter"},
}
_SIGN = re.compile(r"^ ?[:=] ?|^ (?:(?:to|um|pour|para|per|чтобы) )?", re.IGNORECASE)
_ASK = re.compile(rf",? ?(?:\w{{1,12}} )?(?:{'|'.join(_ASKS)})$", re.IGNORECASE)
_REST = re.compile(r"[)\]]( ?[^\W\d_][^()\[\],·|]*)")  # in `[D]elete` and `[A] All`
_CHOICE = re.compile(r"[(\[]{1,2}(\w{1,6})\]?/\[?(\w{1,6})(?:/\[?(\w{1,6}))?[)\]]")
_BREAK = re.compile(r"[·|•\n()\[\]]|  |[.,;] ")
_FOCUSED = tuple(
    re.compile(each)
    for each in (
        r"[(\[](?:focus|focused|selected)[)\]] ?([^·|\[\]()]{2,30})",
        r"([^·|\[\]()]{2,30}) ?[\[(·] ?(?:button )?(?:focused|selected|highlighted)",
        r"\[ ?[<(] ?([^\W\d_][^\[\]<>()·|/]{1,30}?) ?[>)] ?\]",
        r"[\[<]{1,2} ?([^\W\d_][^\[\]<>()·|/]{1,30}?) ?[\]>]{1,2}",
        r"\( ?([^\W\d_][^\[\]<>()·|/]{1,30}?) ?\)",
    )
)
"""Marks of the button with the focus; the first that are on the screen count."""
MAX_LABEL_CHARS = 40


def find_label(screen: str, chord: str) -> str:
    """Return the label beside a chord, as in `Delete (Del)` or `F8: Delete`; yes for Y in [y/N]."""
    for words in _CHOICE.findall(screen):
        letters = [each[:1].upper() for each in words]
        if chord in letters and "yn" in read_words(f"({'/'.join(words[:2])})"):
            return ("yes", "no", "yes")[letters.index(chord)]
    texts = _SHORTCUT.split(screen)  # a text, a shortcut, a text, ...
    for ahead, shortcut, behind in zip(texts[::2], texts[1::2], texts[2::2], strict=False):
        keys = [_NAMES.get(each.lower(), each) for each in _PART.findall(shortcut)]
        if "+".join(read_keys(keys)) != chord:
            continue
        if rest := _REST.match(behind[:MAX_LABEL_CHARS]):
            return (shortcut + rest[1]).removeprefix(f"{shortcut} ")
        shown_ahead = _ASK.sub("", ahead[-MAX_LABEL_CHARS:]).removesuffix(" ").removesuffix("(")
        before = _SIGN.sub("", " " + _BREAK.split(shown_ahead)[-1].strip())
        after = _BREAK.split(_SIGN.sub("", behind[:MAX_LABEL_CHARS]))[0].strip(" .")
        in_menu = ahead.endswith("(") or (len(keys) > 1 and "^" not in shortcut)
        return (before or after) if in_menu and ":" not in behind[:2] else (after or before)
    return ""


def find_focused(screen: str) -> str:
    """Return the label of the only marked button, as in `Yes [No]`; "" if none is."""
    found = next(filter(None, (each.findall(screen) for each in _FOCUSED)), [])
    return found[0].strip() if len(found) == 1 else ""
