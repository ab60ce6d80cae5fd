from __future__ import annotations

import pytest

from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Fail,
    Keypress,
    Move,
    Scroll,
    ToolCall,
    Type,
    Wait,
)

from .table import Refused, Table, at, check, check_refused, parse


def box(call: str) -> str:
    return f"The dialog is open.\n<|begin_of_box|>{call}<|end_of_box|>\nMemory:\n[]"


HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
DONE = "<|begin_of_box|>DONE()<|end_of_box|>\nMemory:\n[]"
ASKED = Ask(question="There are two. Which file?")
TABLE: Table = {
    # native
    "left": (box("left_click(start_box='[250, 500]', element_info='OK button')"), [CLICK]),
    "right": (box("right_click(start_box='[250,500]')"), [Click(at=HERE, button="right")]),
    "middle": (box("middle_click(start_box='[250,500]')"), [Click(at=HERE, button="middle")]),
    "double": (box("left_double_click(start_box='[250,500]')"), [Click(at=HERE, count=2)]),
    "hover": (box("hover(start_box='[250,500]')"), [Move(at=HERE)]),
    "drag": (
        box("left_drag(start_box='[0,0]', end_box='[250,500]', element_info='icon')"),
        [Drag(path=(at(0, 0), HERE))],
    ),
    "key": (box("key(keys='ctrl+c')"), [Keypress(keys=("CTRL", "C"))]),
    "type": (box("type(content='8.8.8.8')"), [Type(text="8.8.8.8")]),
    "type brackets": (box("type(content='f(x) = [y]')"), [Type(text="f(x) = [y]")]),
    "type quotes": (box(r"type(content='it\'s\n')"), [Type(text="it's\n")]),
    "scroll": (
        box("scroll(start_box='[250,500]', direction='down', step=3, element_info='list')"),
        [Scroll(at=HERE, dy=3)],
    ),
    "scroll by default": (
        box("scroll(start_box='[250,500]', direction='up')"),
        [Scroll(at=HERE, dy=-5)],
    ),
    "wait": (box("WAIT()"), [Wait(seconds=5)]),
    "done": (box("DONE()"), [Done(answer="The dialog is open.")]),
    "failed": (box("FAIL()"), [Fail(reason="The dialog is open.")]),
    "done, it says, but it is not": (f"FAILED: no menu\n{DONE}", [Fail(reason="no menu")]),
    "asks": ("QUESTION: Which file?\nMemory:\n[]", [Ask(question="Which file?")]),
    "just asks": ("There are two. Which file?\nMemory:\n[]", [ASKED]),
    "held for a click": (
        box("left_click(start_box='[250,500]', hold_keys='ctrl+shift', element_info='a')"),
        [Click(at=HERE, keys=("CTRL", "SHIFT"))],
    ),
    "held for a drag": (
        box("left_drag(start_box='[0,0]', end_box='[250,500]', hold_keys='ctrl')"),
        [Drag(path=(at(0, 0), HERE), keys=("CTRL",))],
    ),
    "held for a scroll": (
        box("scroll(start_box='[250,500]', direction='up', hold_keys='ctrl')"),
        [Scroll(at=HERE, dy=-5, keys=("CTRL",))],
    ),
    "nothing held": (box("left_click(start_box='[250,500]', hold_keys='None')"), [CLICK]),
    "answer": (box("DONE(content='It is 42.')"), [Done(answer="It is 42.")]),
    "why": (box("FAIL(content='no menu')"), [Fail(reason="no menu")]),
    "ask": (box("ASK(content='Which?')"), [Ask(question="Which?")]),
    # sloppy
    "no box": ("left_click(start_box='[250, 500]', element_info='Image (menu)')", [CLICK]),
    "no box, memory": (
        "I click.\nleft_click(start_box='[250,500]')\nMemory:\n[{'a': 'f(x)'}]",
        [CLICK],
    ),
    "label": ("Action: left_click(start_box='[250,500]')", [CLICK]),
    "label in the line": ("So: Action: left_click(start_box='[250,500]')", [CLICK]),
    "label in the box": (box("Action: left_click(start_box='[250,500]')"), [CLICK]),
    "marks in the text": (
        box("type(content='<|end_of_box|>\\nMemory: <|begin_of_box|>')"),
        [Type(text="<|end_of_box|>\nMemory: <|begin_of_box|>")],
    ),
    "marks in the memory": (
        "<|begin_of_box|>WAIT()<|end_of_box|>\nMemory: <|begin_of_box|>DONE()<|end_of_box|>",
        [Wait(seconds=5)],
    ),
    "fence": (box("```python\nleft_click(start_box='[250,500]')\n```"), [CLICK]),
    "full box": (box("left_click(start_box='[200,400,300,600]')"), [CLICK]),
    "two": (box("left_click(start_box='[250,500]')\ntype(content='a')"), [CLICK, Type(text="a")]),
    # wrapped
    "thinking": (f"<think>left_click?</think>{box('WAIT()')}", [Wait(seconds=5)]),
    "call in the memory": (
        "<|begin_of_box|>WAIT()<|end_of_box|>\nMemory:\n[\"left_click(start_box='[1,1]')\"]",
        [Wait(seconds=5)],
    ),
}


@pytest.mark.parametrize(("reply", "expected"), TABLE.values(), ids=TABLE.keys())
def test_reply(reply: str, expected: list[Action]) -> None:
    check("glm_v", reply, expected)


REFUSED: Refused = {
    "prose": ("I click on OK.", "no action"),
    "prose in the box": (box("click on OK"), "is not a call"),
    "empty box": (box(""), "no action"),
    "unknown": (box("fly()"), "no action `fly`"),
    "empty place": (box("scroll(start_box='', direction='up')"), "two numbers"),
    "no place": (box("left_click(element_info='OK')"), "place is missing"),
    "outside": (box("left_click(start_box='[1280, 5]')"), "from 0 to 1000"),
    "code": (box("left_click(start_box='[f(), 5]')"), "not a"),
    "no end": (box("type(content='abc"), "no end"),
    "no direction": (box("scroll(start_box='[5,5]')"), "up, down"),
    "too far": (box("scroll(start_box='[5,5]', direction='up', step=1000)"), "1 to 100"),
    "bad sibling": (box("WAIT()\nfly()"), "no action `fly`"),
    "box not closed": ("Go. <|begin_of_box|>left_click(start_box='[250,500]')", "end_of_box"),
    "junk behind": (box("WAIT() and then"), "is not a call"),
}


@pytest.mark.parametrize(("reply", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(reply: str, words: str) -> None:
    check_refused("glm_v", reply, words)


def test_the_memory_is_among_its_words() -> None:
    turn = parse("glm_v", "OK.\n<|begin_of_box|>WAIT()<|end_of_box|>\nMemory:\n[1]")
    assert turn.thought == "OK.\nMemory:\n[1]"


def test_calls_from_the_server() -> None:
    called = ToolCall("left_click", {"start_box": [250, 500]})
    assert parse("glm_v", "", calls=[called]).actions == (CLICK,)
