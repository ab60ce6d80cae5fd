"""The families that were made from Qwen's JSON calls and differ in space, verbs or wrapping."""

from __future__ import annotations

import json

import pytest

from cua.types import Action, Ask, Click, Done, Drag, Fail, Keypress, Move, Scroll, Type, Wait

from .table import Refused, Table, at, check, check_refused, parse


def call(function: str = "computer_use", /, **arguments: object) -> str:
    body = json.dumps({"name": function, "arguments": arguments})
    return f"<tool_call>\n{body}\n</tool_call>"


# Qwen2.5-VL: pixels of what was sent, here 1288 x 728

SENT = (1288, 728)
HALF = at(0.5, 0.5)
QWEN25: Table = {
    "left": (call(action="left_click", coordinate=[644, 364]), [Click(at=HALF)]),
    "right": (call(action="right_click", coordinate=[644, 364]), [Click(at=HALF, button="right")]),
    "double": (call(action="double_click", coordinate=[644, 364]), [Click(at=HALF, count=2)]),
    "at the pointer": (call(action="left_click"), [Click()]),
    "move": (call(action="mouse_move", coordinate=[644, 364]), [Move(at=HALF)]),
    "drag": (call(action="left_click_drag", coordinate=[644, 364]), [Drag(path=(HALF,))]),
    "last pixel": (call(action="left_click", coordinate=[1288, 728]), [Click(at=at(1, 1))]),
    "key": (call(action="key", keys=["alt", "f4"]), [Keypress(keys=("ALT", "F4"))]),
    "type": (call(action="type", text="8.8.8.8\n"), [Type(text="8.8.8.8\n")]),
    "scroll": (
        call(action="scroll", coordinate=[644, 364], pixels=-300),
        [Scroll(at=HALF, dy=3)],
    ),
    "thinking": (
        f"<thinking>\nOK is at 644, 364.\n</thinking>\n{call(action='wait', time=2)}",
        [Wait(seconds=2)],
    ),
    "no end tag": (f"Action: Click.\n{call(action='wait', time=2)[:-12]}", [Wait(seconds=2)]),
    "done": (call(action="terminate", status="success"), [Done()]),
    "failed": (call(action="terminate", status="failure"), [Fail()]),
}


@pytest.mark.parametrize(("reply", "expected"), QWEN25.values(), ids=QWEN25.keys())
def test_qwen25_vl(reply: str, expected: list[Action]) -> None:
    check("qwen25_vl", reply, expected, SENT)


def test_qwen25_vl_on_a_full_hd_screen() -> None:
    click = call(action="left_click", coordinate=[966, 546])
    check("qwen25_vl", click, [Click(at=at(0.5, 0.5))], (1932, 1092))


QWEN25_REFUSED: Refused = {
    "outside": (call(action="left_click", coordinate=[1300, 5]), "pixels of the 1288 x 728"),
    "below": (call(action="left_click", coordinate=[5, 729]), "pixels of the 1288 x 728"),
    "prose": ("Click on OK.", "no call"),
    "unknown action": (call(action="fly", text="x"), "no action `fly`"),
    "fractions": (call(action="left_click", coordinate=[0.5, 0.3]), "0.5 is a fraction"),
}


@pytest.mark.parametrize(("reply", "words"), QWEN25_REFUSED.values(), ids=QWEN25_REFUSED.keys())
def test_qwen25_vl_refuses(reply: str, words: str) -> None:
    check_refused("qwen25_vl", reply, words, SENT)


# GUI-Owl: Qwen2.5's calls between thoughts


def owl(**arguments: object) -> str:
    thinking = "<thinking>The last click opened it. left_click next?</thinking>"
    return f"{thinking}{call(**arguments)}<conclusion>Go on.</conclusion>"


GUI_OWL: Table = {
    "click": (owl(action="click", coordinate=[644, 364]), [Click(at=HALF)]),
    "right": (owl(action="right_click", coordinate=[644, 364]), [Click(at=HALF, button="right")]),
    "middle": (
        owl(action="middle_click", coordinate=[644, 364]),
        [Click(at=HALF, button="middle")],
    ),
    "double": (owl(action="double_click", coordinate=[644, 364]), [Click(at=HALF, count=2)]),
    "move": (owl(action="mouse_move", coordinate=[644, 364]), [Move(at=HALF)]),
    "drag": (
        owl(action="drag", coordinate=[0, 0], coordinate2=[644, 364]),
        [Drag(path=(at(0, 0), HALF))],
    ),
    "key": (owl(action="key", keys=["ctrl", "c"]), [Keypress(keys=("CTRL", "C"))]),
    "type": (owl(action="type", text="abc", clear=0, enter=0), [Type(text="abc")]),
    "conclusion as text": (
        owl(action="type", text="<conclusion>a</conclusion>"),
        [Type(text="<conclusion>a</conclusion>")],
    ),
    "type, clear and enter": (
        owl(action="type", text="abc", clear=1, enter=1),
        [
            Keypress(keys=("CTRL", "A")),
            Keypress(keys=("DELETE",)),
            Type(text="abc"),
            Keypress(keys=("ENTER",)),
        ],
    ),
    "scroll": (owl(action="scroll", pixels=-5), [Scroll(dy=5)]),
    "wait": (owl(action="wait", time=3), [Wait(seconds=3)]),
    "ask": (owl(action="interact", text="Which?"), [Ask(question="Which?")]),
    "done": (owl(action="terminate", status="success"), [Done()]),
    "failed": (owl(action="terminate", status="failure"), [Fail()]),
}


@pytest.mark.parametrize(("reply", "expected"), GUI_OWL.values(), ids=GUI_OWL.keys())
def test_gui_owl(reply: str, expected: list[Action]) -> None:
    check("gui_owl", reply, expected, SENT)


def test_gui_owl_shows_its_thinking() -> None:
    turn = parse("gui_owl", owl(action="wait", time=1))
    assert turn.thought == "The last click opened it. left_click next?\nGo on."


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (f"<thinking>{call(action='wait', time=1)}</thinking>", "in the reply"),
        ("<thinking>x</thinking><conclusion>I clicked it.</conclusion>", "no call"),
        (owl(action="click", coordinate=[2000, 5]), "pixels of the 1280 x 720"),
        (owl(action="drag", coordinate=[5, 5], coordinate2=[5]), "pair of coordinates"),
    ],
)
def test_gui_owl_refuses(reply: str, words: str) -> None:
    check_refused("gui_owl", reply, words)


# thousandths, verbs of their own

QUARTER = at(0.25, 0.5)
GUI_OWL_15: Table = {
    "click": (call(action="left_click", coordinate=[250, 500]), [Click(at=QUARTER)]),
    "alias": (call(action="click", coordinate=[250, 500]), [Click(at=QUARTER)]),
    "hotkey": (call(action="hotkey", keys=["ctrl", "s"]), [Keypress(keys=("CTRL", "S"))]),
    "arrow": (call(action="key", keys=["arrowleft"]), [Keypress(keys=("ARROWLEFT",))]),
    "drag": (
        call(action="drag", coordinate=[250, 500], coordinate2=[1000, 0]),
        [Drag(path=(QUARTER, at(1, 0)))],
    ),
    "drag from the pointer": (
        call(action="left_click_drag", coordinate=[250, 500]),
        [Drag(path=(QUARTER,))],
    ),
    "type": (call(action="type", text="x"), [Type(text="x")]),
    "scroll": (call(action="scroll", coordinate=[250, 500], pixels=3), [Scroll(at=QUARTER, dy=-3)]),
    "wait": (call(action="wait", time=1), [Wait(seconds=1)]),
    "ask": (call(action="interact", text="Which one?"), [Ask(question="Which one?")]),
    "ask, alias": (call(action="call_user", text="Which one?"), [Ask(question="Which one?")]),
    "done": (call(action="terminate", status="success"), [Done()]),
    "failed": (call(action="terminate", status="failure"), [Fail()]),
    "done, alias": (call(action="done"), [Done()]),
    "stop, alias": (call(action="stop", status="failure"), [Fail()]),
}
EVOCUA: Table = {
    "held for a click": (
        call(action="key_down", keys=["ctrl"])
        + call(action="left_click", coordinate=[250, 500])
        + call(action="key_up", keys=["ctrl"]),
        [Click(at=QUARTER, keys=("CTRL",))],
    ),
    "held for two clicks": (
        call(action="key_down", text="shift")
        + call(action="left_click", coordinate=[250, 500])
        + call(action="left_click", coordinate=[0, 0])
        + call(action="key_up", text="shift"),
        [Click(at=QUARTER, keys=("SHIFT",)), Click(at=at(0, 0), keys=("SHIFT",))],
    ),
    "held for a key": (
        call(action="key_down", keys=["alt"])
        + call(action="key", keys=["tab"])
        + call(action="key_up", keys=["alt"]),
        [Keypress(keys=("ALT", "TAB"))],
    ),
    "down and up": (
        call(action="key_down", keys=["win"]) + call(action="key_up", keys=["win"]),
        [Keypress(keys=("WIN",))],
    ),
    "click": (call(action="left_click", coordinate=[250, 500]), [Click(at=QUARTER)]),
    "triple": (call(action="triple_click", coordinate=[250, 500]), [Click(at=QUARTER, count=3)]),
    "move": (call(action="mouse_move", coordinate=[250, 500]), [Move(at=QUARTER)]),
    "type": (call(action="type", text="a b"), [Type(text="a b")]),
    "scroll": (call(action="scroll", pixels=-10), [Scroll(dy=10)]),
    "wait": (call(action="wait", time=5), [Wait(seconds=5)]),
    "ask": (call(action="call_user", question="Password?"), [Ask(question="Password?")]),
    "done": (call(action="terminate", status="success"), [Done()]),
    "failed": (call(action="terminate", status="failure"), [Fail()]),
}


def mai(**arguments: object) -> str:
    return f"<thinking>\nNext.\n</thinking>\n{call('mobile_use', **arguments)}"


MAI_UI: Table = {
    "click": (mai(action="click", coordinate=[999, 0]), [Click(at=at(1, 0))]),
    "a box": (mai(action="click", coordinate=[0, 0, 999, 999]), [Click(at=at(0.5, 0.5))]),
    "double": (mai(action="double_click", coordinate=[0, 999]), [Click(at=at(0, 1), count=2)]),
    "drag": (
        mai(action="drag", start_coordinate=[0, 0], end_coordinate=[999, 999]),
        [Drag(path=(at(0, 0), at(1, 1)))],
    ),
    "type": (mai(action="type", text="hi"), [Type(text="hi")]),
    "key": (mai(action="key", keys=["enter"]), [Keypress(keys=("ENTER",))]),
    "scroll": (mai(action="scroll", direction="down"), [Scroll(dy=5)]),
    "scroll at": (
        mai(action="scroll", coordinate=[0, 0], direction="left"),
        [Scroll(at=at(0, 0), dx=-5)],
    ),
    "wait": (mai(action="wait", time=2), [Wait(seconds=2)]),
    "ask": (mai(action="ask_user", text="Which?"), [Ask(question="Which?")]),
    "answer": (mai(action="answer", text="42"), [Done(answer="42")]),
    "done": (mai(action="terminate", status="success"), [Done()]),
    "failed": (mai(action="terminate", status="fail"), [Fail()]),
}
CASES = [
    pytest.param(name, *case, id=f"{name} {what}")
    for name, table in {"gui_owl_15": GUI_OWL_15, "evocua": EVOCUA, "mai_ui": MAI_UI}.items()
    for what, case in table.items()
]


@pytest.mark.parametrize(("name", "reply", "expected"), CASES)
def test_reply(name: str, reply: str, expected: list[Action]) -> None:
    check(name, reply, expected)


@pytest.mark.parametrize(
    ("name", "reply", "words"),
    [
        ("gui_owl_15", call(action="left_click", coordinate=[1001, 5]), "from 0 to 1000"),
        ("gui_owl_15", call(action="interact"), "question is missing"),
        ("evocua", call(action="key_down", keys=["ctrl"]), "let go"),
        ("evocua", call(action="key_down", keys=["ctrl"]) + call(action="type", text="ab"), "held"),
        ("mai_ui", mai(action="click", coordinate=[1000, 0]), "from 0 to 999"),
        ("mai_ui", mai(action="swipe", direction="up"), "no action `swipe`"),
        ("mai_ui", mai(action="open", text="Settings"), "cannot be opened by its name"),
        ("gui_owl_15", call(action="open app", text="Settings"), "cannot be opened by its name"),
        ("gui_owl_15", call(action="stop"), "success if the task is done"),
        ("mai_ui", mai(action="terminate", status="maybe"), "success if the task is done"),
    ],
)
def test_refused(name: str, reply: str, words: str) -> None:
    check_refused(name, reply, words)
