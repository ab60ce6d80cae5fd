"""Distinguish plain sentences from lines that may be commands."""

from __future__ import annotations

import re

from ..types import modifiers

MIN_WORDS = 4
"""Words from which a line is a sentence even without a full stop."""
_COMMAND = re.compile(
    r"[{\[<]|\w+\(|点击|[单双右]击|右键|输入|按(?!钮|照)|滚动|等待|拖动|移动|"
    r"(?:(?:(?:left|right|middle|double|triple)[ _-]*)?click|tap|press|hit|keys?|hotkey|keypress|"
    r"type|write|input|enter|scroll|wheel|wait|pause|move|hover|drag|swipe|select|hold|release|zoom|"
    r"mouse|keyboard|typestr|backspace|sleep|power|mount|eject|done|fail|failed|finish|finished|terminate|stop|"
    r"exit|answer|ask|call_user|screenshot|goto|open_app)(?![a-z])",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"return|esc|escape|tab|space|delete|del|insert|home|end|page(?:up|down)|up|down|left|right|"
    r"menu|print|printscreen|capslock|f\d{1,2}",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\w+")
_WORD = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|[^\W\d_\u3040-\u9fff\uac00-\ud7af]+")
_ENDED = re.compile(r"[.!?:;…。！？：；][\"'”’)*_]*$")
_MARK = re.compile(r"\s*(?:#+!?|[-*>])?\s*(?:thoughts?\s*[:：]\s*)?", re.IGNORECASE)
_CODE = re.compile(r"[\"`]|.*[{}<>=]")
_UP_TO_STOP = re.compile(r".*(?:[.!?…][\"'”’)]*(?=\s|$)|[。！？])")


def find_sentences(text: str) -> str:
    """Return the sentences of a reply that is not complete yet, without the marks of its format."""
    *lines, last = (_MARK.sub("", line, count=1).rstrip() for line in text.split("\n"))
    if ended := _UP_TO_STOP.match(last):
        lines.append(ended[0])
    found = (line for line in lines if _WORD.search(line) and not _CODE.match(line))
    return "\n".join(filter(is_sentence, found))


def is_sentence(line: str) -> bool:
    """Whether a line cannot be a command: it is not short and begins with no verb or key.

    A line without any letter or digit is only decoration.
    """
    first = _FIRST.search(line)
    if first is None:
        return True
    words, ended = len(_WORD.findall(line)), _ENDED.search(line) is not None
    if _COMMAND.match(line) or (_is_key(first[0]) and not ended):
        return False
    return words >= MIN_WORDS or (ended and words > 0 and not _is_key(first[0]))


def _is_key(word: str) -> bool:
    return bool(_KEY.fullmatch(word)) or modifiers.find_modifier(word) is not None
