"""Qwen3.5 and later: `computer_use` calls in tags all the way down, places in thousandths.

From 3.8 on the model may end a task by just saying so, and asks with `call_user`.
"""

from __future__ import annotations

import json

from ..types import FormatError, ToolCall, Turn
from . import computer_use, tool_calls
from .endings import ending
from .family import Family, Heard

TEACHING = (
    "Write one sentence and then one call, such as <tool_call><function=computer_use>"
    "<parameter=action>left_click</parameter><parameter=coordinate>[500, 300]</parameter>"
    "</function></tool_call>."
)


class Qwen35(Family):
    name = "qwen35"
    around = ("<tool_response>", "</tool_response>")

    def read(self, heard: Heard) -> Turn:
        words, calls = tool_calls.heard(heard, TEACHING)
        if not calls:
            return self.without_call(words)
        return Turn(words, computer_use.actions(calls, heard.space))

    def without_call(self, _: str) -> Turn:
        raise FormatError(f"There was no call in the reply. {TEACHING}")

    def written(self, call: ToolCall) -> str:
        parameters = "".join(
            f"<parameter={name}>\n{_value(value)}\n</parameter>\n"
            for name, value in call.arguments.items()
        )
        return f"<tool_call>\n<function={call.name}>\n{parameters}</function>\n</tool_call>"


class Qwen38(Qwen35):
    name = "qwen38"

    def without_call(self, words: str) -> Turn:
        return Turn(words, (ending(words),))


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
