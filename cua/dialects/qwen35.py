"""Qwen3.5 and later: `computer_use` calls in tags all the way down, points in thousandths.

From 3.8 on the model may end a task by just saying so, and asks with `call_user`.
"""

from __future__ import annotations

import json

from ..messages import Message
from ..types import ToolCall
from .computer_use import ComputerUse


class Qwen35(ComputerUse):
    format_hint = Message(
        "format.write_call",
        example="<tool_call><function=computer_use><parameter=action>left_click</parameter>"
        "<parameter=coordinate>[500, 300]</parameter></function></tool_call>",
    )
    around = ("<tool_response>", "</tool_response>")

    def call_text(self, call: ToolCall) -> str:
        parameters = "".join(
            f"<parameter={name}>\n{_format_value(value)}\n</parameter>\n"
            for name, value in call.arguments.items()
        )
        return f"<tool_call>\n<function={call.name}>\n{parameters}</function>\n</tool_call>"


class Qwen38(Qwen35):
    ends_by_text = True


def _format_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
