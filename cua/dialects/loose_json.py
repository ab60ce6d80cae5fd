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

from ..messages import Message
from ..types import FormatError

_TOKEN = re.compile(
    r"""\s+|"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|[{}\[\],:]|[^\s"'{}\[\],:]+""",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_CLOSES = {"}": "{", "]": "["}


def read_json(text: str, start: int) -> tuple[object, int]:
    """Read the JSON value that begins at an index, repaired where needed; return it and its end.

    Raises `FormatError`.
    """
    try:
        return _decode(lambda: _DECODER.raw_decode(text, start))  # type: ignore[no-any-return]
    except FormatError:
        repaired, end = _repair(text, start)
        return _decode(lambda: _DECODER.decode(repaired)), end


def parse_json(text: str) -> object:
    """Read a text that is one JSON value and nothing else. Raises `FormatError`."""
    text = text.strip()
    found, end = read_json(text, 0)
    if text[end:].strip("} \n\t"):
        raise FormatError(Message("format.json_rest"))
    return found


def _decode(decode: Callable[[], Any]) -> Any:
    try:
        return decode()
    except RecursionError:
        raise FormatError(Message("format.json_deep")) from None
    except ValueError as error:
        raise FormatError(Message("format.json_invalid", reason=str(error)[:80])) from None


def _repair(text: str, at: int) -> tuple[str, int]:
    """Remove commas before a closing bracket, and add missing `}` before a closing tag."""
    written: list[str] = []
    opened: list[str] = []
    while at < len(text):
        piece = _TOKEN.match(text, at)
        if piece is None:
            raise FormatError(Message("format.json_quote"))
        if piece[0].startswith("</") and "[" not in opened:
            return "".join(written) + "}" * len(opened), at
        at = piece.end()
        _write(piece[0], written, opened)
        if not opened:
            return "".join(written), at
    raise FormatError(Message("format.json_open"))


def _write(piece: str, written: list[str], opened: list[str]) -> None:
    if piece.isspace():
        written.append(" ")
    elif piece in _CLOSES:
        _close(piece, written, opened)
    else:
        if piece in "{[":
            opened.append(piece)
        written.append(_to_json(piece))


def _close(piece: str, written: list[str], opened: list[str]) -> None:
    while written and written[-1] in (" ", ","):
        written.pop()
    if not opened or opened.pop() != _CLOSES[piece]:
        raise FormatError(Message("format.json_bracket", sign=piece))
    written.append(piece)


def _to_json(piece: str) -> str:
    if piece.startswith("'"):
        inner = re.sub(r"\\(.)|(\")", _requote, piece[1:-1], flags=re.DOTALL)
        return f'"{inner}"'
    return _WORDS.get(piece, piece)


def _requote(found: re.Match[str]) -> str:
    if found[2]:
        return '\\"'
    return "'" if found[1] == "'" else found[0]


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise FormatError(Message("format.json_twice"))
    return found


def _parse_int(digits: str) -> float:
    return int(digits) if len(digits) < 20 else _parse_float(digits)


def _parse_float(digits: str) -> float:
    """Refuse NaN, Infinity and 1e999, which Python reads."""
    found = float(digits)
    if not math.isfinite(found):
        raise FormatError(Message("format.json_number", digits=digits[:20]))
    return found


_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_make_object,
    parse_int=_parse_int,
    parse_float=_parse_float,
    parse_constant=_parse_float,
)
