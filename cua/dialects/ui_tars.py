"""UI-TARS in all its versions: `Thought: … Action: click(point='<point>x y</point>')`.

1.0 and the hosted Doubao models, which write points instead of boxes, count in thousandths, 1.5 in
pixels of the resized screenshot. The grammar is the same, so the unit depends on the version alone.
2 and Seed write the calls in tags.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..messages import Message, sentences
from ..types import Ask, Done, FormatError, ParsedReply, Reply, ToolCall
from . import action_readers, call_syntax, tool_calls
from .action_readers import Reader, click
from .arguments import Arguments
from .base_dialect import BaseDialect
from .coordinates import CoordinateSpace, quote

_LABEL = re.compile(
    r"^[ \t]*(?:thought|reflection|action_summary|(?P<action>action)|observation|memory)"
    r"[ \t]*[:：][ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(
    r"^[ \t]*(?P<action>action)[ \t]*[:：]|<(?:\w+:)?tool_call>|<function=",
    re.IGNORECASE | re.MULTILINE,
)
_EITHER = re.compile(
    rf"(?P<tag>{tool_calls.START.pattern})|{call_syntax.START.pattern}",
    re.IGNORECASE | re.MULTILINE,
)
_TAGS = re.compile(r"</?(?:output|computer_env|thought)>|```\w*", re.IGNORECASE)
_ANSWER = re.compile(r"\s*<answer>(?:(.*)</answer>\s*)?", re.IGNORECASE | re.DOTALL)
_LINE_CALL = re.compile(r"^[ \t]*(?=[a-z_]{2,20}[ \t]?\()", re.MULTILINE)


def _ask(arguments: Arguments) -> Ask:
    return Ask(question=arguments.text("question"))


class UiTars(BaseDialect):
    format_hint = Message("format.write_action")
    find_call_end = staticmethod(call_syntax.find_call_end)
    sampling = MappingProxyType({"temperature": 0.0})
    argument_names: Mapping[str, str] = {
        "at": "start_point start_box point 0",
        "end": "end_point end_box 1",
        "keys": "key keys 0",
        "text": "content text 0",
        "seconds": "time",
        "answer": "content 0",
        "question": "content",
    }
    actions: Mapping[str, Reader] = {
        "click": click(),
        "left_double": click(count=2),
        "right_single": click("right"),
        "drag": action_readers.drag_between,
        "hotkey": action_readers.press_keys,
        "type": action_readers.type_text(),
        "scroll": action_readers.scroll,
        "wait": action_readers.wait(5),
        "finished": action_readers.finish,
        "call_user": _ask,
    }
    aliases: Mapping[str, Reader] = {
        "left_single": click(),
        "double_click": click(count=2),
        "right_click": click("right"),
        "middle_click": click("middle"),
        "left_triple": click(count=3),
        "select": action_readers.drag_between,
        "move_to": action_readers.move,
        "hover": action_readers.move,
        "press": action_readers.change_keys(down=True),
        "release": action_readers.change_keys(down=False),
        "mouse_down": action_readers.change_button(down=True),
        "mouse_up": action_readers.change_button(down=False),
        "take_screenshot": action_readers.take_screenshot,
        "open_computer": action_readers.take_screenshot,
    }

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        answer = _ANSWER.match(reply.text)
        if answer:
            return ParsedReply("", (_read_answer(reply.text, answer),))
        parsed = super().read(reply, space)
        question = Ask(question=parsed.thought or Message("format.model_asks"))
        actions = (question if each == Ask(question="") else each for each in parsed.actions)
        return replace(parsed, actions=tuple(actions))

    def split_calls(self, reply: Reply) -> tuple[str, list[ToolCall]]:
        words, calls = _split_calls(reply.text)
        return words, [*calls, *reply.calls]


class UiTars15(UiTars):
    coordinate_space = None
    factor = 28


class UiTars2(UiTars):
    def split_calls(self, reply: Reply) -> tuple[str, list[ToolCall]]:
        first = _FIRST.search(reply.text)
        if first is None or first["action"]:
            return super().split_calls(reply)
        return tool_calls.read_calls(reply, _TEACHING_2)

    def find_call_end(self, text: str, start: int, before: int) -> int | None:
        found = _EITHER.search(text, start, before)
        if found is None:
            return None
        if found["tag"]:
            return tool_calls.find_call_end(text, found.start(), before)
        return super().find_call_end(text, found.start(), before)


_TEACHING_2 = Message(
    "format.write_call",
    example="<seed:tool_call><function=click><parameter=point><point>500 300</point></parameter>"
    "</function></seed:tool_call>",
)


def _split_calls(text: str) -> tuple[str, list[ToolCall]]:
    """Return the words, and the calls after the first `Action:`, which end the reply.

    In a text without any label the calls start at the first line that begins with one.
    """
    labels = list(_LABEL.finditer(text))
    start = next((label for label in labels if label["action"]), None)
    if start is None and not labels:
        start = _LINE_CALL.search(text)
    if start is None:
        return text.strip(), []
    calls, end = call_syntax.read_calls(text, start.end())
    rest = _TAGS.sub("", text[end:]).strip()
    if rest:
        message = Message("format.not_call", value=quote(rest))
        raise FormatError(sentences(message, Message("format.only_calls")))
    return _LABEL.sub("", _TAGS.sub("", text[: start.start()])).strip(), calls


def _read_answer(text: str, answer: re.Match[str]) -> Done:
    if answer[1] is None or answer.end() < len(text):
        raise FormatError(Message("format.answer_open"))
    return Done(answer=answer[1].strip())
