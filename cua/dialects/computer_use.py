"""The `computer_use` function that Qwen's models and those made from them were trained on.

The wrapping differs between generations, the arguments hardly: `action` says what to do, and places
are pairs in whatever space the family counts in.
"""

from __future__ import annotations

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
from .coordinates import Space, excerpt, numbers
from .holding import Keys, Part, Press, joined

Arguments = Mapping[str, Any]
Reader = Callable[[Arguments, Space], "Part | list[Part]"]

FUNCTIONS = {"", "computer_use", "computer", "mobile_use"}
_PLACES = ("coordinate", "coordinates", "point", "position", "start_box")


def actions(calls: Sequence[ToolCall], space: Space) -> tuple[Action, ...]:
    """What the calls ask for, in order. Raises `FormatError` if one of them is not understood."""
    parts: list[Part] = []
    for call in calls:
        reader, arguments = _reader(call)
        found = reader(arguments, space)
        parts += found if isinstance(found, list) else [found]
    return tuple(_one_ending(joined(parts)))


def _reader(call: ToolCall) -> tuple[Reader, Arguments]:
    """By the `action`, which smaller models also put into the function's name or into `type`."""
    named = call.name.strip().lower()
    arguments = call.arguments
    verb = arguments.get("action")
    if verb is None and named not in FUNCTIONS:
        verb = named
    elif verb is None and isinstance(arguments.get("type"), str):
        verb = arguments["type"]
    elif named not in FUNCTIONS and named not in READERS:
        raise FormatError(f"There is no function {excerpt(call.name)}: use `computer_use`.")
    if not isinstance(verb, str):
        raise FormatError("The call has no `action`: say which one, such as left_click.")
    reader = READERS.get(verb.strip().lower())
    if reader is None:
        raise FormatError(f"There is no action {excerpt(verb)}. The actions are {_TAUGHT}.")
    return reader, arguments


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


def place(arguments: Arguments, space: Space, names: Sequence[str] = _PLACES) -> Point | None:
    """None where none is given: then it is where the pointer is."""
    for name in names:
        if arguments.get(name) not in (None, "", [], "None", "null"):
            return space.point(arguments[name])
    if "x" in arguments or "y" in arguments:
        return space.at(arguments.get("x"), arguments.get("y"))
    return None


def needed(at: Point | None) -> Point:
    if at is None:
        raise FormatError("The place is missing: say where, with x and y.")
    return at


def _held(arguments: Arguments) -> tuple[str, ...]:
    """The modifiers of a click; other words in its text are a description."""
    if arguments.get("keys"):
        return fields.keys(arguments["keys"])
    named = arguments.get("text")
    if not isinstance(named, (str, list)) or len(named) > 40:
        return ()
    held = fields.keys(named)
    return held if all(map(fields.is_modifier, held)) else ()


def _words(arguments: Arguments, *names: str) -> str:
    """The first of these that is there, "" if none is."""
    found = (arguments[name] for name in names if arguments.get(name))
    return str(next(found, "")).strip()


# --- one reader per action -----------------------------------------------------------------------


def click(button: Button = "left", count: int = 1, *, anywhere: bool = True) -> Reader:
    """`anywhere`: without a place it is a click at the pointer."""

    def read(arguments: Arguments, space: Space) -> Action:
        at = place(arguments, space)
        at = at if anywhere else needed(at)
        return Click(at=at, button=button, count=count, keys=_held(arguments))

    return read


def _move(arguments: Arguments, space: Space) -> Action:
    return Move(at=needed(place(arguments, space)))


def drag(arguments: Arguments, space: Space) -> Action:
    """To `coordinate` from where the pointer is, or between two places by several names."""
    end = place(arguments, space, ("coordinate2", "end_coordinate", "end_box", "end_point"))
    starts = ("start_coordinate", "start_box", "start_point", *(_PLACES if end else ()))
    start = place(arguments, space, starts)
    end = end or needed(place(arguments, space))
    return Drag(path=(start, end) if start else (end,))


def _key(arguments: Arguments, _: Space) -> Action:
    return Keypress(keys=fields.keys(arguments.get("keys") or _words(arguments, "key", "text")))


def _type(arguments: Arguments, _: Space) -> list[Part]:
    """`clear` empties the field first, `enter` submits it; both are of GUI-Owl."""
    given = arguments.get("text", arguments.get("content"))
    typed: list[Part] = [Type(text=fields.text(given))]
    if _words(arguments, "clear") in ("1", "True", "true"):
        typed = [Keypress(keys=("CTRL", "A")), Keypress(keys=("DELETE",)), *typed]
    if _words(arguments, "enter") in ("1", "True", "true"):
        typed.append(Keypress(keys=("ENTER",)))
    return typed


def _wheel(arguments: Arguments, space: Space) -> Point | None:
    """Where it is turned."""
    if _held(arguments):
        raise FormatError("Scrolling with keys held is not possible here.")
    return place(arguments, space)


def _scroll(arguments: Arguments, space: Space) -> Action:
    at = _wheel(arguments, space)
    if "pixels" not in arguments and "direction" in arguments:
        return fields.scroll(at, arguments["direction"])
    return fields.moved(at, 0, -_notches(arguments))


def _hscroll(arguments: Arguments, space: Space) -> Action:
    return fields.moved(_wheel(arguments, space), _notches(arguments), 0)


def _notches(arguments: Arguments) -> int:
    if "pixels" not in arguments:
        raise FormatError("The scroll has no `pixels`: say how far, positive is up.")
    return fields.notches(arguments["pixels"])


def _hold(down: bool) -> Reader:
    def read(arguments: Arguments, _: Space) -> Part:
        return Keys(fields.keys(arguments.get("keys") or _words(arguments, "key", "text")), down)

    return read


def _press(down: bool) -> Reader:
    return lambda arguments, space: Press(down, place(arguments, space))


def _wait(arguments: Arguments, _: Space) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("time", arguments.get("duration", 1))))


def zoom(arguments: Arguments, space: Space) -> Action:
    """Between the corners of `region`, in the names that families have for it."""
    names = ("region", "bbox", "box", "bbox_2d", "coordinate")
    given = next((arguments[name] for name in names if arguments.get(name)), None)
    found = numbers(given) if given else []
    if len(found) != 4:
        raise FormatError("The part to look at is missing: write region as [x0, y0, x1, y1].")
    return fields.zoom(space.at(*found[:2]), space.at(*found[2:]))


def _look(_: Arguments, __: Space) -> Action:
    return Wait(seconds=0)


def _terminate(arguments: Arguments, _: Space) -> Action:
    status = _words(arguments, "status", "goal_status").lower()
    words = _words(arguments, "text", "answer", "reason", "message")
    if status in ("success", "succeeded", "complete", "completed"):
        return Done(answer=words)
    if status in ("failure", "fail", "failed", "infeasible", "impossible"):
        return Fail(reason=words)
    raise FormatError("`terminate` needs `status`: success if the task is done, else failure.")


def _answer(arguments: Arguments, _: Space) -> Action:
    return Done(answer=fields.text(arguments.get("text", arguments.get("answer"))))


def _ask(arguments: Arguments, _: Space) -> Action:
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
    "interact": _ask,
    "screenshot": _look,
    "zoom": zoom,
    "key_down": _hold(down=True),
    "key_up": _hold(down=False),
    "left_mouse_down": _press(down=True),
    "left_mouse_up": _press(down=False),
}
