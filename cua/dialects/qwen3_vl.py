"""Qwen3-VL: `computer_use` calls as JSON between <tool_call> tags, points in thousandths."""

from __future__ import annotations

from types import MappingProxyType

from ..messages import Message
from .computer_use import ComputerUse


class Qwen3VL(ComputerUse):
    name = "qwen3_vl"
    format_hint = Message(
        "format.write_call",
        example='<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", '
        '"coordinate": [500, 300]}}</tool_call>',
    )
    sampling = MappingProxyType({"temperature": 0.0, "top_p": 0.9})
