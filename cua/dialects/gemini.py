"""Gemini's computer-use functions of both generations (`click_at`, `click`), in thousandths.

Browser functions are translated to shortcuts. Calls that the service wants confirmed are shown to
the person before any of the reply is executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..messages import Message
from ..types import Action, ToolCall, Wait
from . import action_readers, computer_use, fields
from .action_readers import Reader, click, press
from .arguments import Arguments
from .base_dialect import BaseDialect
from .coordinates import CoordinateSpace, parse_number
from .press_release import Part

_UNITS = {"magnitude_in_wheel_clicks": 1, "magnitude_in_pixels": 100, "magnitude": 125}
"""Unit of a scroll's length -> units per wheel notch; roughly for `magnitude`, in thousandths of
the screen's height."""


def _scroll(unit: str, default: int) -> Reader:
    """`default`: length in `unit` of a scroll without one."""

    def read(arguments: Arguments) -> Action:
        named = next((name for name in _UNITS if arguments.given.get(name) is not None), unit)
        length = parse_number(arguments.given.get(named) or default) / _UNITS[named]
        notches = max(1, min(100, round(abs(length))))
        return fields.make_scroll(arguments.find_point(), arguments.get("direction"), notches, ())

    return read


class Gemini(BaseDialect):
    format_hint = Message(
        "format.write_json", example='{"name": "click", "args": {"x": 500, "y": 300}}'
    )
    returns_calls = True
    ends_by_text = True
    argument_names: Mapping[str, str] = {
        **computer_use.ARGUMENT_NAMES,
        "at": f"start_x,start_y {computer_use.ARGUMENT_NAMES['at']}",
        "end": "end_x,end_y destination_x,destination_y",
        "field": computer_use.ARGUMENT_NAMES["at"],
        "keys": "keys key",
        "text": "text",
        "clear": "clear_before_typing",
        "enter": "press_enter",
        "seconds": "seconds",
    }
    actions: Mapping[str, Reader] = {
        "click": click(),
        "double_click": click(count=2),
        "triple_click": click(count=3),
        "middle_click": click("middle"),
        "right_click": click("right"),
        "move": action_readers.move,
        "type": action_readers.type_text(clear=True),
        "drag_and_drop": action_readers.drag_between,
        "wait": action_readers.wait(1),
        "press_key": action_readers.press_keys,
        "hotkey": action_readers.press_keys,
        "scroll": _scroll("magnitude_in_pixels", 300),
        "take_screenshot": action_readers.take_screenshot,
        "call_user": action_readers.ask,
    }
    aliases: Mapping[str, Reader] = {
        "click_at": click(),
        "hover_at": action_readers.move,
        "type_text_at": action_readers.type_text(clear=True, enter=True),
        "scroll_document": _scroll("magnitude", 800),
        "scroll_at": _scroll("magnitude", 800),
        "wait_5_seconds": lambda _: Wait(seconds=5),
        "key_combination": action_readers.press_keys,
        "key_down": action_readers.change_keys(down=True),
        "key_up": action_readers.change_keys(down=False),
        "mouse_down": action_readers.change_button(down=True),
        "mouse_up": action_readers.change_button(down=False),
        "navigate": action_readers.open_address,
        "go_back": press("ALT", "LEFT"),
        "go_forward": press("ALT", "RIGHT"),
    }

    def read_call(self, call: ToolCall, space: CoordinateSpace) -> list[Part]:
        name = call.name.rpartition(":")[2].strip() or str(call.arguments.get("action", ""))
        return self.read_action(name, call.arguments, space)

    def find_cautions(self, call: ToolCall) -> Iterator[str]:
        decision = call.arguments.get("safety_decision")
        if isinstance(decision, dict):
            reason = decision.get("explanation") or decision.get("decision")
            yield str(reason) if reason else Message("format.no_reason")
        elif decision is not None:
            yield str(decision)
