"""Actions as plain JSON objects, and the schema to which a server can hold a model.

For models without an action language of their own, and for those that were trained with a schema.
A tag names the action, its arguments stand beside it: `{"kind": "click", "x": 500, "y": 300}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..types import Action, Ask, Click, Drag, Fail, FormatError, Keypress, Type, Wait
from . import computer_use, fields
from .computer_use import Arguments, Reader, click
from .coordinates import CoordinateSpace
from .endings import parse_marked
from .family import read_action
from .holding import Part

TAGS = ("kind", "action", "tool_name", "type", "name")
"""The names under which an object says which action it is, the first that is there counts."""


def tagged(value: Mapping[str, Any]) -> tuple[str, Arguments]:
    """The action's name and its arguments. Raises `FormatError`."""
    for tag in TAGS:
        if isinstance(value.get(tag), str):
            return value[tag].strip().lower(), value
    raise FormatError("The action does not say which one it is.")


def parts(verb: str, arguments: Arguments, space: CoordinateSpace) -> list[Part]:
    """Raises `FormatError` for an unknown action or arguments that it cannot have."""
    return read_action(READERS, verb, arguments, space, _TAUGHT)


# --- one reader per action -----------------------------------------------------------------------


def _drag(arguments: Arguments, space: CoordinateSpace) -> Action:
    if "to_x" not in arguments or "to_y" not in arguments:
        return computer_use.drag(arguments, space)
    end = space.at(arguments["to_x"], arguments["to_y"])
    start = computer_use.place(arguments, space)
    return Drag(path=(start, end) if start else (end,))


def _scroll(arguments: Arguments, space: CoordinateSpace) -> Action:
    amount = fields.count(arguments.get("amount") or fields.DEFAULT_NOTCHES, 100)
    return fields.scroll(computer_use.place(arguments, space), arguments.get("direction"), amount)


def _type(arguments: Arguments, space: CoordinateSpace) -> list[Part]:
    """Where a place is given, it is clicked first."""
    text = arguments.get("text", arguments.get("content"))
    typed: list[Part] = [Type(text=fields.text(text))]
    at = computer_use.place(arguments, space)
    if at:
        typed.insert(0, Click(at=at))
    if arguments.get("press_enter") in (True, "true"):
        typed.append(Keypress(keys=("ENTER",)))
    return typed


def _press(arguments: Arguments, _: CoordinateSpace) -> Action:
    times = fields.count(arguments.get("times") or 1, 200)
    return Keypress(keys=fields.keys(arguments.get("keys", arguments.get("key"))), count=times)


def _wait(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("seconds", arguments.get("time", 2))))


def _words(arguments: Arguments) -> str:
    named = ("answer", "reason", "question", "text", "content", "message")
    return str(next((arguments[name] for name in named if arguments.get(name)), ""))


def _done(arguments: Arguments, _: CoordinateSpace) -> Action:
    return parse_marked(_words(arguments))


def _fail(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Fail(reason=_words(arguments))


def _ask(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Ask(question=fields.text(_words(arguments), "question"))


READERS: dict[str, Reader] = {
    "click": click(anywhere=False),
    "double_click": click(count=2, anywhere=False),
    "right_click": click("right", anywhere=False),
    "move": computer_use.READERS["mouse_move"],
    "drag": _drag,
    "scroll": _scroll,
    "type": _type,
    "press": _press,
    "wait": _wait,
    "done": _done,
    "fail": _fail,
    "ask": _ask,
}
_TAUGHT = ", ".join(READERS)
READERS |= {
    "left_click": READERS["click"],
    "middle_click": click("middle", anywhere=False),
    "triple_click": click(count=3, anywhere=False),
    "write": _type,
    "key": _press,
    "hotkey": _press,
    "answer": _done,
    "finish": _done,
}


# --- the schema ----------------------------------------------------------------------------------


def _place(full: int, *names: str) -> dict[str, Any]:
    return {name: {"type": "integer", "minimum": 0, "maximum": full} for name in names}


def _text(name: str, longest: int) -> dict[str, Any]:
    return {name: {"type": "string", "maxLength": longest}}


def schema(tag: str, names: Mapping[str, str], **described: Any) -> dict[str, Any]:
    """Of one action in thousandths; `names`: our action -> what this family calls it.

    `described`: properties that every action with a place has, before the place.
    """
    at = {**described, **_place(1000, "x", "y")}
    direction = {"direction": {"enum": ["up", "down", "left", "right"]}}
    amount = {"amount": {"type": "integer", "minimum": 1, "maximum": 20}}
    arguments: dict[str, dict[str, Any]] = {
        "click": at,
        "double_click": at,
        "right_click": at,
        "move": at,
        "drag": {**at, **_place(1000, "to_x", "to_y")},
        "scroll": {**at, **direction, **amount},
        "type": _text("text", 1000),
        "press": _text("keys", 40),
        "wait": {"seconds": {"type": "integer", "minimum": 1, "maximum": 60}},
        "done": _text("answer", 1000),
        "fail": _text("reason", 500),
        "ask": _text("question", 500),
    }
    return {
        "anyOf": [
            _object({tag: {"const": names.get(verb, verb)}, **given})
            for verb, given in arguments.items()
        ]
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def step(action: str, inner: dict[str, Any], *, notes: bool = False) -> dict[str, Any]:
    """The schema of a whole reply: a thought first, and before it a note, which may be null."""
    thought = _text("thought", 600)
    note = {"note": {"anyOf": [_text("note", 600)["note"], {"type": "null"}]}} if notes else {}
    return _object({**note, **thought, action: inner})
