"""GLM-4.1V, 4.5V, 4.6V: one call as code between box marks, then the model's memory.

    The dialog is open. <|begin_of_box|>left_click(start_box='[586, 446]')<|end_of_box|>
    Memory: [{"file": "a.txt"}]

Points are thousandths. The memory is part of the answer, and later requests contain it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ..messages import Message, sentences
from ..types import Action, Done, Fail, FormatError, ParsedReply, Reply, ToolCall, Wait
from . import action_readers, call_syntax
from .action_readers import Reader, click
from .base_dialect import BaseDialect
from .coordinates import CoordinateSpace, quote
from .endings import parse_ending, parse_marked

_BOX = "<|begin_of_box|>"
_START = re.compile(
    r"(?P<box><\|begin_of_box\|>)|^[ \t]*Memory[ \t]*[:：]", re.IGNORECASE | re.MULTILINE
)
_END = re.compile(r"\s*(?:```)?\s*<\|end_of_box\|>")
_MEMORY = re.compile(r"^[ \t]*Memory[ \t]*[:：]", re.IGNORECASE | re.MULTILINE)
_CALL = re.compile(
    r"(?:^|(?<=Action:)|(?<=Action：))[ \t]*(?=[A-Za-z_]{3,20}[ \t]?\()", re.MULTILINE
)
_TEACHING = Message(
    "format.write_box", example="<|begin_of_box|>left_click(start_box='[500, 300]')<|end_of_box|>"
)


class GlmV(BaseDialect):
    find_call_end = staticmethod(call_syntax.find_call_end)
    argument_names: Mapping[str, str] = {
        "at": "start_box 0",
        "end": "end_box 1",
        "held": "hold_keys",
        "keys": "keys 0",
        "text": "content 0",
        "amount": "step",
        "answer": "content 0",
        "reason": "content 0",
        "question": "content 0",
    }
    actions: Mapping[str, Reader] = {
        "left_click": click(),
        "right_click": click("right"),
        "middle_click": click("middle"),
        "hover": action_readers.move,
        "left_double_click": click(count=2),
        "left_drag": action_readers.drag_between,
        "key": action_readers.press_keys,
        "type": action_readers.type_text(),
        "scroll": action_readers.scroll,
        "wait": lambda _: Wait(seconds=5),
        "done": action_readers.finish,
        "fail": action_readers.fail,
        "ask": action_readers.ask,
    }
    aliases: Mapping[str, Reader] = {
        "click": click(),
        "double_click": click(count=2),
        "left_triple_click": click(count=3),
    }

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        words, calls = _split_calls(reply.text)
        calls += reply.calls
        answer = reply.text.partition(_BOX)[0] if _BOX in reply.text else words
        answer = _MEMORY.split(answer, maxsplit=1)[0].strip()
        if not calls:
            return ParsedReply(words, (parse_ending(answer),), _read_notes(words))
        actions = _explain_ending(self.join_calls(calls, space), answer)
        return ParsedReply(words, actions, _read_notes(words))


def _split_calls(text: str) -> tuple[str, list[ToolCall]]:
    """Return the words, and the calls between box marks before the memory."""
    words: list[str] = []
    calls: list[ToolCall] = []
    at = 0
    while (start := _START.search(text, at)) and start["box"]:
        words.append(text[at : start.start()].strip())
        found, at = call_syntax.read_calls(text, start.end())
        calls += found
        at = _skip_end(text, at)
    if not at:
        return _split_unboxed(text, start.start() if start else len(text))
    return "\n".join(filter(None, [*words, text[at:].strip()])), calls


def _skip_end(text: str, start: int) -> int:
    end = _END.match(text, start)
    if end is None:
        _refuse_rest(text[start:].strip())
        raise FormatError(sentences(Message("format.box_open"), _TEACHING))
    return end.end()


def _refuse_rest(rest: str) -> None:
    if rest:
        raise FormatError(sentences(Message("format.not_call", value=quote(rest)), _TEACHING))


def _split_unboxed(text: str, memory: int) -> tuple[str, list[ToolCall]]:
    """Return the words, and the calls at the beginning of lines before the memory."""
    start = _CALL.search(text, 0, memory)
    if start is None:
        return text.strip(), []
    calls, end = call_syntax.read_calls(text[:memory], start.end())
    _refuse_rest(text[end:memory].strip("` \t\r\n;"))
    return f"{text[: start.start()].strip()}\n{text[memory:].strip()}".strip(), calls


def _explain_ending(actions: tuple[Action, ...], answer: str) -> tuple[Action, ...]:
    """Add the words before DONE() and FAIL(), which have no arguments, as their explanation."""
    *others, last = actions
    if isinstance(last, Done) and not last.answer:
        return (*others, parse_marked(answer))
    if isinstance(last, Fail) and not last.reason:
        return (*others, Fail(reason=answer))
    return actions


def _read_notes(words: str) -> tuple[str, ...]:
    """Return the entries of the memory; all of it as one entry if it is not a list."""
    memory = "".join(_MEMORY.split(words, maxsplit=1)[1:]).strip()
    try:
        entries = json.loads(memory)
    except (ValueError, RecursionError):
        return (memory,) if memory else ()
    entries = entries if isinstance(entries, list) else [entries]
    return tuple(json.dumps(entry, ensure_ascii=False) for entry in entries if entry)
