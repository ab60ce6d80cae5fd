"""Actions in plain words, for the page, the terminal and the model alike."""

from __future__ import annotations

from .types import (
    Action,
    Click,
    Drag,
    Frame,
    Keypress,
    Move,
    Point,
    Power,
    Press,
    Scroll,
    Type,
    Wait,
    Zoom,
)

PERSON = "The person says: "
"""Before words that were handed on to the model."""
_CLICKS = {
    ("left", 1): "Left click {}",
    ("left", 2): "Left double click {}",
    ("left", 3): "Left triple click {}",
    ("right", 1): "Right click {}",
    ("right", 2): "Right double click {}",
    ("right", 3): "Right triple click {}",
    ("middle", 1): "Middle click {}",
    ("middle", 2): "Middle double click {}",
    ("middle", 3): "Middle triple click {}",
}
_DRAGS = {
    "left": "Drag from {} to {} with the left button",
    "right": "Drag from {} to {} with the right button",
    "middle": "Drag from {} to {} with the middle button",
}
_PRESSES: dict[Press, str] = {
    "power": "Press the computer's power button",
    "hold_power": "Hold the computer's power button, which cuts it off",
    "reset": "Press the computer's reset button",
}
SMALL = 0.1
"""Share of the screen of a spinner, a clock, a progress bar."""


def describe(action: Action, width: int, height: int) -> str:
    """One sentence without a full stop; places in pixels of a `width` x `height` screen."""

    def place(at: Point | None) -> str:
        if at is None:
            return "where the pointer is"
        return f"at ({round(at.x * (width - 1))}, {round(at.y * (height - 1))})"

    if isinstance(action, Click):
        clicked = _CLICKS[action.button, action.count].format(place(action.at))
        return f"{clicked}, holding {'+'.join(action.keys)}" if action.keys else clicked
    if isinstance(action, Move):
        return f"Move the pointer to {place(action.at).removeprefix('at ')}"
    if isinstance(action, Drag):
        start = place(action.path[0] if len(action.path) > 1 else None)
        start, end = start.removeprefix("at "), place(action.path[-1]).removeprefix("at ")
        return _DRAGS[action.button].format(start, end)
    if isinstance(action, Scroll):
        return f"Scroll {_directions(action)} {place(action.at)}"
    if isinstance(action, Zoom):
        area = action.area
        corners = Point(x=area.left, y=area.top), Point(x=area.right, y=area.bottom)
        start, end = (place(corner).removeprefix("at ") for corner in corners)
        return f"Look closer at {start} to {end}"
    return _other(action)


def _other(action: Action) -> str:
    if isinstance(action, Type):
        return f"Type {action.text!r}"
    if isinstance(action, Keypress):
        times = f" {action.count} times" if action.count > 1 else ""
        return f"Press {'+'.join(action.keys)}{times}"
    if isinstance(action, Wait):
        return f"Wait {action.seconds:g} s"
    if isinstance(action, Power):
        return _PRESSES[action.button]
    return {"done": "Say that it is done", "fail": "Give up", "ask": "Ask"}[action.kind]


def _directions(action: Scroll) -> str:
    dx, dy = action.dx, action.dy
    vertical = f"down by {dy}" if dy > 0 else f"up by {-dy}" if dy else ""
    sideways = f"right by {dx}" if dx > 0 else f"left by {-dx}" if dx else ""
    return " and ".join(filter(None, (vertical, sideways))) or "by nothing"


def moving(frame: Frame) -> str:
    """Why a frame was taken when it was: "" if its screen was at rest."""
    share = sum((a.right - a.left) * (a.bottom - a.top) for a in frame.restless)
    if not share:
        return ""
    return "a small place still moves" if share < SMALL else "a part of the screen keeps moving"
