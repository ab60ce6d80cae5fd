"""Where things are on the simulated computer, from its true state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cua.evaluation.task import State

from .solution import SolutionStep

PixelPoint = tuple[int, int]
Box = tuple[int, int, int, int]

WORDS_ONLY = ("Label", "Banner")
"""What has a label but is not what a click on that label is meant for."""
PROBES = ((0.5, 0.5), (0.5, 0.9), (0.2, 0.5), (0.8, 0.5), (0.5, 0.1))
"""Parts of a box at which it may be seen and clicked, the best first."""
TITLE_HEIGHT = 40


class Thing(NamedTuple):
    """`layer` counts from what is in front: 0 a menu, then the windows, the icons last."""

    role: str
    label: str
    box: Box
    layer: int


def find_front(state: State) -> str:
    """The program whose window is active; without a desktop the phase of the computer."""
    if state["phase"] != "desktop":
        return str(state["phase"])
    return next((each["program"] for each in state["windows"] if each["active"]), "")


def find_spot(state: State, move: SolutionStep) -> PixelPoint | None:
    """A place in pixels where what the move is about can be seen; None if it cannot."""
    alike = [thing for thing in _things(state) if _meant(thing, move)]
    alike.sort(key=lambda thing: (thing.role in WORDS_ONLY, thing.layer))
    covers = _covers(state)
    found = (_seen(thing, covers) for thing in alike)
    return next((place for place in found if place), None)


def find_task_button(state: State, program: str) -> PixelPoint | None:
    """Where a window that is not in front can be called to the front."""
    return find_spot(state, SolutionStep("click", program, "Task"))


def find_thing(state: State, place: PixelPoint) -> Thing | None:
    """What a click at this place reaches: of what is in front the smallest."""
    there = [thing for thing in _things(state) if _holds(thing.box, place)]
    there.sort(key=lambda thing: (thing.layer, thing.box[2] * thing.box[3]))
    if not there and "icons" in state and not any(_holds(each, place) for each in _covers(state)):
        return Thing("Wallpaper", "", (*place, 1, 1), len(_shown(state)) + 1)
    return there[0] if there else None


def find_program(state: State, thing: Thing) -> str:
    """The program whose window it is in; "" for menus, icons and the taskbar."""
    programs = ["", *(each["program"] for each in reversed(_shown(state)))]
    return programs[thing.layer] if thing.layer < len(programs) else ""


def _meant(thing: Thing, move: SolutionStep) -> bool:
    return thing.label == move.what and (not move.role or thing.role == move.role)


def _things(state: State) -> Iterator[Thing]:
    for role, label, box in state.get("menu", ()):
        yield Thing(role, label, tuple(box), 0)
    shown = _shown(state)
    for layer, each in enumerate(reversed(shown), 1):
        x, y, width, height = each["rect"]
        for role, label, box in each["targets"]:
            yield Thing(role, label, tuple(box), layer)
        yield Thing("Window", each["program"], (x, y + height // 3, width, height * 2 // 3), layer)
        yield Thing("Title", each["program"], (x + 60, y, width // 2, TITLE_HEIGHT), layer)
    for role, label, box in (*state.get("icons", ()), *state.get("taskbar", ())):
        yield Thing(role, label, tuple(box), len(shown) + 1)
    if "icons" in state:
        yield Thing("Wallpaper", "", (900, 20, 300, 600), len(shown) + 1)


def _shown(state: State) -> list[State]:
    return [each for each in state.get("windows", ()) if not each["minimised"]]


def _covers(state: State) -> list[Box]:
    """The boxes of the layers, from the front: the menu's, then those of the windows."""
    lines = [box for _, _, box in state.get("menu", ())]
    menu = (0, 0, 0, 0)
    if lines:
        x, y = min(line[0] for line in lines), min(line[1] for line in lines)
        menu = (x, y, lines[0][2], max(line[1] + line[3] for line in lines) - y)
    return [menu, *(tuple(each["rect"]) for each in reversed(_shown(state)))]


def _seen(thing: Thing, covers: list[Box]) -> PixelPoint | None:
    x, y, width, height = thing.box
    for right, down in PROBES:
        place = int(x + width * right), int(y + height * down)
        if not any(_holds(cover, place) for cover in covers[: thing.layer]):
            return place
    return None


def _holds(box: Box, place: PixelPoint) -> bool:
    x, y, width, height = box
    return x <= place[0] < x + width and y <= place[1] < y + height
