"""Qwen3-VL: `computer_use` calls as JSON between <tool_call> tags, places in thousandths."""

from __future__ import annotations

from ..types import FormatError, Turn
from . import computer_use, tool_calls
from .family import Family, Heard

TEACHING = (
    "Write one sentence and then one call, such as "
    '<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": '
    "[500, 300]}}</tool_call>."
)


class Qwen3VL(Family):
    name = "qwen3_vl"

    def read(self, heard: Heard) -> Turn:
        try:
            words, calls = tool_calls.split(heard.text)
        except FormatError as error:
            raise FormatError(f"{error} {TEACHING}") from None
        calls += [call for call in heard.calls if call not in calls]
        if not calls:
            raise FormatError(f"There was no call in the reply. {TEACHING}")
        return Turn(words, computer_use.actions(calls, heard.space))
