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
    Point,
    Turn,
    Type,
    Wait,
    mappings,
)
from . import fields, tool_calls
from .coordinates import Space, excerpt, number
from .endings import ending
from .family import Family, Heard

TEACHING = 'Write one JSON object such as {"type": "click", "x": 640, "y": 360, "button": "left"}.'
NOTCH = 100
"""Pixels that one wheel notch scrolls."""

Arguments = Mapping[str, Any]
Reader = Callable[[Arguments, Space], Action]


class OpenAIComputer(Family):
    name = "openai_computer"
    scale = None
    calls_back = True

    def read(self, heard: Heard) -> Turn:
        words, calls = tool_calls.heard(heard, TEACHING)
        actions: list[Action] = []
        for call in calls:
            actions += _called(call.name, call.arguments, heard.space)
        caution = "; ".join(reason for call in calls for reason in _reasons(call.arguments))
        return Turn(words, tuple(actions) if calls else (ending(words),), caution=caution)


def _called(name: str, arguments: Arguments, space: Space) -> list[Action]:
    listed = arguments.get("actions", arguments.get("action"))
    if isinstance(listed, dict):
        listed = [listed]
    if not isinstance(listed, list):
        listed = [{**arguments, "type": _verb(name, arguments)}]
    return [_action(each, space) for each in listed]


def _verb(name: str, arguments: Arguments) -> object:
    """From the object itself, else the function is named after the action."""
    return arguments.get("type", arguments.get("action", name))


def _reasons(arguments: Arguments) -> Iterator[str]:
    """Why a person has to confirm a call first."""
    for known in mappings(arguments.get("pending_safety_checks")):
        yield str(known.get("message") or known.get("code") or "no reason given")


def _action(value: object, space: Space) -> Action:
    if not isinstance(value, dict):
        raise FormatError(f"An action is an object. {TEACHING}")
    verb = value.get("type")
    reader = _READERS.get(verb.strip().lower()) if isinstance(verb, str) else None
    if reader is None:
        raise FormatError(f"There is no action {excerpt(verb)}. The actions are {_TAUGHT}.")
    return reader(value, space)


def _at(arguments: Arguments, space: Space) -> Point | None:
    if arguments.get("x") is None and arguments.get("y") is None:
        return None
    return space.at(arguments.get("x"), arguments.get("y"))


def _needed(arguments: Arguments, space: Space) -> Point:
    return space.at(arguments.get("x"), arguments.get("y"))


def _click(arguments: Arguments, space: Space) -> Action:
    name = arguments.get("button") or "left"
    if name in ("back", "forward"):
        return Keypress(keys=("ALT", "LEFT" if name == "back" else "RIGHT"))
    buttons: dict[object, Button] = {
        "left": "left",
        "right": "right",
        "wheel": "middle",
        "middle": "middle",
    }
    if not isinstance(name, str) or name not in buttons:
        raise FormatError(f"There is no mouse button {excerpt(name)}.")
    return Click(at=_needed(arguments, space), button=buttons[name], keys=_held(arguments))


def _double_click(arguments: Arguments, space: Space) -> Action:
    return Click(at=_needed(arguments, space), count=2, keys=_held(arguments))


def _held(arguments: Arguments) -> tuple[str, ...]:
    return fields.keys(arguments["keys"]) if arguments.get("keys") else ()


def _drag(arguments: Arguments, space: Space) -> Action:
    path = arguments.get("path")
    if not isinstance(path, list) or not path:
        raise FormatError("A drag needs a `path` of places.")
    return Drag(path=tuple(space.point(place) for place in path[:101]))


def _scroll(arguments: Arguments, space: Space) -> Action:
    dx, dy = (_notches(arguments.get(name)) for name in ("scroll_x", "scroll_y"))
    return fields.moved(_at(arguments, space), dx, dy)


def _notches(amount: object) -> int:
    found = number(amount or 0) / NOTCH
    return max(-100, min(100, round(found) or (found > 0) - (found < 0)))


def _wait(arguments: Arguments, _: Space) -> Action:
    milliseconds = arguments.get("ms", arguments.get("duration"))
    return Wait(seconds=fields.seconds(2 if milliseconds is None else number(milliseconds) / 1000))


def _ask(arguments: Arguments, _: Space) -> Action:
    return Ask(question=fields.text(arguments.get("question", arguments.get("text")), "question"))


_READERS: dict[str, Reader] = {
    "click": _click,
    "double_click": _double_click,
    "drag": _drag,
    "keypress": lambda arguments, _: Keypress(keys=fields.keys(arguments.get("keys"))),
    "move": lambda arguments, space: Move(at=_needed(arguments, space)),
    "scroll": _scroll,
    "type": lambda arguments, _: Type(text=fields.text(arguments.get("text"))),
    "wait": _wait,
    "screenshot": lambda _, __: Wait(seconds=0),
    "call_user": _ask,
}
_TAUGHT = ", ".join(_READERS)
