"""OpenAI's `computer` tool: actions with `type`, places in pixels of the screenshot.

They come as function calls, one action or a list of them, or as JSON where a gateway has no such
tool. A reply without any is the end of the task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..types import (
    Action,
    Ask,
    Button,
    Click,
    Drag,
    FormatError,
    Keypress,
    Move,
    ParsedReply,
    Point,
    Type,
    Wait,
    mappings,
)
from . import fields, tool_calls
from .coordinates import CoordinateSpace, excerpt, number
from .endings import parse_ending
from .family import Family, read_action
from .received_reply import ReceivedReply

TEACHING = 'Write one JSON object such as {"type": "click", "x": 640, "y": 360, "button": "left"}.'
NOTCH_PX = 100
"""Pixels that one wheel notch scrolls."""

Arguments = Mapping[str, Any]
Reader = Callable[[Arguments, CoordinateSpace], Action]


class OpenAIComputer(Family):
    name = "openai_computer"
    scale = None
    returns_calls = True
    ends_by_text = True

    def read(self, reply: ReceivedReply) -> ParsedReply:
        words, calls = tool_calls.read_calls(reply, TEACHING, last=True)
        actions: list[Action] = []
        for call in calls:
            actions += _call_actions(call.name, call.arguments, reply.space)
        caution = "; ".join(reason for call in calls for reason in _reasons(call.arguments))
        return ParsedReply(
            words, tuple(actions) if calls else (parse_ending(words),), caution=caution
        )


def _call_actions(name: str, arguments: Arguments, space: CoordinateSpace) -> list[Action]:
    listed = arguments.get("actions", arguments.get("action"))
    if isinstance(listed, dict):
        listed = [listed]
    if not isinstance(listed, list):
        listed = [{**arguments, "type": _verb(name, arguments)}]
    return [action for each in listed for action in _actions(each, space)]


def _verb(name: str, arguments: Arguments) -> object:
    """From the object itself, else the function is named after the action."""
    return arguments.get("type", arguments.get("action", name))


def _reasons(arguments: Arguments) -> Iterator[str]:
    """Why a person has to confirm a call first."""
    for known in mappings(arguments.get("pending_safety_checks")):
        yield str(known.get("message") or known.get("code") or "no reason given")


def _actions(value: object, space: CoordinateSpace) -> list[Action]:
    if not isinstance(value, dict):
        raise FormatError(f"An action is an object. {TEACHING}")
    return read_action(_READERS, value.get("type"), value, space, _TAUGHT)


def _at(arguments: Arguments, space: CoordinateSpace) -> Point | None:
    if arguments.get("x") is None and arguments.get("y") is None:
        return None
    return space.at(arguments.get("x"), arguments.get("y"))


def _needed(arguments: Arguments, space: CoordinateSpace) -> Point:
    return space.at(arguments.get("x"), arguments.get("y"))


def _click(arguments: Arguments, space: CoordinateSpace) -> Action:
    name = arguments.get("button") or "left"
    if name in ("back", "forward"):
        return Keypress(keys=(*_held(arguments), "ALT", "LEFT" if name == "back" else "RIGHT"))
    buttons: dict[object, Button] = {
        "left": "left",
        "right": "right",
        "wheel": "middle",
        "middle": "middle",
    }
    if not isinstance(name, str) or name not in buttons:
        raise FormatError(f"There is no mouse button {excerpt(name)}.")
    return Click(at=_needed(arguments, space), button=buttons[name], keys=_held(arguments))


def _double_click(arguments: Arguments, space: CoordinateSpace) -> Action:
    return Click(at=_needed(arguments, space), count=2, keys=_held(arguments))


def _move(arguments: Arguments, space: CoordinateSpace) -> Action:
    return Move(at=_needed(arguments, space), keys=_held(arguments))


def _held(arguments: Arguments) -> tuple[str, ...]:
    return fields.keys(arguments["keys"]) if arguments.get("keys") else ()


def _drag(arguments: Arguments, space: CoordinateSpace) -> Action:
    path = arguments.get("path")
    if not isinstance(path, list) or not path:
        raise FormatError("A drag needs a `path` of places.")
    places = tuple(space.point(place) for place in path[:101])
    return Drag(path=places, keys=_held(arguments))


def _scroll(arguments: Arguments, space: CoordinateSpace) -> Action:
    dx, dy = (_notches(arguments.get(name)) for name in ("scroll_x", "scroll_y"))
    return fields.scroll_by(_at(arguments, space), dx, dy, _held(arguments))


def _notches(amount: object) -> int:
    found = number(amount or 0) / NOTCH_PX
    return max(-100, min(100, round(found) or (found > 0) - (found < 0)))


def _wait(arguments: Arguments, _: CoordinateSpace) -> Action:
    milliseconds = arguments.get("ms", arguments.get("duration"))
    return Wait(seconds=fields.seconds(2 if milliseconds is None else number(milliseconds) / 1000))


def _ask(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Ask(question=fields.text(arguments.get("question", arguments.get("text")), "question"))


_READERS: dict[str, Reader] = {
    "click": _click,
    "double_click": _double_click,
    "drag": _drag,
    "keypress": lambda arguments, _: Keypress(keys=fields.keys(arguments.get("keys"))),
    "move": _move,
    "scroll": _scroll,
    "type": lambda arguments, _: Type(text=fields.text(arguments.get("text"))),
    "wait": _wait,
    "screenshot": lambda _, __: Wait(seconds=0),
    "call_user": _ask,
}
_TAUGHT = ", ".join(_READERS)
