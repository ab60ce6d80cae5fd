"""A list of words: one per line, `/.../` is a regular expression, `#` begins a comment."""

from __future__ import annotations

import re

from ..messages import Message

Patterns = tuple[re.Pattern[str], ...]
MAX_LINE_CHARS = 200


def patterns(text: str) -> Patterns:
    """Compile the lines, ignoring case. Raises `ValueError` with a message for the faulty line."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(_pattern(line) for line in lines if line and not line.startswith("#"))


def _pattern(line: str) -> re.Pattern[str]:
    if len(line) > MAX_LINE_CHARS:
        raise ValueError(Message("settings.line_too_long", most=MAX_LINE_CHARS))
    if len(line) > 2 and line[0] == line[-1] == "/":
        try:
            return re.compile(line[1:-1], re.IGNORECASE)
        except re.error as error:
            raise ValueError(Message("settings.bad_regex", line=line, error=str(error))) from None
    words = r"\s+".join(re.escape(word) for word in line.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
