"""Gemini's computer-use functions, of both generations: `click_at` and `click`; thousandths.

They were made for a browser; here the keyboard does what the browser's functions would. What the
service wants confirmed is put to the person before any of it is done.
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
    ToolCall,
    Turn,
    Type,
    Wait,
)
from . import computer_use, fields, tool_calls
from .computer_use import Arguments, Reader, click
from .coordinates import Space, excerpt, number
from .endings import ending
from .family import Family, Heard
from .holding import Keys, Part, Press, joined

TEACHING = 'Write one JSON object such as {"name": "click", "args": {"x": 500, "y": 300}}.'
NOTCH = 125
"""Thousandths of the screen that one wheel notch scrolls, roughly."""


class Gemini(Family):
    name = "gemini"
    calls_back = True

    def read(self, heard: Heard) -> Turn:
        words, calls = tool_calls.heard(heard, TEACHING)
        if not calls:
            return Turn(words, (ending(words),))
        parts = [part for call in calls for part in _parts(call, heard.space)]
        return Turn(words, tuple(joined(parts)), caution="; ".join(_reasons(calls)))


def _reasons(calls: Sequence[ToolCall]) -> Iterator[str]:
    """Why a person has to confirm the calls first."""
    for call in calls:
        decision = call.arguments.get("safety_decision")
        if isinstance(decision, dict) and decision.get("decision") == "require_confirmation":
            yield str(decision.get("explanation") or "no reason given")


def _parts(call: ToolCall, space: Space) -> list[Part]:
    name = call.name.rpartition(":")[2].strip() or str(call.arguments.get("action", ""))
    reader = _READERS.get(name)
    if reader is None:
        raise FormatError(f"There is no function {excerpt(name)}. The functions are {_TAUGHT}.")
    found = reader(call.arguments, space)
    return found if isinstance(found, list) else [found]


def _type(arguments: Arguments, space: Space) -> list[Part]:
    """In the old generation at a place, which is clicked and emptied first."""
    at = computer_use.place(arguments, space)
    parts: list[Part] = [Click(at=at)] if at else []
    if _true(arguments.get("clear_before_typing", at is not None)):
        parts += [Keypress(keys=("CTRL", "A")), Keypress(keys=("DELETE",))]
    parts.append(Type(text=fields.text(arguments.get("text"))))
    if _true(arguments.get("press_enter")):
        parts.append(Keypress(keys=("ENTER",)))
    return parts


def _true(value: object) -> bool:
    return value is True or str(value).lower() == "true"


def _scroll(arguments: Arguments, space: Space) -> Action:
    magnitude = number(arguments.get("magnitude", 800))
    amount = max(1, min(100, round(abs(magnitude) / NOTCH)))
    return fields.scroll(computer_use.place(arguments, space), arguments.get("direction"), amount)


def _drag(arguments: Arguments, space: Space) -> Action:
    end = space.at(arguments.get("destination_x"), arguments.get("destination_y"))
    start = computer_use.place(arguments, space)
    return Drag(path=(start, end) if start else (end,))


def _keys(arguments: Arguments, _: Space) -> Action:
    return Keypress(keys=fields.keys(arguments.get("keys", arguments.get("key"))))


def _hold(down: bool) -> Reader:
    return lambda arguments, _: Keys(fields.keys(arguments.get("key", arguments.get("keys"))), down)


def _press(down: bool) -> Reader:
    return lambda arguments, space: Press(down, computer_use.place(arguments, space))


def _wait(arguments: Arguments, _: Space) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("seconds", 1)))


def _navigate(arguments: Arguments, _: Space) -> list[Part]:
    url = Type(text=fields.text(arguments.get("url"), "url"))
    return [Keypress(keys=("CTRL", "L")), url, Keypress(keys=("ENTER",))]


def _shortcut(*keys: str) -> Reader:
    return lambda _, __: Keypress(keys=keys)


def _look(_: Arguments, __: Space) -> Any:
    return Wait(seconds=0)


_READERS: dict[str, Reader] = {
    "click": click(anywhere=False),
    "double_click": click(count=2, anywhere=False),
    "triple_click": click(count=3, anywhere=False),
    "middle_click": click("middle", anywhere=False),
    "right_click": click("right", anywhere=False),
    "move": computer_use.READERS["mouse_move"],
    "type": _type,
    "drag_and_drop": _drag,
    "wait": _wait,
    "press_key": _keys,
    "hotkey": _keys,
    "scroll": _scroll,
    "take_screenshot": _look,
    "call_user": computer_use.READERS["call_user"],
}
_TAUGHT = ", ".join(_READERS)
_READERS |= {
    "click_at": click(anywhere=False),
    "hover_at": computer_use.READERS["mouse_move"],
    "type_text_at": _type,
    "scroll_document": _scroll,
    "scroll_at": _scroll,
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
