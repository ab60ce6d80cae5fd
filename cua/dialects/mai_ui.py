"""MAI-UI: Qwen's calls after a <thinking>; made for phones, but only its verbs that a mouse and a
keyboard have are understood here: swipe, long_press, system_button and open are refused.

A point may also be a box. It asks with `ask_user`; coordinates count to 999.
"""

from __future__ import annotations

from ..messages import Message
from .coordinates import CoordinateSpace
from .qwen3_vl import Qwen3VL


class MaiUi(Qwen3VL):
    format_hint = Message(
        "format.write_thinking",
        example='<tool_call>{"name": "mobile_use", "arguments": {"action": "click", '
        '"coordinate": [500, 300]}}</tool_call>',
    )
    coordinate_space = CoordinateSpace(999, 999, Message("format.unit_999"))
    shows_thinking = True
