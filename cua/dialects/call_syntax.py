"""Calls as code, `click(point='<point>1 2</point>')`, read by a scanner that knows quotes.

Models put quotes, brackets and line breaks into quoted text without a care; a quote ends a text
only where an argument can end. Nothing is evaluated.
"""

from __future__ import annotations

import re

from ..types import FormatError

_LEAD = re.compile(r"(?:\s|```\w*|</?computer_env>|action[ \t]*[:：])*", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[\s;；,]|action[ \t]*[:：])*", re.IGNORECASE)
START = re.compile(r"\b(?=[A-Za-z_]\w{1,40}[ \t]?[(（]\s*(?:[)）'\"\[<]|\w{1,40}\s*=))")
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

Call = tuple[str, dict[str, object]]


def calls_at(text: str, at: int) -> tuple[list[Call], int]:
    """Read the calls that stand from an index on; return them and the end of the last one.

    Raises `FormatError` for one that is not complete.
    """
    calls: list[Call] = []
    end = at
    lead = _LEAD.match(text, at)
    while lead and (found := call_at(text, lead.end())):
        call, end = found
        calls.append(call)
        lead = _BETWEEN.match(text, end)
    return calls, end


def call_end(text: str, at: int, before: int) -> int | None:
    """See `wrapping.CallEnd`. Raises `FormatError`."""
    start = START.search(text, at, before)
    found = call_at(text, start.end()) if start else None
    return found[1] if found else None


def call_at(text: str, at: int) -> tuple[Call, int] | None:
    """The call that begins at an index and where it ends; None if none begins there.

    Arguments without a name are called "0", "1" and so on. Raises `FormatError` if it has no end.
    """
    name = _NAME.match(text, at)
    if name is None:
        return None
    arguments: dict[str, object] = {}
    at = name.end()
    while True:
        end = _NEXT.match(text, at)
        if end and end[2]:
            return (name[1], arguments), end.end()
        at = end.end() if end else at
        key = _KEY.match(text, at)
        assert key is not None
        value, at = _value(text, key.end(), name[1])
        arguments[key[1] or str(len(arguments))] = value
        if not _NEXT.match(text, at):
            raise FormatError(f"The call of {name[1]} has no closing bracket.")


def _value(text: str, at: int, name: str) -> tuple[str, int]:
    quoted = _QUOTED[text[at]].match(text, at) if text[at : at + 1] in _QUOTED else None
    if quoted:
        return _unescaped(quoted[1]), quoted.end()
    bare = _BARE.match(text, at)
    if bare is None:
        raise FormatError(f"The call of {name} is not complete: an argument has no end.")
    return bare[0], bare.end()


def _unescaped(text: str) -> str:
    r"""With `\n`, `\t`, `\'`, `\"` and `\\` as what they stand for."""
    return re.sub(r"\\([ntr'\"\\])", lambda found: _ESCAPES[found[1]], text)
