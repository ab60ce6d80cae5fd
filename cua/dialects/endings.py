"""Parse a reply without calls as the end of the task: done, failed, or a question.

Any other reply without a call is a format error.
"""

from __future__ import annotations

import re

from ..messages import Message, sentences
from ..types import Ask, Done, Fail, NoAction

_MARK = re.compile(
    r"[\s*_#`\[]*(?P<mark>done|success|failed|failure|infeasible|question)\b[\s*_`]{0,9}"
    r"(?:(?P<ends>[:：\]])|[.!]|$)[*_`]*",
    re.IGNORECASE,
)


def parse_ending(text: str) -> Done | Fail | Ask:
    """Read a reply without a call as an ending. Raises `NoAction` for anything else."""
    text = text.strip()
    found = find_explicit(text) or (Ask(question=text) if text.endswith(("?", "？")) else None)
    if found is None:
        reason = sentences(Message("format.no_ending"), Message("format.ending_help"))
        raise NoAction(reason, text)
    return found


def find_explicit(text: str) -> Done | Fail | Ask | None:
    """Read a reply that begins with `DONE:`, `FAILED:` or `QUESTION:`, or is only that word.

    The person sees the rest, with any calls in it.
    """
    mark = _MARK.match(text)
    return _marked(text, mark) if mark and (mark["ends"] or mark.end() == len(text)) else None


def parse_marked(text: str) -> Done | Fail | Ask:
    """Read the text of a family's own end of a task; a failure if it begins with `FAILED`."""
    text = text.strip()
    mark = _MARK.match(text)
    return _marked(text, mark) if mark else Done(answer=text)


def _marked(text: str, mark: re.Match[str]) -> Done | Fail | Ask:
    kind, rest = mark["mark"].lower(), text[mark.end() :].strip()
    if kind in ("done", "success"):
        return Done(answer=rest)
    return Ask(question=rest or text) if kind == "question" else Fail(reason=rest)
