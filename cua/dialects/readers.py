"""Read the actions that families share; a family's table says which name stands for which.

A reader raises `FormatError` for arguments that its action cannot have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ..messages import Message
from ..types import Action, Ask, Button, Click, Drag, Fail, FormatError, Keypress, Move, Type, Wait
from . import fields
from .arguments import Arguments
from .coordinates import parse_numbers
from .endings import parse_marked
from .holding import ButtonChange, KeyChange, Part

Reader = Callable[[Arguments], "Part | list[Part]"]
_QUESTION = Message("format.question")


def click(button: Button = "left", count: int = 1, *, anywhere: bool = False) -> Reader:
    """`anywhere`: without a point it is a click at the pointer."""

    def read(given: Arguments) -> Action:
        at = given.find_point() if anywhere else given.point()
        return Click(at=at, button=button, count=count, keys=given.held_keys())

    return read


def move(given: Arguments) -> Action:
    return Move(at=given.point())


def drag(given: Arguments) -> Action:
    """To `at` from the pointer or `start`; or to `end` from `start`, from `at` or the pointer."""
    end = given.find_point("end")
    start = given.find_point("start") or (given.find_point() if end else None)
    end = end or given.point()
    return Drag(path=(start, end) if start else (end,), keys=given.held_keys())


def drag_between(given: Arguments) -> Action:
    return Drag(path=(given.point(), given.point("end")), keys=given.held_keys())


def scroll(given: Arguments) -> Action:
    amount = given.count("amount", fields.DEFAULT_NOTCHES, 100)
    keys = given.held_keys()
    return fields.make_scroll(given.find_point(), given.get("direction"), amount, keys)


def scroll_by(*, sideways: bool = False) -> Reader:
    """By `notches` with their sign: up, or `sideways` to the right."""

    def read(given: Arguments) -> Action:
        amount = given.get("notches")
        if amount is None:
            raise FormatError(Message("format.no_distance"))
        notches = fields.parse_notches(amount)
        dx, dy = (notches, 0) if sideways else (0, -notches)
        return fields.make_scroll_by(given.find_point(), dx, dy, given.held_keys())

    return read


def zoom(given: Arguments) -> Action:
    corners = given.get("region")
    numbers = parse_numbers(corners) if corners else []
    if len(numbers) != 4:
        raise FormatError(Message("format.no_region"))
    to_point = given.space.to_point
    return fields.make_zoom(to_point(*numbers[:2]), to_point(*numbers[2:]))


def press_keys(given: Arguments) -> Action:
    return Keypress(keys=given.keys(), count=given.count("times", 1, 200))


def press(*keys: str) -> Reader:
    return lambda _: Keypress(keys=keys)


def type_text(*, clear: bool = False, enter: bool = False) -> Reader:
    """`clear`, `enter`: what is done where the call does not say; only a `field` is cleared."""

    def read(given: Arguments) -> list[Part]:
        at = given.find_point("field")
        parts: list[Part] = [Click(at=at)] if at else []
        if given.is_true("clear", clear and at is not None):
            parts += [Keypress(keys=("CTRL", "A")), Keypress(keys=("DELETE",))]
        parts.append(Type(text=fields.parse_text(given.get("text"))))
        return [*parts, Keypress(keys=("ENTER",))] if given.is_true("enter", enter) else parts

    return read


def open_address(given: Arguments) -> list[Part]:
    url = Type(text=fields.parse_text(given.get("url"), "URL"))
    return [Keypress(keys=("CTRL", "L")), url, Keypress(keys=("ENTER",))]


def hold_keys(*, down: bool) -> Reader:
    return lambda given: KeyChange(given.keys(), down)


def hold_button(*, down: bool) -> Reader:
    return lambda given: ButtonChange(down, given.find_point())


def wait(default_s: float | None = None) -> Reader:
    return lambda given: Wait(seconds=fields.parse_seconds(given.get("seconds", default_s)))


def refuse(message: Message) -> Reader:
    def read(_: Arguments) -> NoReturn:
        raise FormatError(message)

    return read


def take_screenshot(_: Arguments) -> Action:
    return Wait(seconds=0)


def finish(given: Arguments) -> Action:
    return parse_marked(given.text("answer"))


def fail(given: Arguments) -> Action:
    return Fail(reason=given.text("reason"))


def ask(given: Arguments) -> Action:
    return Ask(question=fields.parse_text(given.text("question"), _QUESTION))
