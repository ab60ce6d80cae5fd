"""The `computer_use` function of Qwen's models and their descendants.

The markup differs between generations, the arguments hardly: `action` names the action, and places
are pairs in the family's coordinates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..types import (
    Action,
    Ask,
    Button,
    Click,
    Done,
    Drag,
    Fail,
    FormatError,
    Keypress,
    Move,
    Point,
    ToolCall,
    Type,
    Wait,
)
from . import fields
from .coordinates import CoordinateSpace, excerpt, numbers
from .family import read_action
from .holding import ButtonChange, KeyChange, Part, join_parts

Arguments = Mapping[str, Any]
Reader = Callable[[Arguments, CoordinateSpace], "Part | list[Part]"]

FUNCTIONS = {"", "computer_use", "computer", "mobile_use"}
_PLACES = ("coordinate", "coordinates", "point", "position", "start_box")


def actions(calls: Sequence[ToolCall], space: CoordinateSpace) -> tuple[Action, ...]:
    """The actions of the calls. Raises `FormatError` if one of them is not valid."""
    parts: list[Part] = []
    for call in calls:
        parts += read_action(READERS, _verb(call), call.arguments, space, _TAUGHT)
    return tuple(_one_ending(join_parts(parts)))


def _verb(call: ToolCall) -> str:
    """The `action`, which smaller models also put into the function's name or into `type`."""
    named = call.name.strip().lower()
    verb = call.arguments.get("action")
    if verb is None and named not in FUNCTIONS:
        verb = named
    elif verb is None and isinstance(call.arguments.get("type"), str):
        verb = call.arguments["type"]
    elif named not in FUNCTIONS and named not in READERS:
        raise FormatError(f"There is no function {excerpt(call.name)}: use `computer_use`.")
    if not isinstance(verb, str):
        raise FormatError("The call has no `action`: say which one, such as left_click.")
    return verb


def _one_ending(done: list[Action]) -> list[Action]:
    """An answer and then the end of the task are one: the end, with the answer."""
    if len(done) > 1 and isinstance(done[-2], Done):
        answer, last = done[-2].answer, done[-1]
        if isinstance(last, Done):
            return [*done[:-2], Done(answer=last.answer or answer)]
        if isinstance(last, Fail):
            return [*done[:-2], Fail(reason=last.reason or answer)]
    return done


# --- places and keys -----------------------------------------------------------------------------


def place(
    arguments: Arguments, space: CoordinateSpace, names: Sequence[str] = _PLACES
) -> Point | None:
    """None where none is given: then it is where the pointer is."""
    for name in names:
        if arguments.get(name) not in (None, "None", "null"):
            return space.point(arguments[name])
    if "x" in arguments or "y" in arguments:
        return space.at(arguments.get("x"), arguments.get("y"))
    return None


def needed(at: Point | None) -> Point:
    if at is None:
        raise FormatError("The place is missing: say where, with x and y.")
    return at


def held(arguments: Arguments) -> tuple[str, ...]:
    """The modifiers of a mouse action; other words in its text are a description."""
    if arguments.get("keys"):
        return fields.keys(arguments["keys"])
    names = re.findall(r"\w+", str(arguments.get("text", ""))[:200])
    return tuple(map(str.upper, names)) if all(map(fields.is_modifier, names)) else ()


def _words(arguments: Arguments, *names: str) -> str:
    """The first of these that is there, "" if none is."""
    found = (arguments[name] for name in names if arguments.get(name))
    return str(next(found, "")).strip()


# --- one reader per action -----------------------------------------------------------------------


def click(button: Button = "left", count: int = 1, *, anywhere: bool = True) -> Reader:
    """`anywhere`: without a place it is a click at the pointer."""

    def read(arguments: Arguments, space: CoordinateSpace) -> Action:
        at = place(arguments, space)
        at = at if anywhere else needed(at)
        return Click(at=at, button=button, count=count, keys=held(arguments))

    return read


def _move(arguments: Arguments, space: CoordinateSpace) -> Action:
    return Move(at=needed(place(arguments, space)))


def drag(arguments: Arguments, space: CoordinateSpace) -> Action:
    """To `coordinate` from where the pointer is, or between two places by several names."""
    end = place(arguments, space, ("coordinate2", "end_coordinate", "end_box", "end_point"))
    starts = ("start_coordinate", "start_box", "start_point", *(_PLACES if end else ()))
    start = place(arguments, space, starts)
    end = end or needed(place(arguments, space))
    return Drag(path=(start, end) if start else (end,), keys=held(arguments))


def _key(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Keypress(keys=fields.keys(arguments.get("keys") or _words(arguments, "key", "text")))


def _type(arguments: Arguments, _: CoordinateSpace) -> list[Part]:
    """`clear` empties the field first, `enter` submits it; both are of GUI-Owl."""
    given = arguments.get("text", arguments.get("content"))
    typed: list[Part] = [Type(text=fields.text(given))]
    if _words(arguments, "clear") in ("1", "True", "true"):
        typed = [Keypress(keys=("CTRL", "A")), Keypress(keys=("DELETE",)), *typed]
    if _words(arguments, "enter") in ("1", "True", "true"):
        typed.append(Keypress(keys=("ENTER",)))
    return typed


def _scroll(arguments: Arguments, space: CoordinateSpace) -> Action:
    at, keys = place(arguments, space), held(arguments)
    if "pixels" not in arguments and "direction" in arguments:
        return fields.scroll(at, arguments["direction"], keys=keys)
    return fields.scroll_by(at, 0, -_notches(arguments), keys)


def _hscroll(arguments: Arguments, space: CoordinateSpace) -> Action:
    return fields.scroll_by(place(arguments, space), _notches(arguments), 0, held(arguments))


def _notches(arguments: Arguments) -> int:
    if "pixels" not in arguments:
        raise FormatError("The scroll has no `pixels`: say how far, positive is up.")
    return fields.notches(arguments["pixels"])


def _hold(down: bool) -> Reader:
    def read(arguments: Arguments, _: CoordinateSpace) -> Part:
        return KeyChange(
            fields.keys(arguments.get("keys") or _words(arguments, "key", "text")), down
        )

    return read


def _press(down: bool) -> Reader:
    return lambda arguments, space: ButtonChange(down, place(arguments, space))


def _wait(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("time", arguments.get("duration", 1))))


def zoom(arguments: Arguments, space: CoordinateSpace) -> Action:
    """Between the corners of `region`, in the names that families have for it."""
    names = ("region", "bbox", "box", "bbox_2d", "coordinate")
    given = next((arguments[name] for name in names if arguments.get(name)), None)
    found = numbers(given) if given else []
    if len(found) != 4:
        raise FormatError("The part to look at is missing: write region as [x0, y0, x1, y1].")
    return fields.zoom(space.at(*found[:2]), space.at(*found[2:]))


def _look(_: Arguments, __: CoordinateSpace) -> Action:
    return Wait(seconds=0)


def _terminate(arguments: Arguments, _: CoordinateSpace) -> Action:
    status = _words(arguments, "status", "goal_status").lower()
    words = _words(arguments, "text", "answer", "reason", "message")
    if status in ("success", "succeeded", "complete", "completed"):
        return Done(answer=words)
    if status in ("failure", "fail", "failed", "infeasible", "impossible"):
        return Fail(reason=words)
    raise FormatError("`terminate` needs `status`: success if the task is done, else failure.")


def _done(arguments: Arguments, space: CoordinateSpace) -> Action:
    return _terminate({"status": "success", **arguments}, space)


def _open(_: Arguments, __: CoordinateSpace) -> Action:
    raise FormatError(
        "A program cannot be opened by its name here. Click its icon, or press the WIN key, type "
        "its name and press ENTER."
    )


def _answer(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Done(answer=fields.text(arguments.get("text", arguments.get("answer"))))


def _ask(arguments: Arguments, _: CoordinateSpace) -> Action:
    words = _words(arguments, "text", "question", "content", "message")
    return Ask(question=fields.text(words, "question"))


READERS: dict[str, Reader] = {
    "key": _key,
    "type": _type,
    "mouse_move": _move,
    "left_click": click(),
    "left_click_drag": drag,
    "right_click": click("right"),
    "middle_click": click("middle"),
    "double_click": click(count=2),
    "triple_click": click(count=3),
    "scroll": _scroll,
    "hscroll": _hscroll,
    "wait": _wait,
    "terminate": _terminate,
    "answer": _answer,
    "call_user": _ask,
}
_TAUGHT = ", ".join(READERS)
READERS |= {
    "click": READERS["left_click"],
    "tap": READERS["left_click"],
    "wheel_click": READERS["middle_click"],
    "hotkey": _key,
    "keypress": _key,
    "press": _key,
    "hover": _move,
    "move": _move,
    "drag": drag,
    "ask_user": _ask,
    "done": _done,
    "stop": _terminate,
    "open": _open,
    "open app": _open,
    "open_app": _open,
    "interact": _ask,
    "screenshot": _look,
    "zoom": zoom,
    "key_down": _hold(down=True),
    "key_up": _hold(down=False),
    "left_mouse_down": _press(down=True),
    "left_mouse_up": _press(down=False),
}
