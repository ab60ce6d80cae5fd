"""A person's own list of words: one a line, `/so/` for a regular expression, `#` for a remark."""

from __future__ import annotations

import re

Patterns = tuple[re.Pattern[str], ...]
LONGEST = 200


def patterns(text: str) -> Patterns:
    """What the lines mean, without regard to case. Raises `ValueError` with the line at fault."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(_pattern(line) for line in lines if line and not line.startswith("#"))


def _pattern(line: str) -> re.Pattern[str]:
    if len(line) > LONGEST:
        raise ValueError(f"a line is longer than {LONGEST} characters")
    if len(line) > 2 and line[0] == line[-1] == "/":
        try:
            return re.compile(line[1:-1], re.IGNORECASE)
        except re.error as error:
            raise ValueError(f"{line} is no regular expression: “{error}”") from None
    words = r"\s+".join(re.escape(word) for word in line.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
