"""Gemini's computer-use functions of both generations (`click_at`, `click`), in thousandths.

Browser functions are translated to shortcuts. Calls that the service wants confirmed are shown to
the person before any of the reply is executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..types import (
    Action,
    Click,
    Drag,
    FormatError,
    Keypress,
    ParsedReply,
    Point,
    ToolCall,
    Type,
    Wait,
)
from . import computer_use, fields, tool_calls
from .computer_use import Arguments, Reader, click
from .coordinates import CoordinateSpace, excerpt, number
from .endings import parse_ending
from .family import Family
from .holding import ButtonChange, KeyChange, Part, join_parts
from .received_reply import ReceivedReply

TEACHING = 'Write one JSON object such as {"name": "click", "args": {"x": 500, "y": 300}}.'
THOUSANDTHS_PER_NOTCH = 125
"""Rough scroll distance of a wheel notch, of the screen's height."""
PIXELS_PER_NOTCH = 100


class Gemini(Family):
    name = "gemini"
    returns_calls = True
    ends_by_text = True

    def read(self, reply: ReceivedReply) -> ParsedReply:
        words, calls = tool_calls.read_calls(reply, TEACHING, last=True)
        if not calls:
            return ParsedReply(words, (parse_ending(words),))
        parts = [part for call in calls for part in _parts(call, reply.space)]
        return ParsedReply(words, tuple(join_parts(parts)), caution="; ".join(_reasons(calls)))


def _reasons(calls: Sequence[ToolCall]) -> Iterator[str]:
    """Why a person has to confirm the calls."""
    for call in calls:
        decision = call.arguments.get("safety_decision")
        if isinstance(decision, dict):
            yield str(decision.get("explanation") or decision.get("decision") or "no reason given")
        elif decision is not None:
            yield str(decision)


def _parts(call: ToolCall, space: CoordinateSpace) -> list[Part]:
    name = call.name.rpartition(":")[2].strip() or str(call.arguments.get("action", ""))
    reader = _READERS.get(name)
    if reader is None:
        raise FormatError(f"There is no function {excerpt(name)}. The functions are {_TAUGHT}.")
    found = reader(call.arguments, space)
    return found if isinstance(found, list) else [found]


def _type(*, enters: bool) -> Reader:
    """In the old generation at a place, which is clicked and emptied first, and with Enter."""

    def read(arguments: Arguments, space: CoordinateSpace) -> list[Part]:
        at = computer_use.place(arguments, space)
        parts: list[Part] = [Click(at=at)] if at else []
        if _true(arguments.get("clear_before_typing", at is not None)):
            parts += [Keypress(keys=("CTRL", "A")), Keypress(keys=("DELETE",))]
        parts.append(Type(text=fields.text(arguments.get("text"))))
        if _true(arguments.get("press_enter", enters)):
            parts.append(Keypress(keys=("ENTER",)))
        return parts

    return read


def _true(value: object) -> bool:
    return value is True or str(value).lower() == "true"


_UNITS = {
    "magnitude_in_wheel_clicks": 1,
    "magnitude_in_pixels": PIXELS_PER_NOTCH,
    "magnitude": THOUSANDTHS_PER_NOTCH,
}
"""What a wheel notch is in each unit that an environment may give a scroll's length in."""


def _scroll(unit: str, default: int) -> Reader:
    """`default` is in `unit`, for a scroll that does not say how far."""

    def read(arguments: Arguments, space: CoordinateSpace) -> Action:
        given = next((name for name in _UNITS if arguments.get(name) is not None), unit)
        length = number(arguments.get(given) or default) / _UNITS[given]
        at = computer_use.place(arguments, space)
        return fields.scroll(at, arguments.get("direction"), max(1, min(100, round(abs(length)))))

    return read


def _drag(arguments: Arguments, space: CoordinateSpace) -> Action:
    """From `x`, `y` to `destination_x`, `destination_y` in the old generation."""
    if "start_x" in arguments:
        start, end = _at(arguments, space, "start_"), _at(arguments, space, "end_")
        return Drag(path=(start, end))
    end = _at(arguments, space, "destination_")
    at = computer_use.place(arguments, space)
    return Drag(path=(at, end) if at else (end,))


def _at(arguments: Arguments, space: CoordinateSpace, prefix: str) -> Point:
    return space.at(arguments.get(f"{prefix}x"), arguments.get(f"{prefix}y"))


def _keys(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Keypress(keys=fields.keys(arguments.get("keys", arguments.get("key"))))


def _hold(down: bool) -> Reader:
    return lambda arguments, _: KeyChange(
        fields.keys(arguments.get("key", arguments.get("keys"))), down
    )


def _press(down: bool) -> Reader:
    return lambda arguments, space: ButtonChange(down, computer_use.place(arguments, space))


def _wait(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("seconds", 1)))


def _navigate(arguments: Arguments, _: CoordinateSpace) -> list[Part]:
    url = Type(text=fields.text(arguments.get("url"), "url"))
    return [Keypress(keys=("CTRL", "L")), url, Keypress(keys=("ENTER",))]


def _shortcut(*keys: str) -> Reader:
    return lambda _, __: Keypress(keys=keys)


def _look(_: Arguments, __: CoordinateSpace) -> Any:
    return Wait(seconds=0)


_READERS: dict[str, Reader] = {
    "click": click(anywhere=False),
    "double_click": click(count=2, anywhere=False),
    "triple_click": click(count=3, anywhere=False),
    "middle_click": click("middle", anywhere=False),
    "right_click": click("right", anywhere=False),
    "move": computer_use.READERS["mouse_move"],
    "type": _type(enters=False),
    "drag_and_drop": _drag,
    "wait": _wait,
    "press_key": _keys,
    "hotkey": _keys,
    "scroll": _scroll("magnitude_in_pixels", 300),
    "take_screenshot": _look,
    "call_user": computer_use.READERS["call_user"],
}
_TAUGHT = ", ".join(_READERS)
_READERS |= {
    "click_at": click(anywhere=False),
    "hover_at": computer_use.READERS["mouse_move"],
    "type_text_at": _type(enters=True),
    "scroll_document": _scroll("magnitude", 800),
    "scroll_at": _scroll("magnitude", 800),
    "wait_5_seconds": lambda _, __: Wait(seconds=5),
    "key_combination": _keys,
    "key_down": _hold(down=True),
    "key_up": _hold(down=False),
    "mouse_down": _press(down=True),
    "mouse_up": _press(down=False),
    "navigate": _navigate,
    "go_back": _shortcut("ALT", "LEFT"),
    "go_forward": _shortcut("ALT", "RIGHT"),
}
