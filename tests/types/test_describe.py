from __future__ import annotations

from typing import get_args

import pytest

from cua.types import Action, Area, Click, Drag, Keypress, Move, Point, Scroll, Type, Wait, Zoom
from cua.types.describe import DESCRIBERS, describe, describe_briefly

A, B = Point(x=0.25, y=0.5), Point(x=1, y=1)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Click(at=A), "Click at (320, 360)"),
        (Click(button="right", count=2), "Right double click where the pointer is"),
        (Click(at=B, keys=("CTRL",)), "Click at (1279, 719), holding Ctrl"),
        (Move(at=A), "Move the pointer to (320, 360)"),
        (Drag(path=(A, B)), "Drag from (320, 360) to (1279, 719) with the left button"),
        (Drag(path=(B,)), "Drag from where the pointer is to (1279, 719) with the left button"),
        (
            Drag(path=(A, B), keys=("CTRL", "SHIFT")),
            "Drag from (320, 360) to (1279, 719) with the left button, holding Ctrl+Shift",
        ),
        (Scroll(at=A, dy=3), "Scroll down by 3 at (320, 360)"),
        (Scroll(dx=-1, dy=-2), "Scroll up by 2 and left by 1 where the pointer is"),
        (Type(text="a b\n\u202e"), "Type “a b↵⟨U+202E⟩”"),
        (Keypress(keys=("CTRL", "C")), "Press Ctrl+C"),
        (Keypress(keys=("TAB",), count=3), "Press Tab 3 times"),
        (Keypress(keys=("RALT", "PAGEUP")), "Press RAlt+PgUp"),
        (Wait(seconds=1.5), "Wait 1.5 s"),
        (
            Zoom(area=Area(left=0, top=0.25, right=1, bottom=0.5)),
            "Zoom in on (0, 180) to (1279, 360)",
        ),
    ],
)
def test_actions_in_words(action: Action, words: str) -> None:
    assert describe(action, 1280, 720) == words


@pytest.mark.parametrize("kind", get_args(get_args(Action)[0]))
def test_every_action_has_words(kind: type[Action]) -> None:
    assert kind in DESCRIBERS


@pytest.mark.parametrize(
    ("action", "label", "words"),
    [
        (Click(at=A), "", "Click"),
        (Click(at=A, keys=("CTRL",)), "Save", "Click “Save”, holding Ctrl"),
        (Click(at=A), "x" * 99, f"Click “{'x' * 40}…”"),
        (Move(at=A), "Save", "Move the pointer"),
        (Drag(path=(A, B)), "", "Drag"),
        (Scroll(at=A, dy=3), "", "Scroll down by 3"),
        (Zoom(area=Area(left=0, top=0.25, right=1, bottom=0.5)), "", "Zoom in"),
        (Keypress(keys=("TAB",)), "", "Press Tab"),
    ],
)
def test_actions_in_words_without_places(action: Action, label: str, words: str) -> None:
    assert describe_briefly(action, label) == words
