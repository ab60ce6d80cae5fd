"""Separate an answer from the reasoning between tags, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..types import FormatError

FindCallEnd = Callable[[str, int, int], int | None]
"""`(text, start, before)`: the end of the first call that begins there; None: there is none."""
_TAG = r"(?:seed:|gui_)?think(?:ing|t|_never_used_\w{1,64})?"
_OPEN = rf"^[ \t]*(?:<{_TAG}>|◁think▷)"
_CLOSE = rf"</{_TAG}>|◁/think▷"
_CLOSING = re.compile(_CLOSE, re.IGNORECASE)
_ANY_TAG = re.compile(rf"(?P<open>{_OPEN})|{_CLOSE}", re.IGNORECASE | re.MULTILINE)


def split_reasoning(text: str, find_call_end: FindCallEnd = lambda *_: None) -> tuple[str, str]:
    """Return the reasoning and the rest of a reply.

    An unclosed block extends to the end. A closing tag alone ends a block whose opening tag was in
    the prompt, so all before it is reasoning. Tags inside a call are its text.
    """
    kept: list[str] = []
    thought: list[str] = []
    at = 0
    while tag := _find_tag(text, at, find_call_end):
        before = text[at : tag.start()]
        if tag["open"] is not None:
            close = _CLOSING.search(text, tag.end())
            kept.append(before)
            thought.append(text[tag.end() : close.start() if close else None].strip())
            at = close.end() if close else len(text)
        else:
            thought += [*kept, before.strip()]
            kept.clear()
            at = tag.end()
    return "\n".join(filter(None, thought)), "".join(kept) + text[at:]


def _find_tag(text: str, at: int, find_call_end: FindCallEnd) -> re.Match[str] | None:
    """Find the next tag outside of calls. After a call that cannot be read, tags mean nothing."""
    while tag := _ANY_TAG.search(text, at):
        try:
            end = find_call_end(text, at, tag.start())
            while end is not None and end <= tag.start():
                end = find_call_end(text, end, tag.start())
        except FormatError:
            return None
        if end is None:
            return tag
        at = end
    return None
