"""Actions in words, for the page, the terminal and the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..messages import Message
from . import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Eject,
    Fail,
    Frame,
    Keypress,
    Mount,
    Move,
    Point,
    Power,
    Scroll,
    Type,
    Wait,
    Zoom,
)

SMALL_PROPORTION = 0.1
"""Proportion of the screen that a spinner, a clock or a progress bar covers at most."""
MAX_LABEL_CHARS = 40
_KEYS = {
    "RCTRL": "RCtrl", "RSHIFT": "RShift", "RALT": "RAlt", "RWIN": "RWin",
    "DELETE": "Del", "PAGEUP": "PgUp", "PAGEDOWN": "PgDn", "PRINTSCREEN": "PrintScreen",
    "CAPSLOCK": "CapsLock", "NUMLOCK": "NumLock", "SCROLLLOCK": "ScrollLock",
}  # fmt: skip


def describe(action: Action, width: int, height: int) -> str:
    """One sentence without a full stop; places in pixels of a `width` x `height` screen."""
    return _add_keys(action, _describe_with_place(action, width, height))


def describe_briefly(action: Action, label: str = "") -> str:
    """Like `describe`, without places. `label`: the text on the target of a click."""
    brief = _describe_without_place(action)
    if label and isinstance(action, Click):
        brief = Message("action.click_on", click=brief, label=shorten_label(label))
    return _add_keys(action, brief)


def name_keys(keys: Iterable[str]) -> str:
    """Return "Ctrl+Alt+Del" for the names of keys, as `nameKeys` of the page does."""
    return "+".join(_KEYS.get(key, key.capitalize() if key.isalpha() else key) for key in keys)


def shorten_label(label: str) -> str:
    return label if len(label) <= MAX_LABEL_CHARS else f"{label[:MAX_LABEL_CHARS]}…"


def _add_keys(action: Action, described: str) -> str:
    keys = action.keys if isinstance(action, (Click, Move, Drag, Scroll)) else ()
    return Message("action.holding", action=described, keys=name_keys(keys)) if keys else described


def _describe_with_place(action: Action, width: int, height: int) -> str:
    def pixel(at: Point | None) -> str:
        return str(_pixel(at, width, height)) if at else Message("action.pointer")

    if isinstance(action, Click):
        click = _describe_without_place(action)
        if action.at is None:
            return Message("action.click_here", click=click)
        x, y = _pixel(action.at, width, height)
        return Message("action.click", click=click, x=x, y=y)
    if isinstance(action, Scroll):
        return _describe_scroll(action, width, height)
    if isinstance(action, Move):
        return Message("action.move", place=pixel(action.at))
    if isinstance(action, Drag):
        start = pixel(action.path[0] if len(action.path) > 1 else None)
        end = pixel(action.path[-1])
        return Message(f"action.drag.{action.button}", start=start, end=end)
    if isinstance(action, Zoom):
        area = action.area
        start = pixel(Point(x=area.left, y=area.top))
        return Message("action.zoom", start=start, end=pixel(Point(x=area.right, y=area.bottom)))
    return _describe_without_place(action)


def _pixel(at: Point, width: int, height: int) -> tuple[int, int]:
    return round(at.x * (width - 1)), round(at.y * (height - 1))


def _describe_scroll(action: Scroll, width: int, height: int) -> str:
    directions = _scroll_directions(action)
    if action.at is None:
        return Message("action.scroll_here", way=directions)
    x, y = _pixel(action.at, width, height)
    return Message("action.scroll", way=directions, x=x, y=y)


def _scroll_directions(action: Scroll) -> list[str]:
    directions: list[str] = []
    dx, dy = abs(action.dx), abs(action.dy)
    if dy:
        directions.append(
            Message("action.scroll.down" if action.dy > 0 else "action.scroll.up", count=dy)
        )
    if dx:
        directions.append(
            Message("action.scroll.right" if action.dx > 0 else "action.scroll.left", count=dx)
        )
    return directions or [Message("action.scroll.nothing")]


_CLICK_COUNTS = {1: "", 2: "_double", 3: "_triple"}


def _describe_keypress(action: Keypress) -> str:
    keys, count = name_keys(action.keys), action.count
    often = Message("action.press_often", keys=keys, count=count)
    return often if count > 1 else Message("action.press", keys=keys)


def _describe_power(action: Power) -> str:
    return {
        "power": Message("action.power"),
        "hold_power": Message("action.hold_power"),
        "reset": Message("action.reset"),
        "wake": Message("action.wake"),
    }[action.button]


DESCRIBERS: dict[type, Callable[[Any], str]] = {
    Move: lambda _: Message("action.move_brief"),
    Click: lambda click: Message(f"action.clicks.{click.button}{_CLICK_COUNTS[click.count]}"),
    Drag: lambda _: Message("action.drag_brief"),
    Scroll: lambda scroll: Message("action.scroll_brief", way=_scroll_directions(scroll)),
    Type: lambda typed: Message("action.type", text=_make_visible(typed.text)),
    Keypress: _describe_keypress,
    Wait: lambda wait: Message("action.wait", seconds=f"{wait.seconds:g}"),
    Power: _describe_power,
    Mount: lambda mount: Message(f"action.mount_{mount.drive}", image=mount.image),
    Eject: lambda _: Message("action.eject"),
    Zoom: lambda _: Message("action.zoom_brief"),
    Done: lambda _: Message("action.done"),
    Fail: lambda _: Message("action.fail"),
    Ask: lambda _: Message("action.ask"),
}
"""Class of an action -> its words without a place."""


def _describe_without_place(action: Action) -> str:
    return DESCRIBERS[type(action)](action)


def _make_visible(text: str) -> str:
    """Replace invisible characters, and those that control a terminal."""
    visible = text.replace("\n", "↵").replace("\t", "⇥")
    return "".join(each if each.isprintable() else f"⟨U+{ord(each):04X}⟩" for each in visible)


def describe_movement(frame: Frame) -> str:
    """Return why a frame was taken although the screen still moved, or "" if it was stable."""
    proportion = sum(area.proportion for area in frame.moving_areas)
    if not proportion:
        return ""
    return Message("agent.moving.small" if proportion < SMALL_PROPORTION else "agent.moving.much")


_NINTHS = (
    *("top_left", "top", "top_right"),
    *("left", "middle", "right"),
    *("bottom_left", "bottom", "bottom_right"),
)


def describe_place(x: float, y: float) -> str:
    """Name the ninth of the screen that contains a place; `x` and `y` are fractions of it."""
    column, row = min(2, int(x * 3)), min(2, int(y * 3))
    return Message(f"agent.where.{_NINTHS[3 * row + column]}")
