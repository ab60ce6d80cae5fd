"""What stands in an error, whatever its shape: the server's words, the system's, the time to wait.

Servers agree on nothing: `error` is an object or a string, or it is called `detail`; the code is a
number or text. And many echo the API key.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator, Mapping

QUOTE = 300
"""Characters of a server's own words that are shown."""


def words(body: object) -> str:
    """The human part of an error body of any shape, with the codes that stand beside it."""
    return " ".join(dict.fromkeys(_pieces(body, 0)))


def _pieces(body: object, depth: int) -> Iterator[str]:
    if isinstance(body, str):
        yield body
    elif depth > 4:
        return
    elif isinstance(body, Mapping):
        for name in ("code", "type", "status", "param", "message", "msg", "error", "detail"):
            yield from _pieces(body.get(name), depth + 1)
    elif isinstance(body, list):
        for item in body[:5]:
            yield from _pieces(item, depth + 1)


def message(body: object) -> str:
    """Only the sentence out of an error body; empty if there is none."""
    for _ in range(5):
        if isinstance(body, Mapping):
            body = next(filter(None, map(body.get, ("message", "error", "detail", "msg"))), None)
        elif isinstance(body, list):
            body = body[0] if body else None
    return body if isinstance(body, str) else ""


def redacted(text: str, key: str) -> str:
    """`text` on one line, cut to a quotable length, without anything that looks like a key."""
    if key:
        whole = re.escape(key) if len(key) >= 6 else rf"(?<!\w){re.escape(key)}(?!\w)"
        text = re.sub(whole, "•••", text)
    text = re.sub(r"\b(sk-|Bearer\s+|AIza)[\w\-.*]{6,}", r"\1•••", text)
    text = " ".join("".join(c if c.isprintable() else " " for c in text[:20_000]).split())
    return text if len(text) <= QUOTE else text[:QUOTE] + "…"


def seconds(after: str | None) -> float | None:
    """Retry-After in seconds; not its date form, for the device's clock may be wrong."""
    try:
        value = float(after or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def wait(said: str) -> float | None:
    """The same from the words of servers that say it there."""
    match = re.search(r"(?:re)?try (?:again )?in ([\d.]{1,9}) ?s", said, re.IGNORECASE)
    return seconds(match[1]) if match else None


def reason(error: BaseException) -> str:
    """The operating system's words, which stand somewhere in a long chain of exceptions."""
    link: BaseException | None = error
    while link and not (isinstance(link, OSError) and link.errno):
        link = link.__cause__ or link.__context__
    if isinstance(link, OSError) and not isinstance(link, ssl.SSLError) and (link.errno or 0) > 0:
        return os.strerror(link.errno or 0)
    return str(getattr(link, "strerror", "") or error) or type(error).__name__
