"""Calls as code, `click(point='<point>1 2</point>')`, read by a scanner that knows quotes.

Models do not escape quotes, brackets and line breaks in quoted text; a quote ends a text only where
an argument can end. Nothing is evaluated.
"""

from __future__ import annotations

import re

from ..messages import Message
from ..types import FormatError, ToolCall

START = re.compile(r"\b(?=[A-Za-z_]\w{1,40}[ \t]?[(（]\s*(?:[)）'\"\[<]|\w{1,40}\s*=))")
_LEAD = re.compile(r"(?:\s|```\w*|</?computer_env>|action[ \t]*[:：])*", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[\s;；,]|action[ \t]*[:：])*", re.IGNORECASE)
_NAME = re.compile(r"([A-Za-z_]\w{0,40})[ \t]*[(（]")
_KEY = re.compile(r"\s*(?:([A-Za-z_]\w{0,40})\s*=\s*)?")
_FOLLOWED = r"(?=\s*(?:[)）]|,\s*(?:\w{1,40}\s*=|['\"\[\d])))"
_QUOTED = {
    quote: re.compile(rf"{quote}((?:\\.|[^\\])*?){quote}{_FOLLOWED}", re.DOTALL) for quote in "'\""
}
_BARE = re.compile(
    r"\[[^\]\n]{0,120}\]|\([^)\n]{0,120}\)|<[^,)\n]{0,120}|[^\s,()（）'\"]{1,80}(?:[ ][\d.]{1,20})?"
)
_NEXT = re.compile(r"\s*(?:(,)\s*|([)）]))")
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "'": "'", '"': '"', "\\": "\\"}


def read_calls(text: str, start: int) -> tuple[list[ToolCall], int]:
    """Read the calls from an index on; return them and the end of the last one.

    Raises `FormatError` for an incomplete call.
    """
    calls: list[ToolCall] = []
    end = start
    lead = _LEAD.match(text, start)
    while lead and (found := _read_call(text, lead.end())):
        call, end = found
        calls.append(call)
        lead = _BETWEEN.match(text, end)
    return calls, end


def find_call_end(text: str, start: int, before: int) -> int | None:
    """See `reasoning.FindCallEnd`. Raises `FormatError`."""
    found = START.search(text, start, before)
    call = _read_call(text, found.end()) if found else None
    return call[1] if call else None


def _read_call(text: str, start: int) -> tuple[ToolCall, int] | None:
    """Return the call that begins at an index and its end; None if none begins there.

    Arguments without a name are called "0", "1" and so on. Raises `FormatError` if it has no end.
    """
    name = _NAME.match(text, start)
    if name is None:
        return None
    arguments: dict[str, object] = {}
    at = name.end()
    while True:
        end = _NEXT.match(text, at)
        if end and end[2]:
            return ToolCall(name[1], arguments), end.end()
        at = end.end() if end else at
        key = _KEY.match(text, at)
        assert key is not None
        value, at = _read_value(text, key.end(), name[1])
        arguments[key[1] or str(len(arguments))] = value
        if not _NEXT.match(text, at):
            raise FormatError(Message("format.bracket_open", name=name[1]))


def _read_value(text: str, start: int, name: str) -> tuple[str, int]:
    quote = _QUOTED.get(text[start : start + 1])
    quoted = quote.match(text, start) if quote else None
    if quoted:
        return _unescape(quoted[1]), quoted.end()
    bare = _BARE.match(text, start)
    if bare is None:
        raise FormatError(Message("format.argument_open", name=name))
    return bare[0], bare.end()


def _unescape(text: str) -> str:
    return re.sub(r"\\([ntr'\"\\])", lambda found: _ESCAPES[found[1]], text)
