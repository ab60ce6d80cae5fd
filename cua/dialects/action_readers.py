"""Read the actions that families share; a family's table maps its names to readers.

A reader raises `FormatError` for arguments that its action cannot have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ..messages import Message
from ..types import (
    Action,
    Ask,
    Button,
    Click,
    Drag,
    Eject,
    Fail,
    FormatError,
    Keypress,
    Mount,
    Move,
    Power,
    PowerButton,
    Type,
    Wait,
)
from . import fields
from .arguments import Arguments
from .coordinates import parse_numbers
from .endings import parse_marked
from .press_release import ButtonChange, KeyChange, Part

Reader = Callable[[Arguments], "Part | list[Part]"]
_QUESTION = Message("format.question")
_IMAGE = Message("format.image")
CASE_BUTTONS: dict[str, PowerButton] = {
    "press": "power",
    "hold": "hold_power",
    "reset": "reset",
    "wake": "wake",
}
"""The model's word -> the button of the computer's case."""


def click(button: Button = "left", count: int = 1, *, anywhere: bool = False) -> Reader:
    """`anywhere`: a call without a point clicks at the pointer."""

    def read(arguments: Arguments) -> Action:
        at = arguments.find_point() if anywhere else arguments.point()
        return Click(at=at, button=button, count=count, keys=arguments.held_keys())

    return read


def move(arguments: Arguments) -> Action:
    return Move(at=arguments.point(), keys=arguments.held_keys())


def drag(arguments: Arguments) -> Action:
    """Drag to `at` from `start` or the pointer; or to `end` from `start`, `at` or the pointer."""
    end = arguments.find_point("end")
    start = arguments.find_point("start") or (arguments.find_point() if end else None)
    end = end or arguments.point()
    return Drag(path=(start, end) if start else (end,), keys=arguments.held_keys())


def drag_between(arguments: Arguments) -> Action:
    return Drag(path=(arguments.point(), arguments.point("end")), keys=arguments.held_keys())


def scroll(arguments: Arguments) -> Action:
    amount = arguments.count("amount", fields.DEFAULT_NOTCHES, 100)
    keys = arguments.held_keys()
    return fields.make_scroll(arguments.find_point(), arguments.get("direction"), amount, keys)


def scroll_by(*, sideways: bool = False) -> Reader:
    """Scroll by `notches`; positive ones scroll up, or with `sideways` to the right."""

    def read(arguments: Arguments) -> Action:
        amount = arguments.get("notches")
        if amount is None:
            raise FormatError(Message("format.no_distance"))
        notches = fields.parse_notches(amount)
        dx, dy = (notches, 0) if sideways else (0, -notches)
        return fields.make_scroll_by(arguments.find_point(), dx, dy, arguments.held_keys())

    return read


def zoom(arguments: Arguments) -> Action:
    corners = arguments.get("region")
    numbers = parse_numbers(corners) if corners else []
    if len(numbers) != 4:
        raise FormatError(Message("format.no_region"))
    to_point = arguments.space.to_point
    return fields.make_zoom(to_point(*numbers[:2]), to_point(*numbers[2:]))


def press_keys(arguments: Arguments) -> Action:
    return Keypress(keys=arguments.keys(), count=arguments.count("times", 1, 200))


def press(*keys: str) -> Reader:
    return lambda _: Keypress(keys=keys)


def type_text(*, clear: bool = False, enter: bool = False) -> Reader:
    """`clear`, `enter`: defaults for a call without them; only a `field` is cleared."""

    def read(arguments: Arguments) -> list[Part]:
        at = arguments.find_point("field")
        parts: list[Part] = [Click(at=at)] if at else []
        if arguments.is_true("clear", clear and at is not None):
            parts += [Keypress(keys=("CTRL", "A")), Keypress(keys=("DELETE",))]
        parts.append(Type(text=fields.parse_text(arguments.get("text"))))
        return [*parts, Keypress(keys=("ENTER",))] if arguments.is_true("enter", enter) else parts

    return read


def open_address(arguments: Arguments) -> list[Part]:
    url = Type(text=fields.parse_text(arguments.get("url"), "URL"))
    return [Keypress(keys=("CTRL", "L")), url, Keypress(keys=("ENTER",))]


def change_keys(*, down: bool) -> Reader:
    return lambda arguments: KeyChange(arguments.keys(), down)


def change_button(*, down: bool) -> Reader:
    return lambda arguments: ButtonChange(down, arguments.find_point())


def press_case_button(arguments: Arguments) -> Action:
    button = CASE_BUTTONS.get(arguments.text("button").lower())
    if button is None:
        raise FormatError(Message("format.not_case_button", names=", ".join(CASE_BUTTONS)))
    return Power(button=button)


def mount(arguments: Arguments) -> Action:
    image = fields.parse_text(arguments.get("image"), _IMAGE)
    return Mount(image=image, drive="disk" if arguments.text("drive") == "disk" else "cdrom")


def eject(_: Arguments) -> Action:
    return Eject()


def wait(default_s: float | None = None) -> Reader:
    return lambda arguments: Wait(seconds=fields.parse_seconds(arguments.get("seconds", default_s)))


def refuse(message: Message) -> Reader:
    def read(_: Arguments) -> NoReturn:
        raise FormatError(message)

    return read


def take_screenshot(_: Arguments) -> Action:
    return Wait(seconds=0)


def finish(arguments: Arguments) -> Action:
    return parse_marked(arguments.text("answer"))


def fail(arguments: Arguments) -> Action:
    return Fail(reason=arguments.text("reason"))


def ask(arguments: Arguments) -> Action:
    return Ask(question=fields.parse_text(arguments.text("question"), _QUESTION))
