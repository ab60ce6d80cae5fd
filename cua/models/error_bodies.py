"""Read error bodies of any shape, and Retry-After.

`error` is an object or a string, or its key is `detail`; the code is a number or text; and many
servers echo the API key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

MAX_QUOTE_CHARS = 300
ALL_NAMES = ("code", "type", "status", "param", "message", "msg", "error", "detail")


def error_text(body: object) -> str:
    """Return all texts and codes of an error body of any shape."""
    return " ".join(dict.fromkeys(_find_texts(body, ALL_NAMES)))


def error_message(body: object) -> str:
    """Return the message in an error body; "" if there is none."""
    return next(filter(None, _find_texts(body, ("message", "error", "detail", "msg"))), "")


def _find_texts(body: object, names: Sequence[str], depth: int = 0) -> Iterator[str]:
    if isinstance(body, str):
        yield body
    elif depth > 4:
        return
    elif isinstance(body, Mapping):
        for name in names:
            yield from _find_texts(body.get(name), names, depth + 1)
    elif isinstance(body, list):
        for item in body[:5]:
            yield from _find_texts(item, names, depth + 1)


def redact(text: str, key: str) -> str:
    """Return one line of at most `MAX_QUOTE_CHARS`, without anything that looks like a key."""
    if key:
        whole = re.escape(key) if len(key) >= 6 else rf"(?<!\w){re.escape(key)}(?!\w)"
        text = re.sub(whole, "•••", text)
    text = re.sub(r"\b(sk-|Bearer\s+|AIza)[\w\-.*]{6,}", r"\1•••", text)
    text = " ".join("".join(c if c.isprintable() else " " for c in text[:20_000]).split())
    return text if len(text) <= MAX_QUOTE_CHARS else text[:MAX_QUOTE_CHARS] + "…"


def parse_retry_after(after: str | None) -> float | None:
    """Parse Retry-After in seconds; its date form is ignored, as our clock may be wrong."""
    try:
        value = float(after or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def find_retry_after(text: str) -> float | None:
    """Return the seconds after which an error text says to try again."""
    match = re.search(r"(?:re)?try (?:again )?in ([\d.]{1,9}) ?s", text, re.IGNORECASE)
    return parse_retry_after(match[1]) if match else None
