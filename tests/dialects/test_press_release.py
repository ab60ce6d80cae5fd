from __future__ import annotations

import pytest

from cua.dialects.press_release import ButtonChange, KeyChange, Part, join_parts
from cua.types import Action, Click, Done, Drag, FormatError, Keypress, Move, Scroll, Type, Wait

from .table import at, check_refused

A, B, C = at(0.1, 0.1), at(0.2, 0.2), at(0.3, 0.3)
CTRL, SHIFT = KeyChange(("CTRL",), down=True), KeyChange(("SHIFT",), down=True)
NO_CTRL, NO_SHIFT = KeyChange(("CTRL",), down=False), KeyChange(("SHIFT",), down=False)
JOINED: dict[str, tuple[list[Part], list[Action]]] = {
    "nothing held": ([Move(at=A), Wait(seconds=1)], [Move(at=A), Wait(seconds=1)]),
    "click": ([CTRL, Click(at=A), NO_CTRL], [Click(at=A, keys=("CTRL",))]),
    "two keys": (
        [CTRL, SHIFT, Click(at=A), NO_SHIFT, Click(at=B), NO_CTRL],
        [Click(at=A, keys=("CTRL", "SHIFT")), Click(at=B, keys=("CTRL",))],
    ),
    "chord": ([CTRL, Keypress(keys=("C",)), NO_CTRL], [Keypress(keys=("CTRL", "C"))]),
    "typed chord": ([CTRL, Type(text="c"), NO_CTRL], [Keypress(keys=("CTRL", "C"))]),
    "keys alone": ([CTRL, SHIFT, NO_SHIFT, NO_CTRL], [Keypress(keys=("CTRL", "SHIFT"))]),
    "move meanwhile": (
        [CTRL, Move(at=A), Click(), NO_CTRL],
        [Move(at=A), Click(keys=("CTRL",))],
    ),
    "tap with a pause": (
        [CTRL, Wait(seconds=1), NO_CTRL],
        [Wait(seconds=1), Keypress(keys=("CTRL",))],
    ),
    "tap on the way": ([CTRL, Move(at=A), NO_CTRL], [Move(at=A), Keypress(keys=("CTRL",))]),
    "drag": ([ButtonChange(True, A), Move(at=B), ButtonChange(False, C)], [Drag(path=(A, B, C))]),
    "drag from a move": (
        [Move(at=A), ButtonChange(True), Move(at=B), ButtonChange(False)],
        [Move(at=A), Drag(path=(A, B))],
    ),
    "drag from the pointer": (
        [ButtonChange(True), Move(at=B), ButtonChange(False)],
        [Drag(path=(B,))],
    ),
    "click by hand": ([ButtonChange(True, A), ButtonChange(False, A)], [Click(at=A)]),
    "click at the pointer": ([ButtonChange(True), Wait(seconds=1), ButtonChange(False)], [Click()]),
    "drag with a key": (
        [CTRL, ButtonChange(True, A), ButtonChange(False, B), NO_CTRL],
        [Drag(path=(A, B), keys=("CTRL",))],
    ),
    "whole drag with a key": (
        [CTRL, Drag(path=(A, B)), NO_CTRL],
        [Drag(path=(A, B), keys=("CTRL",))],
    ),
    "scroll with a key": ([CTRL, Scroll(dy=2), NO_CTRL], [Scroll(dy=2, keys=("CTRL",))]),
    "right": (
        [ButtonChange(True, A, "right"), ButtonChange(False, B, "right")],
        [Drag(path=(A, B), button="right")],
    ),
}


@pytest.mark.parametrize(("parts", "actions"), JOINED.values(), ids=JOINED.keys())
def test_joined(parts: list[Part], actions: list[Action]) -> None:
    assert list(join_parts(parts)) == actions


@pytest.mark.parametrize(
    "parts",
    [
        [CTRL],
        [CTRL, Click(at=A)],
        [ButtonChange(True, A)],
        [ButtonChange(False, A)],
        [ButtonChange(True, A), ButtonChange(True, B), ButtonChange(False, B)],
        [ButtonChange(True, A), Type(text="x"), ButtonChange(False, B)],
        [ButtonChange(True, A), CTRL, NO_CTRL, ButtonChange(False, B)],
        [CTRL, ButtonChange(True, A), NO_CTRL, ButtonChange(False, B)],
        [CTRL, Type(text="ab"), NO_CTRL],
        [CTRL, Done()],
    ],
)
def test_unreleased_or_impossible_parts_are_refused(parts: list[Part]) -> None:
    with pytest.raises(FormatError):
        join_parts(parts)


WITH_A_KEY = {
    **{
        name: "\n".join(
            f'<tool_call>\n{{"name": "computer_use", "arguments": {arguments}}}\n</tool_call>'
            for arguments in (
                '{"action": "key_down", "keys": ["alt", "f4"]}',
                '{"action": "left_click", "coordinate": [500, 500]}',
                '{"action": "key_up", "keys": ["alt", "f4"]}',
            )
        )
        for name in ("qwen3_vl", "qwen35", "evocua", "gui_owl")
    },
    "kimi": """## Code
```python
pyautogui.keyDown('alt')
pyautogui.keyDown('f4')
pyautogui.click(x=0.5, y=0.5)
pyautogui.keyUp('f4')
pyautogui.keyUp('alt')
```""",
    "openai_computer": '{"type": "click", "x": 10, "y": 10, "keys": ["ALT", "F4"]}',
    "claude": '{"name": "left_click", "input": {"coordinate": [10, 10], "keys": "alt+f4"}}',
}


@pytest.mark.parametrize("name", WITH_A_KEY)
def test_no_key_but_modifiers_is_pressed_by_a_click(name: str) -> None:
    """With one that were so, a chord or a text would be pressed that no rule has seen."""
    check_refused(name, WITH_A_KEY[name], "only CTRL, SHIFT, ALT and WIN can be held, and F4")
