"""Qwen3.5 and later: `computer_use` calls in tags all the way down, places in thousandths.

From 3.8 on the model may end a task by just saying so, and asks with `call_user`.
"""

from __future__ import annotations

import json

from ..types import FormatError, ParsedReply, ToolCall
from . import computer_use, tool_calls
from .endings import parse_ending
from .family import Family
from .received_reply import ReceivedReply

TEACHING = (
    "Write one sentence and then one call, such as <tool_call><function=computer_use>"
    "<parameter=action>left_click</parameter><parameter=coordinate>[500, 300]</parameter>"
    "</function></tool_call>."
)


class Qwen35(Family):
    name = "qwen35"
    around = ("<tool_response>", "</tool_response>")

    def read(self, reply: ReceivedReply) -> ParsedReply:
        words, calls = tool_calls.read_calls(reply, TEACHING, last=self.ends_by_text)
        if not calls:
            return self.end_without_call(words)
        return ParsedReply(words, computer_use.actions(calls, reply.space))

    def end_without_call(self, _: str) -> ParsedReply:
        raise FormatError(f"There was no call in the reply. {TEACHING}")

    def call_text(self, call: ToolCall) -> str:
        parameters = "".join(
            f"<parameter={name}>\n{_value(value)}\n</parameter>\n"
            for name, value in call.arguments.items()
        )
        return f"<tool_call>\n<function={call.name}>\n{parameters}</function>\n</tool_call>"


class Qwen38(Qwen35):
    name = "qwen38"
    ends_by_text = True

    def end_without_call(self, words: str) -> ParsedReply:
        return ParsedReply(words, (parse_ending(words),))


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
