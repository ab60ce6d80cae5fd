"""Qwen and its descendants: `computer_use` calls between <tool_call> tags, points in thousandths.

Up to Qwen3-VL a call is JSON. EvoCUA in its second style and GUI-Owl 1.5 write the same; GUI-Owl 1
and MAI-UI think in tags of their own. From Qwen3.5 on a call is only tags; from 3.8 on the model
may end a task in plain text, and asks with `call_user`. The actions are in computer_use.py.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import MappingProxyType

from ..messages import Message
from ..types import ParsedReply, Reply, ToolCall
from .computer_use import ComputerUse
from .coordinates import CoordinateSpace

_CONCLUSION = re.compile(r"</?conclusion>", re.IGNORECASE)


class Qwen3VL(ComputerUse):
    format_hint = Message(
        "format.write_call",
        example='<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", '
        '"coordinate": [500, 300]}}</tool_call>',
    )
    sampling = MappingProxyType({"temperature": 0.0, "top_p": 0.9})


class Qwen25VL(Qwen3VL):
    """Its servers resize to multiples of 28, so screenshots are sent in such a size."""

    coordinate_space = None
    factor = 28


class GuiOwl(Qwen25VL):
    """Writes a <thinking> and a <conclusion>, and asks with `interact`."""

    shows_thinking = True

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        parsed = super().read(reply, space)
        return replace(parsed, thought=_CONCLUSION.sub("", parsed.thought))


class MaiUi(Qwen3VL):
    """Made for phones, but only its verbs that a mouse and a keyboard have are understood here:
    swipe, long_press, system_button and open are refused. A point may also be a box. It asks with
    `ask_user`.
    """

    format_hint = Message(
        "format.write_thinking",
        example='<tool_call>{"name": "mobile_use", "arguments": {"action": "click", '
        '"coordinate": [500, 300]}}</tool_call>',
    )
    coordinate_space = CoordinateSpace(999, 999, Message("format.unit_999"))
    shows_thinking = True


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
