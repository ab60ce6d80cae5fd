"""Claude's computer tool; coordinates in pixels of the screenshot that Claude sees.

The service silently shrinks larger pictures, and then clicks drift, so they are sent small enough.
The tool is one function with an `action`, or one function for each action.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..types import Action, FormatError, Keypress, ParsedReply, ToolCall, Wait
from . import computer_use, fields, tool_calls
from .computer_use import Arguments, Reader
from .coordinates import CoordinateSpace
from .endings import parse_ending
from .family import Family, read_action
from .holding import Part, join_parts
from .received_reply import ReceivedReply

TEACHING = (
    'Write one JSON object such as {"name": "computer", "input": {"action": "left_click", '
    '"coordinate": [640, 360]}}.'
)
MAX_EDGE_PX = 1568
MAX_TILES = 1568
TILE_PX = 28


class Claude(Family):
    name = "claude"
    scale = None
    returns_calls = True
    ends_by_text = True

    def image_size(self, width: int, height: int) -> tuple[int, int]:
        if width < height:
            return self.image_size(height, width)[::-1]
        low, high = 1, min(width, MAX_EDGE_PX)
        while low < high:  # the widest that is small enough
            middle = (low + high + 1) // 2
            fits = _tiles(middle, _height(middle, width, height)) <= MAX_TILES
            low, high = (middle, high) if fits else (low, middle - 1)
        return low, _height(low, width, height)

    def read(self, reply: ReceivedReply) -> ParsedReply:
        words, calls = tool_calls.read_calls(reply, TEACHING, last=True)
        if not calls:
            return ParsedReply(words, (parse_ending(words),))
        return ParsedReply(words, tuple(join_parts(_parts(calls, reply.space))))


def _height(wide: int, width: int, height: int) -> int:
    return max(1, round(wide * height / width))


def _tiles(width: int, height: int) -> int:
    return -(-width // TILE_PX) * -(-height // TILE_PX)


def _parts(calls: Sequence[ToolCall], space: CoordinateSpace) -> list[Part]:
    parts: list[Part] = []
    for call in calls:
        verb = call.arguments.get("action", call.name)
        arguments = _with_keys(verb, call.arguments)
        parts += read_action(_READERS, verb, arguments, space, _TAUGHT)
    return parts


def _with_keys(verb: object, arguments: Arguments) -> Arguments:
    """The keys to hold during a mouse action are in its `text`."""
    named = arguments.get("text")
    holds = str(verb).strip().lower() in _HOLDING
    return {**arguments, "keys": named} if named and holds else arguments


def _scroll(arguments: Arguments, space: CoordinateSpace) -> Action:
    amount = fields.count(arguments.get("scroll_amount", fields.DEFAULT_NOTCHES), 100)
    at = computer_use.place(arguments, space)
    keys = computer_use.held(arguments)
    return fields.scroll(at, arguments.get("scroll_direction"), amount, keys)


def _key(arguments: Arguments, _: CoordinateSpace) -> list[Part]:
    """A space stands between chords that follow each other; `repeat` says how many times."""
    times = fields.count(arguments.get("repeat") or 1, 200)
    text = fields.text(arguments.get("text", arguments.get("keys")))
    return [Keypress(keys=fields.keys(chord), count=times) for chord in text.split() or [text]]


def _wait(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("duration", 1)))


def _unavailable(what: str) -> Reader:
    def read(_: Arguments, __: CoordinateSpace) -> Any:
        raise FormatError(f"{what} is not available here. Use another action.")

    return read


_HOLDING = (
    "left_click", "right_click", "middle_click", "double_click", "triple_click",
    "left_click_drag", "scroll",
)  # fmt: skip
_READERS: dict[str, Reader] = {
    **{name: computer_use.READERS[name] for name in (*_HOLDING, "mouse_move", "type")},
    "key": _key,
    "scroll": _scroll,
    "wait": _wait,
    "screenshot": computer_use.READERS["screenshot"],
    "zoom": computer_use.zoom,
    "left_mouse_down": computer_use.READERS["left_mouse_down"],
    "left_mouse_up": computer_use.READERS["left_mouse_up"],
}
_TAUGHT = ", ".join(_READERS)
_READERS |= {
    "hold_key": _unavailable("Holding a key for a time"),
    "cursor_position": _unavailable("Asking where the pointer is"),
    "call_user": computer_use.READERS["call_user"],
}
