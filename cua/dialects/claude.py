"""Claude's computer tool: places in pixels of the screenshot as Claude sees it.

Its service makes larger pictures smaller without saying so, and then clicks drift; so they are sent
small enough. The tool comes in two shapes, one function with an `action` or one function for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..types import Action, FormatError, Keypress, ToolCall, Turn, Wait
from . import computer_use, fields, tool_calls
from .computer_use import Arguments, Reader
from .coordinates import Space, excerpt
from .endings import ending
from .family import Family, Heard
from .holding import Part, joined

TEACHING = (
    'Write one JSON object such as {"name": "computer", "input": {"action": "left_click", '
    '"coordinate": [640, 360]}}.'
)
LONGEST_EDGE = 1568
MOST_TILES = 1568
TILE = 28


class Claude(Family):
    name = "claude"
    scale = None
    calls_back = True

    def image_size(self, width: int, height: int) -> tuple[int, int]:
        if width < height:
            return self.image_size(height, width)[::-1]
        low, high = 1, min(width, LONGEST_EDGE)
        while low < high:  # the widest that is small enough
            middle = (low + high + 1) // 2
            fits = _tiles(middle, _height(middle, width, height)) <= MOST_TILES
            low, high = (middle, high) if fits else (low, middle - 1)
        return low, _height(low, width, height)

    def read(self, heard: Heard) -> Turn:
        words, calls = tool_calls.heard(heard, TEACHING)
        if not calls:
            return Turn(words, (ending(words),))
        return Turn(words, tuple(joined(_parts(calls, heard.space))))


def _height(wide: int, width: int, height: int) -> int:
    return max(1, round(wide * height / width))


def _tiles(width: int, height: int) -> int:
    return -(-width // TILE) * -(-height // TILE)


def _parts(calls: Sequence[ToolCall], space: Space) -> list[Part]:
    parts: list[Part] = []
    for call in calls:
        verb = call.arguments.get("action", call.name)
        reader = _READERS.get(verb) if isinstance(verb, str) else None
        if reader is None:
            raise FormatError(f"There is no action {excerpt(verb)}. The actions are {_TAUGHT}.")
        found = reader(call.arguments, space)
        parts += found if isinstance(found, list) else [found]
    return parts


def _scroll(arguments: Arguments, space: Space) -> Action:
    if arguments.get("text"):
        raise FormatError("Scrolling with keys held is not possible here.")
    amount = fields.count(arguments.get("scroll_amount", fields.STEP), 100)
    at = computer_use.place(arguments, space)
    return fields.scroll(at, arguments.get("scroll_direction"), amount)


def _key(arguments: Arguments, _: Space) -> list[Part]:
    """A space stands between chords that follow each other; `repeat` says how many times."""
    times = fields.count(arguments.get("repeat") or 1, 200)
    text = fields.text(arguments.get("text", arguments.get("keys")))
    return [Keypress(keys=fields.keys(chord), count=times) for chord in text.split() or [text]]


def _wait(arguments: Arguments, _: Space) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("duration", 1)))


def _unavailable(what: str) -> Reader:
    def read(_: Arguments, __: Space) -> Any:
        raise FormatError(f"{what} is not available here. Use another action.")

    return read


_READERS: dict[str, Reader] = {
    **{
        name: computer_use.READERS[name]
        for name in (
            "left_click", "right_click", "middle_click", "double_click", "triple_click",
            "mouse_move", "left_click_drag", "type",
        )
    },
    "key": _key,
    "scroll": _scroll,
    "wait": _wait,
    "screenshot": computer_use.READERS["screenshot"],
    "zoom": computer_use.zoom,
    "left_mouse_down": computer_use.READERS["left_mouse_down"],
    "left_mouse_up": computer_use.READERS["left_mouse_up"],
}  # fmt: skip
_TAUGHT = ", ".join(_READERS)
_READERS |= {
    "hold_key": _unavailable("Holding a key for a time"),
    "cursor_position": _unavailable("Asking where the pointer is"),
    "call_user": computer_use.READERS["call_user"],
}
