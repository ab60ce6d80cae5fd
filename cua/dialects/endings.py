"""What a reply without any action means, in families that end a task by just saying something.

Done, failed and asked are told apart by the words that our prompts ask for, then by what cannot be
anything else. A failure must never pass for a success, so any doubt speaks for failure.
"""

from __future__ import annotations

import re

from ..types import Ask, Done, Fail, FormatError

_MARK = re.compile(
    r"[\s*_#`\[]*(?P<mark>done|success|failed|failure|infeasible|question)\b[\s*_`]{0,9}(?:[:：.!\]][*_`]*|$)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:can ?not|can['’]t|could ?n[o'’]t|couldn['’]t|could not|unable|impossible|infeasible|"
    r"not possible|not able|failed|fails|failure|gave up|giving up|no way to)\b",
    re.IGNORECASE,
)
_INTENDS = re.compile(
    r"(?:(?:now|next|first|then|ok|okay|so|sure|great)[,.]? )?"
    r"(?:i['’]ll|i will|i need to|i should|i['’]m going to|i am going to|let me|let['’]s)\b",
    re.IGNORECASE,
)


_ACTS = re.compile(
    r"</?(?:tool_call|function|parameter|point)\b|[{}]|\bpyautogui\.|\b(?:click|type|scroll|key)\("
    r"|^[ \t]*(?:action[ \t]*[:：]|(?:mouse|drag|keyboard|typestr)[ ])",
    re.IGNORECASE | re.MULTILINE,
)
_WORD = re.compile(r"\w{2}")


def ending(text: str) -> Done | Fail | Ask:
    """Raises `FormatError` for what means to be an action, or announces one and has no call."""
    text = text.strip()
    found = _marked(text)
    if found:
        return found
    if text.endswith(("?", "？")):
        return Ask(question=text)
    if "[INFEASIBLE]" in text or _FAILED.search(text):
        return Fail(reason=text)
    if _INTENDS.match(text) or _ACTS.search(text) or not _WORD.search(text):
        raise FormatError(
            "There is no call in the reply that can be read. Make the call; or end the task with "
            "`DONE:` or `FAILED:` and what the person should know, or ask with `QUESTION:`."
        )
    return Done(answer=text)


def marked(text: str) -> Done | Fail | Ask:
    """The end of a task in a family that has one way to say it; `FAILED:` makes it a failure."""
    return _marked(text.strip()) or Done(answer=text.strip())


def _marked(text: str) -> Done | Fail | Ask | None:
    mark = _MARK.match(text)
    if mark is None:
        return None
    kind, rest = mark["mark"].lower(), text[mark.end() :].strip()
    if kind in ("done", "success"):
        return Done(answer=rest)
    return Ask(question=rest or text) if kind == "question" else Fail(reason=rest)
