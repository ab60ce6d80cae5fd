"""Qwen3-VL: `computer_use` calls as JSON between <tool_call> tags, points in thousandths.

EvoCUA in its second style and GUI-Owl 1.5 write the same.
"""

from __future__ import annotations

from types import MappingProxyType

from ..messages import Message
from .computer_use import ComputerUse


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
