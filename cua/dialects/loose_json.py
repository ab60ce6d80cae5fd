"""Parse JSON as models write it: with extra commas, missing braces, or Python's spelling.

Ambiguous JSON is refused. Missing braces are added only before the closing tag around the JSON:
without that tag the reply may have been cut off.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from ..types import FormatError

_TOKEN = re.compile(
    r"""\s+|"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|[{}\[\],:]|[^\s"'{}\[\],:]+""",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_CLOSES = {"}": "{", "]": "["}


def value_at(text: str, at: int) -> tuple[object, int]:
    """Read the JSON value that begins at an index, repaired where needed; return it and its end.

    Raises `FormatError`.
    """
    try:
        return _decode(lambda: _DECODER.raw_decode(text, at))  # type: ignore[no-any-return]
    except FormatError:
        repaired, end = _repair(text, at)
        return _decode(lambda: _DECODER.decode(repaired)), end


def value(text: str) -> object:
    """Read a text that is one JSON value and nothing else. Raises `FormatError`."""
    text = text.strip()
    found, end = value_at(text, 0)
    if text[end:].strip("} \n\t"):
        raise FormatError("Behind the JSON stand other words.")
    return found


def _decode(decode: Callable[[], Any]) -> Any:
    try:
        return decode()
    except RecursionError:
        raise FormatError("The JSON is nested too deep.") from None
    except ValueError as error:
        raise FormatError(f"The JSON is not valid: {str(error)[:80]}.") from None


def _repair(text: str, at: int) -> tuple[str, int]:
    """Without commas before a closing bracket, and with the `}` that lack before a closing tag."""
    written: list[str] = []
    opened: list[str] = []
    while at < len(text):
        piece = _TOKEN.match(text, at)
        if piece is None:
            raise FormatError("The JSON has text without its closing quote.")
        if piece[0].startswith("</") and "[" not in opened:
            return "".join(written) + "}" * len(opened), at
        at = piece.end()
        _write(piece[0], written, opened)
        if not opened:
            return "".join(written), at
    raise FormatError("The JSON is not complete.")


def _write(piece: str, written: list[str], opened: list[str]) -> None:
    if piece.isspace():
        written.append(" ")
    elif piece in _CLOSES:
        _close(piece, written, opened)
    else:
        if piece in "{[":
            opened.append(piece)
        written.append(_in_json(piece))


def _close(piece: str, written: list[str], opened: list[str]) -> None:
    while written and written[-1] in (" ", ","):
        written.pop()
    if not opened or opened.pop() != _CLOSES[piece]:
        raise FormatError(f"The JSON has a `{piece}` in the wrong place.")
    written.append(piece)


def _in_json(piece: str) -> str:
    if piece.startswith("'"):
        inner = re.sub(r"\\(.)|(\")", _requoted, piece[1:-1], flags=re.DOTALL)
        return f'"{inner}"'
    return _WORDS.get(piece, piece)


def _requoted(found: re.Match[str]) -> str:
    if found[2]:
        return '\\"'
    return "'" if found[1] == "'" else found[0]


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _whole(digits: str) -> float:
    return int(digits) if len(digits) < 20 else _finite(digits)


def _finite(digits: str) -> float:
    """Refuse NaN, Infinity and 1e999, which Python reads."""
    found = float(digits)
    if not math.isfinite(found):
        raise ValueError(f"{digits[:20]} is not a number, write one in digits")
    return found


_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_unique,
    parse_int=_whole,
    parse_float=_finite,
    parse_constant=_finite,
)
