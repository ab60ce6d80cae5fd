"""Separate an answer from reasoning between tags and from code fences, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..types import FormatError

CallEnd = Callable[[str, int, int], int | None]
"""`(text, at, before)`: the end of the first call that begins in that range, None without one."""
_TAG = r"(?:seed:|gui_)?think(?:ing|t|_never_used_\w{1,64})?"
_OPEN = rf"^[ \t]*(?:<{_TAG}>|◁think▷)"
_CLOSE = rf"</{_TAG}>|◁/think▷"
_closing = re.compile(_CLOSE, re.IGNORECASE)
_tag = re.compile(rf"(?P<open>{_OPEN})|{_CLOSE}", re.IGNORECASE | re.MULTILINE)
_fence = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[\w+-]{0,20}[ \t]*\r?$", re.MULTILINE)


def split(text: str, call_end: CallEnd = lambda *_: None) -> tuple[str, str]:
    """Return the reasoning and the rest of a reply.

    A block that is not closed goes on to the end. A closing tag alone ends a block whose opening
    tag stood in the prompt, so all before it is reasoning. Tags inside a call are its text.
    """
    kept: list[str] = []
    thought: list[str] = []
    at = 0
    while tag := _find_tag(text, at, call_end):
        before = text[at : tag.start()]
        if tag["open"] is not None:
            close = _closing.search(text, tag.end())
            kept.append(before)
            thought.append(text[tag.end() : close.start() if close else None].strip())
            at = close.end() if close else len(text)
        else:
            thought += [*kept, before.strip()]
            kept.clear()
            at = tag.end()
    return "\n".join(filter(None, thought)), "".join(kept) + text[at:]


def _find_tag(text: str, at: int, call_end: CallEnd) -> re.Match[str] | None:
    """Find the next tag outside of calls. After a call that cannot be read, tags mean nothing."""
    while tag := _tag.search(text, at):
        try:
            end = call_end(text, at, tag.start())
            while end is not None and end <= tag.start():
                end = call_end(text, end, tag.start())
        except FormatError:
            return None
        if end is None:
            return tag
        at = end
    return None


def whole_characters(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode()


def without_fences(text: str) -> str:
    """The text without the lines that open and close code blocks."""
    return _fence.sub("", text)
