"""The families that were made from Qwen's JSON calls: what they write in another way than Qwen3-VL.

`test_qwen3_vl.py` has the calls that they share, `test_round_trip.py` every action in each space.
"""

from __future__ import annotations

import json

import pytest

from cua.types import Action, Ask, Click, Done, Drag, Fail, Keypress, Scroll, Type, Wait

from .table import Table, at, check, check_refused, parse

HALF, QUARTER = at(0.5, 0.5), at(0.25, 0.5)


def call(function: str = "computer_use", /, **arguments: object) -> str:
    body = json.dumps({"name": function, "arguments": arguments})
    return f"<tool_call>\n{body}\n</tool_call>"


def owl(**arguments: object) -> str:
    thinking = "<thinking>The last click opened it. left_click next?</thinking>"
    return f"{thinking}{call(**arguments)}<conclusion>Go on.</conclusion>"


def mai(**arguments: object) -> str:
    return f"<thinking>\nNext.\n</thinking>\n{call('mobile_use', **arguments)}"


QWEN25: Table = {
    "pixels": (call(action="left_click", coordinate=[640, 360]), [Click(at=HALF)]),
    "last pixel": (call(action="left_click", coordinate=[1280, 720]), [Click(at=at(1, 1))]),
    "thinking": (
        f"<thinking>\nOK is at 644, 364.\n</thinking>\n{call(action='wait', time=2)}",
        [Wait(seconds=2)],
    ),
}
GUI_OWL: Table = {
    "click": (owl(action="click", coordinate=[640, 360]), [Click(at=HALF)]),
    "drag": (
        owl(action="drag", coordinate=[0, 0], coordinate2=[640, 360]),
        [Drag(path=(at(0, 0), HALF))],
    ),
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
    "ask": (owl(action="interact", text="Which?"), [Ask(question="Which?")]),
}
GUI_OWL_15: Table = {
    "click": (call(action="click", coordinate=[250, 500]), [Click(at=QUARTER)]),
    "hotkey": (call(action="hotkey", keys=["ctrl", "s"]), [Keypress(keys=("CTRL", "S"))]),
    "arrow": (call(action="key", keys=["arrowleft"]), [Keypress(keys=("ARROWLEFT",))]),
    "ask": (call(action="interact", text="Which one?"), [Ask(question="Which one?")]),
    "done": (call(action="done"), [Done()]),
    "stop": (call(action="stop", status="failure"), [Fail()]),
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
    "ask": (call(action="call_user", question="Password?"), [Ask(question="Password?")]),
}
MAI_UI: Table = {
    "click": (mai(action="click", coordinate=[999, 0]), [Click(at=at(1, 0))]),
    "a box": (mai(action="click", coordinate=[0, 0, 999, 999]), [Click(at=at(0.5, 0.5))]),
    "drag": (
        mai(action="drag", start_coordinate=[0, 0], end_coordinate=[999, 999]),
        [Drag(path=(at(0, 0), at(1, 1)))],
    ),
    "scroll": (mai(action="scroll", direction="down"), [Scroll(dy=5)]),
    "scroll at": (
        mai(action="scroll", coordinate=[0, 0], direction="left"),
        [Scroll(at=at(0, 0), dx=-5)],
    ),
    "ask": (mai(action="ask_user", text="Which?"), [Ask(question="Which?")]),
    "failed": (mai(action="terminate", status="fail"), [Fail()]),
}
TABLES = {
    "qwen25_vl": QWEN25,
    "gui_owl": GUI_OWL,
    "gui_owl_15": GUI_OWL_15,
    "evocua": EVOCUA,
    "mai_ui": MAI_UI,
}
CASES = [
    pytest.param(name, *case, id=f"{name} {what}")
    for name, table in TABLES.items()
    for what, case in table.items()
]


@pytest.mark.parametrize(("name", "reply", "expected"), CASES)
def test_reply(name: str, reply: str, expected: list[Action]) -> None:
    check(name, reply, expected)


@pytest.mark.parametrize(
    ("name", "reply", "words"),
    [
        ("qwen25_vl", call(action="left_click", coordinate=[1300, 5]), "pixels of the 1280 x 720"),
        ("qwen25_vl", call(action="left_click", coordinate=[5, 721]), "pixels of the 1280 x 720"),
        ("gui_owl", "<thinking>x</thinking><conclusion>I clicked it.</conclusion>", "no call"),
        ("gui_owl", owl(action="drag", coordinate=[5, 5], coordinate2=[5]), "pair of coordinates"),
        ("gui_owl_15", call(action="interact"), "question is missing"),
        ("gui_owl_15", call(action="open app", text="Settings"), "cannot be opened by its name"),
        ("gui_owl_15", call(action="stop"), "success if the task is done"),
        ("evocua", call(action="key_down", keys=["ctrl"]), "let go"),
        ("mai_ui", mai(action="click", coordinate=[1000, 0]), "from 0 to 999"),
        ("mai_ui", mai(action="swipe", direction="up"), "no action `swipe`"),
        ("mai_ui", mai(action="open", text="Settings"), "cannot be opened by its name"),
        ("mai_ui", mai(action="terminate", status="maybe"), "success if the task is done"),
    ],
)
def test_refused(name: str, reply: str, words: str) -> None:
    check_refused(name, reply, words)


def test_gui_owl_shows_its_thinking() -> None:
    turn = parse("gui_owl", owl(action="wait", time=1))
    assert turn.thought == "The last click opened it. left_click next?\nGo on."
