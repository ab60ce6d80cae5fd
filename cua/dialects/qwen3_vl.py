"""Qwen3-VL: `computer_use` calls as JSON between <tool_call> tags, points in thousandths.

EvoCUA in its second style and GUI-Owl 1.5 write the same; GUI-Owl 1 and MAI-UI think in tags of
their own.
"""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType

from ..messages import Message
from ..types import ParsedReply, Reply
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
    """Its servers resize to multiples of 28 by themselves, so that is the size that is sent."""

    coordinate_space = None
    factor = 28


class GuiOwl(Qwen25VL):
    """It writes a <thinking> and a <conclusion>, and asks with `interact`."""

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
