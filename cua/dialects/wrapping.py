"""What models put around their answer: reasoning between tags, code fences.

Everything here takes linear time on any text.
"""

from __future__ import annotations

import re
from functools import cache

_TAG = r"(?:seed:|gui_)?think(?:ing|t|_never_used_\w{1,64})?"
_OPEN = rf"^[ \t]*(?:<{_TAG}>|◁think▷)"
_CLOSE = rf"</{_TAG}>|◁/think▷"
_closing = re.compile(_CLOSE, re.IGNORECASE)
_fence = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[\w+-]{0,20}[ \t]*\r?$", re.MULTILINE)


def split(text: str, verbatim: str = "(?!)") -> tuple[str, str]:
    """What stands between thinking tags, and the rest.

    A block that is not closed goes on to the end. A closing tag alone ends a block whose opening
    tag stood in the prompt, so all before it is reasoning. `verbatim` is a pattern of lines in
    which tags mean nothing.
    """
    kept: list[str] = []
    thought: list[str] = []
    at = start = 0
    while tag := _marks(verbatim).search(text, at):
        if tag["open"] is not None:
            kept.append(text[start : tag.start()])
            close = _closing.search(text, tag.end())
            thought.append(text[tag.end() : close.start() if close else None].strip())
            at = start = close.end() if close else len(text)
        elif tag["close"] is not None:
            thought += [*kept, text[start : tag.start()].strip()]
            kept.clear()
            at = start = tag.end()
        else:
            at = tag.end()
    return "\n".join(filter(None, thought)), "".join(kept) + text[start:]


def whole_characters(text: str) -> str:
    """Without the halves of surrogate pairs, which no log and no page can carry."""
    return text.encode("utf-8", "replace").decode()


def without_fences(text: str) -> str:
    """The text without the lines that open and close code blocks."""
    return _fence.sub("", text)


@cache
def _marks(verbatim: str) -> re.Pattern[str]:
    pattern = rf"{verbatim}|(?P<open>{_OPEN})|(?P<close>{_CLOSE})"
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
