"""Qwen3-VL: `computer_use` calls as JSON between <tool_call> tags, places in thousandths."""

from __future__ import annotations

from types import MappingProxyType

from ..types import FormatError, ParsedReply
from . import computer_use, tool_calls
from .family import Family
from .received_reply import ReceivedReply

TEACHING = (
    "Write one sentence and then one call, such as "
    '<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": '
    "[500, 300]}}</tool_call>."
)


class Qwen3VL(Family):
    name = "qwen3_vl"
    sampling = MappingProxyType({"temperature": 0.0, "top_p": 0.9})
    teaching = TEACHING

    def read(self, reply: ReceivedReply) -> ParsedReply:
        words, calls = tool_calls.read_calls(reply, self.teaching)
        if not calls:
            raise FormatError(f"There was no call in the reply. {self.teaching}")
        return ParsedReply(words, computer_use.actions(calls, reply.space))
