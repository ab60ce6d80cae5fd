"""Function calls in a model's text: JSON between tags, JSON alone, or tags all the way down.

    <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>
    <tool_call><function=f><parameter=a>1</parameter></function></tool_call>

Both forms, with the slips that models make in them; what is still unclear refuses the whole text.
"""

from __future__ import annotations

import re

from ..types import FormatError, ToolCall
from . import loose_json
from .family import Heard
from .wrapping import without_fences

_START = re.compile(
    r"<(?:\w+:)?tool_call>(?:\s|```\w*)*|(?=<function=)|^[ \t]*(?=\{|\[\s*\{)",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(r"</?(?:\w+:)?tool_call>", re.IGNORECASE)
_AFTER = re.compile(r"(?:[\s}\],]|```\w*)*")
_SPACE = re.compile(r"\s*")
_FUNCTION = re.compile(r"<function=\s*([^>\s]{1,80})\s*>", re.IGNORECASE)
_PARAMETER = re.compile(r"\s*<parameter=\s*([^>\s]{1,80})\s*>", re.IGNORECASE)
_FUNCTION_END = re.compile(r"\s*</function>", re.IGNORECASE)
_NO_CALL = "A call is a JSON object with a name and arguments."
_PARAMETER_END = "</parameter>"


def heard(reply: Heard, teaching: str) -> tuple[str, list[ToolCall]]:
    """The words of a reply and all its calls, those included that the server took out of the text.

    Raises `FormatError`, which ends with `teaching`.
    """
    try:
        words, calls = split(reply.text)
    except FormatError as error:
        raise FormatError(f"{error} {teaching}") from None
    told = [(call.name, call.arguments) for call in calls]  # some servers leave them in the text
    return words, calls + [each for each in reply.calls if (each.name, each.arguments) not in told]


def split(text: str) -> tuple[str, list[ToolCall]]:
    """The words around the calls, and the calls. Raises `FormatError`."""
    words: list[str] = []
    calls: list[ToolCall] = []
    at = 0
    while start := _START.search(text, at):
        words.append(text[at : start.start()])
        if text.startswith("<function=", start.end()):
            found, at = _tagged(text, start.end())
        else:
            found, at = _json(text, start.end())
        calls += found
        at = _past_end(text, at, closes="tool_call>" in start[0].lower())
    words.append(text[at:])
    return without_fences("".join(words)).strip(), calls


def _past_end(text: str, at: int, closes: bool) -> int:
    """Past the closing tag, which models forget; but nothing else may stand before it."""
    at = _past(_AFTER, text, at)
    if not closes:
        return at
    end = _END.search(text, at)
    if end is None or "/" not in end[0]:
        return at
    if text[at : end.start()].strip():
        raise FormatError("Between <tool_call> and </tool_call> nothing but the call may stand.")
    return end.end()


def _past(what: re.Pattern[str], text: str, at: int) -> int:
    found = what.match(text, at)
    return found.end() if found else at


# --- JSON ----------------------------------------------------------------------------------------


def _json(text: str, at: int) -> tuple[list[ToolCall], int]:
    """One call, or several one after the other."""
    calls: list[ToolCall] = []
    while True:
        value, at = _value(text, at)
        calls += _calls(value)
        following = _past(_AFTER, text, at)
        if not text.startswith("{", following):
            return calls, at
        at = following


def _value(text: str, at: int) -> tuple[object, int]:
    if not text.startswith(("{", "["), at):
        raise FormatError("What stands after <tool_call> is not JSON.")
    try:
        return loose_json.value_at(text, at)
    except FormatError:
        end = _END.search(text, at)
        stop = end.start() if end else len(text)
        return loose_json.value(text[at:stop].rstrip("` \n\r\t")), stop


def _calls(value: object) -> list[ToolCall]:
    if isinstance(value, list):
        return [_call(each) for each in value]
    return [_call(value)]


def _call(value: object) -> ToolCall:
    """By the names that servers and vendors give to the parts of a call."""
    for wrapper in ("function", "function_call", "functionCall"):
        if isinstance(value, dict) and isinstance(value.get(wrapper), dict):
            value = value[wrapper]
    if not isinstance(value, dict):
        raise FormatError(_NO_CALL)
    name = value.get("name", "")
    arguments: object = {key: each for key, each in value.items() if key != "name"}
    for key in ("arguments", "parameters", "args", "input"):
        if value.get(key) is not None and (name or key == "arguments"):
            arguments = value[key]
    if isinstance(arguments, str):
        arguments = loose_json.value(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise FormatError(_NO_CALL)
    return ToolCall(name, arguments)


# --- tags ----------------------------------------------------------------------------------------


def _tagged(text: str, at: int) -> tuple[list[ToolCall], int]:
    """The functions that stand one after the other."""
    calls: list[ToolCall] = []
    while function := _FUNCTION.match(text, at):
        arguments, at = _parameters(text, function.end())
        at = _past(_FUNCTION_END, text, at)
        calls.append(ToolCall(function[1], arguments))
        at = _past(_SPACE, text, at)
    if not calls:
        raise FormatError("A function's name is missing: write <function=NAME>.")
    return calls, at


def _parameters(text: str, at: int) -> tuple[dict[str, object], int]:
    arguments: dict[str, object] = {}
    while parameter := _PARAMETER.match(text, at):
        end = text.find(_PARAMETER_END, parameter.end())
        value = text[parameter.end() : end]
        if end < 0 or "<parameter=" in value:
            raise FormatError(f"The parameter {parameter[1]} has no closing </parameter>.")
        if parameter[1] in arguments:
            raise FormatError(f"The parameter {parameter[1]} stands twice in one call.")
        arguments[parameter[1]] = value.removeprefix("\n").removesuffix("\n")
        at = end + len(_PARAMETER_END)
    return arguments, at
