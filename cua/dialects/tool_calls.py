"""Parse function calls in a model's text: JSON between tags, JSON alone, or nested tags.

    <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>
    <tool_call><function=f><parameter=a>1</parameter></function></tool_call>

Common mistakes of models are tolerated; anything ambiguous refuses the whole text.
"""

from __future__ import annotations

import json
import re

from ..messages import Message, sentences
from ..types import FormatError, Reply, ToolCall
from . import loose_json

START = re.compile(
    r"<(?:\w+:)?tool_call>(?:\s|```\w*)*(?=[{\[]|<function=)|(?=<function=)|^[ \t]*(?=\{|\[\s*\{)",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(r"</?(?:\w+:)?tool_call>", re.IGNORECASE)
_AFTER = re.compile(r"(?:[\s}\],]|```\w*)*")
_FUNCTION = re.compile(r"<function=\s*([^>\s]{1,80})\s*>", re.IGNORECASE)
_PARAMETER = re.compile(r"\s*<parameter=\s*([^>\s]{1,80})\s*>", re.IGNORECASE)
_FUNCTION_END = re.compile(r"\s*</function>\s*", re.IGNORECASE)
_PARAMETER_END = re.compile(r"</parameter>(?=\s*(?:<parameter=|</function>))", re.IGNORECASE)
_PARAMETER_TAG = re.compile(r"<(/?)parameter\b", re.IGNORECASE)
_OPENING = re.compile(r"<(?:\w+:)?tool_call>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*[\w+-]{0,20}[ \t]*\r?$", re.MULTILINE)
_STRAY = re.compile(r"</?(?:parameter|function)\b", re.IGNORECASE)


def read_calls(reply: Reply, format_hint: str, *, last: bool = False) -> tuple[str, list[ToolCall]]:
    """Return the text of a reply and its calls: those of the server, else those in its text.

    Some servers leave the calls in the text too; other calls there are examples. Raises
    `FormatError`, which ends with `format_hint`.
    """
    try:
        words, calls = split_calls(reply.text, last=last)
    except FormatError as error:
        if reply.calls:
            return reply.text.strip(), list(reply.calls)
        raise FormatError(sentences(error.message, format_hint)) from None
    return words, list(reply.calls) or calls


def format_call(name: str, arguments: str) -> str:
    """Return a call in the form that most models were trained on; `arguments` are JSON."""
    return f'<tool_call>\n{{"name": {json.dumps(name)}, "arguments": {arguments}}}\n</tool_call>'


def split_calls(text: str, *, last: bool = False) -> tuple[str, list[ToolCall]]:
    """Return the words around the calls, and the calls. Raises `FormatError`.

    `last`: refuse words after a call, so that an example in a text is not executed.
    """
    words: list[str] = []
    calls: list[ToolCall] = []
    at = 0
    while start := START.search(text, at):
        words.append(text[at : start.start()])
        found, at = _read_calls(text, start)
        calls += found
    words.append(text[at:])
    if any(map(_OPENING.search, words)):
        raise FormatError(Message("format.call_not_json"))
    if calls and any(map(_STRAY.search, words)):
        raise FormatError(Message("format.stray_tag"))
    if last and any(_FENCE.sub("", each).strip() for each in words[1:]):
        raise FormatError(Message("format.words_behind"))
    return _FENCE.sub("", "".join(words)).strip(), calls


def find_call_end(text: str, start: int, before: int) -> int | None:
    """See `reasoning.FindCallEnd`. Raises `FormatError`."""
    found = START.search(text, start, before)
    return _read_calls(text, found)[1] if found else None


def _read_calls(text: str, start: re.Match[str]) -> tuple[list[ToolCall], int]:
    read = _read_tags if text.startswith("<function=", start.end()) else _read_json
    found, at = read(text, start.end())
    return found, _skip_end(text, at, closes="tool_call>" in start[0].lower())


def _skip_end(text: str, at: int, closes: bool) -> int:
    """Return the index after the closing tag, which models forget. Only space may precede it."""
    at = _skip_after(text, at)
    if not closes:
        return at
    end = _END.search(text, at)
    if end is None or "/" not in end[0]:
        return at
    if text[at : end.start()].strip():
        raise FormatError(Message("format.only_call"))
    return end.end()


def _skip_after(text: str, at: int) -> int:
    found = _AFTER.match(text, at)
    return found.end() if found else at


# --- JSON ----------------------------------------------------------------------------------------


def _read_json(text: str, at: int) -> tuple[list[ToolCall], int]:
    """Read one call, or several one after the other."""
    calls: list[ToolCall] = []
    while True:
        value, at = loose_json.read_json(text, at)
        calls += map(_make_call, value if isinstance(value, list) else [value])
        following = _skip_after(text, at)
        if not text.startswith("{", following):
            return calls, at
        at = following


def _make_call(value: object) -> ToolCall:
    """Make a call of an object, with any of the keys that servers and vendors use."""
    for wrapper in ("function", "function_call", "functionCall"):
        if isinstance(value, dict) and isinstance(value.get(wrapper), dict):
            value = value[wrapper]
    if not isinstance(value, dict):
        raise FormatError(Message("format.call_shape"))
    name = value.get("name", "")
    arguments: object = {key: each for key, each in value.items() if key != "name"}
    for key in ("arguments", "parameters", "args", "input"):
        if value.get(key) is not None and (name or key == "arguments"):
            arguments = value[key]
    if isinstance(arguments, str):
        arguments = loose_json.parse_json(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise FormatError(Message("format.call_shape"))
    return ToolCall(name, arguments)


# --- tags ----------------------------------------------------------------------------------------


def _read_tags(text: str, at: int) -> tuple[list[ToolCall], int]:
    """Read functions one after the other."""
    calls: list[ToolCall] = []
    while function := _FUNCTION.match(text, at):
        arguments, at = _read_parameters(text, function.end())
        end = _FUNCTION_END.match(text, at)
        if end is None:
            raise FormatError(Message("format.function_open", name=function[1]))
        calls.append(ToolCall(function[1], arguments))
        at = end.end()
    if not calls:
        raise FormatError(Message("format.function_nameless"))
    return calls, at


def _read_parameters(text: str, at: int) -> tuple[dict[str, object], int]:
    arguments: dict[str, object] = {}
    while parameter := _PARAMETER.match(text, at):
        end = _find_value_end(text, parameter)
        if parameter[1] in arguments:
            raise FormatError(Message("format.parameter_twice", name=parameter[1]))
        value = text[parameter.end() : end.start()]
        wrapped = len(value) > 1 and value[0] == value[-1] == "\n"
        arguments[parameter[1]] = value[1:-1] if wrapped else value
        at = end.end()
    return arguments, at


def _find_value_end(text: str, parameter: re.Match[str]) -> re.Match[str]:
    """Return the closing tag of a parameter, after any whole calls that its text quotes."""
    at, depth = parameter.end(), 0
    while end := _PARAMETER_END.search(text, at):
        tags = _PARAMETER_TAG.findall(text, at, end.start())
        depth += len(tags) - 2 * tags.count("/")
        if depth == 0:
            return end
        at, depth = end.end(), depth - 1
    raise FormatError(Message("format.parameter_open", name=parameter[1]))
