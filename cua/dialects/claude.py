"""Claude's computer tool; coordinates in pixels of the screenshot that Claude sees.

The service silently shrinks larger pictures, so that clicks miss. So they are sent small enough.
The tool is one function with an `action`, or one function for each action.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..messages import Message
from ..types import Keypress, ToolCall
from . import action_readers, computer_use, fields
from .action_readers import Reader
from .arguments import Arguments
from .base_dialect import BaseDialect
from .computer_use import ComputerUse
from .coordinates import CoordinateSpace
from .press_release import Part

MAX_EDGE_PX = 1568
MAX_TILES = 1568
TILE_PX = 28


def _press_keys(arguments: Arguments) -> list[Part]:
    """Spaces separate chords that are pressed one after the other, `repeat` times."""
    times = arguments.count("times", 1, 200)
    text = fields.parse_text(arguments.given.get("text", arguments.given.get("keys")))
    return [Keypress(keys=fields.parse_keys(each), count=times) for each in text.split() or [text]]


_SHARED = (
    "left_click", "right_click", "middle_click", "double_click", "triple_click",
    "left_click_drag", "mouse_move", "type",
)  # fmt: skip


class Claude(BaseDialect):
    format_hint = Message(
        "format.write_json",
        example='{"name": "computer", "input": {"action": "left_click", "coordinate": [640, 360]}}',
    )
    coordinate_space = None
    returns_calls = True
    ends_by_text = True
    argument_names: Mapping[str, str] = {
        **computer_use.ARGUMENT_NAMES,
        "held": "text keys",
        "direction": "scroll_direction",
        "amount": "scroll_amount",
        "times": "repeat",
        "seconds": "duration",
    }
    actions: Mapping[str, Reader] = {
        **{name: ComputerUse.actions[name] for name in _SHARED},
        "key": _press_keys,
        "scroll": action_readers.scroll,
        "wait": action_readers.wait(1),
        "screenshot": action_readers.take_screenshot,
        "zoom": action_readers.zoom,
        "left_mouse_down": action_readers.change_button(down=True),
        "left_mouse_up": action_readers.change_button(down=False),
    }
    aliases: Mapping[str, Reader] = {
        "hold_key": action_readers.refuse(Message("format.no_key_hold")),
        "cursor_position": action_readers.refuse(Message("format.no_pointer_position")),
        "call_user": action_readers.ask,
    }

    def sent_size(self, width: int, height: int) -> tuple[int, int]:
        if width < height:
            return self.sent_size(height, width)[::-1]
        low, high = 1, min(width, MAX_EDGE_PX)
        while low < high:  # the widest that is small enough
            middle = (low + high + 1) // 2
            fits = _tiles(middle, _height(middle, width, height)) <= MAX_TILES
            low, high = (middle, high) if fits else (low, middle - 1)
        return low, _height(low, width, height)

    def read_call(self, call: ToolCall, space: CoordinateSpace) -> list[Part]:
        return self.read_action(call.arguments.get("action", call.name), call.arguments, space)


def _height(wide: int, width: int, height: int) -> int:
    return max(1, round(wide * height / width))


def _tiles(width: int, height: int) -> int:
    return -(-width // TILE_PX) * -(-height // TILE_PX)
