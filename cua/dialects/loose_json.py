"""JSON as models write it: with commas too many, braces too few, or in Python's spelling.

What is unclear is refused and not guessed: text or a list without its end may have been cut off.
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
    """The strict JSON value that begins at an index, and where it ends. Raises `FormatError`."""
    found, end = _decoded(lambda: _DECODER.raw_decode(text, at))
    return found, end


def value(text: str) -> object:
    """The one value that the whole text is, repaired where needed. Raises `FormatError`."""
    try:
        found, end = value_at(text.lstrip(), 0)
        if not text.lstrip()[end:].strip():
            return found
    except FormatError:
        pass
    return _decoded(lambda: _DECODER.decode(_repaired(text)))


def _decoded(decode: Callable[[], Any]) -> Any:
    try:
        return decode()
    except RecursionError:
        raise FormatError("The JSON is nested too deep.") from None
    except ValueError as error:
        raise FormatError(f"The JSON is not valid: {str(error)[:80]}.") from None


def _repaired(text: str) -> str:
    """Without commas before a closing bracket and closing brackets too many, with missing `}`."""
    written: list[str] = []
    opened: list[str] = []
    at = 0
    while at < len(text):
        piece = _TOKEN.match(text, at)
        if piece is None:
            raise FormatError("The JSON has text without its closing quote.")
        at = piece.end()
        _write(piece[0], written, opened)
    if opened and ("[" in opened or not text.rstrip().endswith(('"', "'", "}", "]"))):
        raise FormatError("The JSON is not complete.")
    return "".join(written) + "}" * len(opened)


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
    if opened:
        if opened.pop() != _CLOSES[piece]:
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
    """Python reads NaN, Infinity and 1e999; nobody else does, and no action can have them."""
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
