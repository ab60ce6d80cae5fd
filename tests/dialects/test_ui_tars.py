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

HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
UI_TARS: Table = {
    # native
    "click": ("Thought: OK.\nAction: click(point='<point>250 500</point>')", [CLICK]),
    "double": ("Action: left_double(point='<point>250 500</point>')", [Click(at=HERE, count=2)]),
    "right": (
        "Action: right_single(point='<point>250 500</point>')",
        [Click(at=HERE, button="right")],
    ),
    "drag": (
        "Action: drag(start_point='<point>0 0</point>', end_point='<point>250 500</point>')",
        [Drag(path=(at(0, 0), HERE))],
    ),
    "hotkey": ("Action: hotkey(key='ctrl c')", [Keypress(keys=("CTRL", "C"))]),
    "type": ("Action: type(content='8.8.8.8\\n')", [Type(text="8.8.8.8\n")]),
    "type quotes": (r"""Action: type(content='it\'s \"x\" \\')""", [Type(text='it\'s "x" \\')]),
    "scroll": (
        "Action: scroll(point='<point>250 500</point>', direction='down')",
        [Scroll(at=HERE, dy=5)],
    ),
    "scroll left": ("Action: scroll(direction='left')", [Scroll(dx=-5)]),
    "wait": ("Action: wait()", [Wait(seconds=5)]),
    "finished": ("Action: finished(content='It is 42.')", [Done(answer="It is 42.")]),
    "finished without words": ("Action: finished()", [Done()]),
    "failed": ("Action: finished(content='FAILED: no menu')", [Fail(reason="no menu")]),
    "ask": ("Thought: Which file?\nAction: call_user()", [Ask(question="Which file?")]),
    "ask in words": ("Action: call_user(content='Which?')", [Ask(question="Which?")]),
    # the older spellings
    "start_box": ("Action: click(start_box='(250,500)')", [CLICK]),
    "box marks": ("Action: click(start_box='<|box_start|>(250,500)<|box_end|>')", [CLICK]),
    "bbox": ("Action: click(start_box='<bbox>250 500 250 500</bbox>')", [CLICK]),
    "box of four": ("Action: click(start_box='[200, 400, 300, 600]')", [CLICK]),
    "zero is a place": ("Action: click(start_box='[0, 0, 0, 0]')", [Click(at=at(0, 0))]),
    "no brackets": (
        "Action: left_double(start_box='250, 500, 250, 500')",
        [Click(at=HERE, count=2)],
    ),
    "drag boxes": (
        "Action: drag(start_box='[0,0]', end_box='[250,500]')",
        [Drag(path=(at(0, 0), HERE))],
    ),
    # sloppy
    "several": (
        "Action: click(point='<point>250 500</point>')\n\ntype(content='a')\n\nhotkey(key='enter')",
        [CLICK, Type(text="a"), Keypress(keys=("ENTER",))],
    ),
    "two labels": (
        "Action: wait()\nAction: click(start_box='(250,500)')",
        [Wait(seconds=5), CLICK],
    ),
    "full-width colon": ("Thought：好\nAction：click(start_box='(250,500)')", [CLICK]),
    "no label": ('click(start_box="(250,500)")', [CLICK]),
    "words, no label": ("I click on it.\nclick(start_box='(250,500)')", [CLICK]),
    "raw newline": ("Action: type(content='doubao.com\n')", [Type(text="doubao.com\n")]),
    "raw quotes": ("Action: type(content='it's (fine), ok')", [Type(text="it's (fine), ok")]),
    "without quotes": ("Action: click(start_box=[250, 500])", [CLICK]),
    "by position": ("Action: click('<point>250 500</point>')", [CLICK]),
    "tags as text": (
        "Action: type(content='use ```bash``` <output>a</output>')",
        [Type(text="use ```bash``` <output>a</output>")],
    ),
    "labels as text": (
        "Thought: x\nAction: type(content='a\nAction: wait()\nThought: b')",
        [Type(text="a\nAction: wait()\nThought: b")],
    ),
    # wrapped
    "thinking": (
        "<think>click(start_box='(1,1)')</think>\nAction: click(start_box='(250,500)')",
        [CLICK],
    ),
    "reflection": (
        "Reflection: it failed\nAction_Summary: again\nAction: click(start_box='(250,500)')",
        [CLICK],
    ),
    "output tags": (
        "<Thought>x</Thought>\nAction: click(start_box='(250,500)')\n</Output>",
        [CLICK],
    ),
    "environment": (
        "<computer_env>\nAction: click(point='<point>250 500</point>')\n</computer_env>",
        [CLICK],
    ),
    "answer": ("<answer>\nIt is 42.\n</answer>", [Done(answer="It is 42.")]),
    "fence": ("```\nThought: x\nAction: wait()\n```", [Wait(seconds=5)]),
    "decoy": (
        "Thought: swipe(start_box='(693,685)', end_box='(7,3)')\n\nAction: scroll(direction='up')",
        [Scroll(dy=-5)],
    ),
    # held
    "press and release": (
        "Action: press(key='alt')\nrelease(key='alt')",
        [Keypress(keys=("ALT",))],
    ),
    "mouse down and up": (
        "Action: mouse_down(point='<point>0 0</point>')\nmouse_up(point='<point>250 500</point>')",
        [Drag(path=(at(0, 0), HERE))],
    ),
}


@pytest.mark.parametrize(("reply", "expected"), UI_TARS.values(), ids=UI_TARS.keys())
def test_ui_tars(reply: str, expected: list[Action]) -> None:
    check("ui_tars", reply, expected)


REFUSED: Refused = {
    "empty place": ("Action: click(start_box='')", "two numbers"),
    "empty place of a scroll": ("Action: scroll(point='', direction='up')", "two numbers"),
    "fractions": ("Action: click(start_box='(0.5,0.3)')", "is a fraction"),
    "no place": ("Action: click()", "place is missing"),
    "no number": ("Action: click(start_box='=')", "not a pair"),
    "no action": ("Thought: hm\nAction:", "no call"),
    "thought only": ("Thought: click(start_box='(1,2)')", "no call"),
    "prose": ("I would click on OK.", "no call"),
    "prose after the label": ("Action: I click on OK", "is not a call"),
    "unknown": ("Action: fly(start_box='(1,2)')", "no action `fly`"),
    "code": ('Action: click(start_box="_payload()")', "not a"),
    "not a number": ("Action: click(start_box='(nan,1)')", "not a number"),
    "too large": ("Action: click(start_box='(1e1000,1)')", "not a number"),
    "boolean": ("Action: click(start_box='(True,1)')", "not a number"),
    "pixels": ("Action: click(start_box='(1280,700)')", "from 0 to 1000"),
    "no end": ("Action: type(content='abc", "no end"),
    "no bracket": ("Action: type(content='abc'", "no end"),
    "junk behind": ("Action: type(content='f('x')')", "is not a call"),
    "words behind": ("Action: wait()\nThen I look again.", "only calls"),
    "quoted action": (
        "Thought: It says:\nAction: click(start_box='(1,1)')\nI do not.\nAction: wait()",
        "only calls",
    ),
    "quoted action in a fence": (
        "Thought: It says:\n```\nAction: click(start_box='(1,1)')\n```\nAction: wait()",
        "only calls",
    ),
    "answer without its end": ("<answer>It says:\nAction: wait()", "</answer>"),
    "no direction": ("Action: scroll(point='<point>1 1</point>')", "up, down, left, right"),
    "half a drag": ("Action: drag(start_box='(1,1)')", "place is missing"),
    "no text": ("Action: type(content='')", "text is missing"),
    "bad sibling": ("Action: wait()\n\nclick(start_box='(1,)')", "pair of coordinates"),
    "calls after words": ("Action: wait()\nand then\nclick(start_box='(1,1)')", "only calls"),
    "key stays down": ("Action: press(key='ctrl')", "let go"),
}


@pytest.mark.parametrize(("reply", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(reply: str, words: str) -> None:
    check_refused("ui_tars", reply, words)


SENT = (1932, 1092)
UI_TARS_15: Table = {
    "click": (
        "Action: click(start_box='<|box_start|>(966,546)<|box_end|>')",
        [Click(at=at(0.5, 0.5))],
    ),
    "a box": ("Action: click(start_box='(900,500,1032,592)')", [Click(at=at(0.5, 0.5))]),
    "ask": ("Action: call_user()", [Ask(question="The model needs you.")]),
}


@pytest.mark.parametrize(("reply", "expected"), UI_TARS_15.values(), ids=UI_TARS_15.keys())
def test_ui_tars_15(reply: str, expected: list[Action]) -> None:
    check("ui_tars_15", reply, expected, SENT)


def test_the_version_and_not_the_text_says_what_a_number_means() -> None:
    reply = "Action: click(start_box='(660,1059)')"
    click = parse("ui_tars_15", reply, sent=SENT).actions[0]
    assert isinstance(click, Click)
    assert click.at
    assert (round(click.at.x * 1920), round(click.at.y * 1080)) == (656, 1047)
    check_refused("ui_tars", reply, "from 0 to 1000")


def seed(function: str, **parameters: str) -> str:
    inner = "".join(f"<parameter={k}>{v}</parameter>\n" for k, v in parameters.items())
    return f"<seed:tool_call>\n<function={function}>\n{inner}</function>\n</seed:tool_call>"


UI_TARS_2: Table = {
    "click": (seed("click", point="<point>250 500</point>"), [CLICK]),
    "thought": (f"<thinkt>hm</thinkt>Go.{seed('click', point='<point>250 500</point>')}", [CLICK]),
    "other thought": (
        f"<gui_think>hm</gui_think>{seed('click', point='<point>250 500</point>')}",
        [CLICK],
    ),
    "long tag": (
        "<think_never_used_51bce0c785ca2f68081bfa7d91973934>x"
        f"</think_never_used_51bce0c785ca2f68081bfa7d91973934>{seed('wait', time='2')}",
        [Wait(seconds=2)],
    ),
    "move": (seed("move_to", point="<point>250 500</point>"), [Move(at=HERE)]),
    "held": (
        seed("press", key="shift")
        + seed("click", point="<point>250 500</point>")
        + seed("release", key="shift"),
        [Click(at=HERE, keys=("SHIFT",))],
    ),
    "look": (seed("take_screenshot"), [Wait(seconds=0)]),
    "the older form around tags": (
        "Thought: x\nAction: type(content='<seed:tool_call>')",
        [Type(text="<seed:tool_call>")],
    ),
    "the older form": ("Thought: x\nAction: click(point='<point>250 500</point>')", [CLICK]),
}


@pytest.mark.parametrize(("reply", "expected"), UI_TARS_2.values(), ids=UI_TARS_2.keys())
def test_ui_tars_2(reply: str, expected: list[Action]) -> None:
    check("ui_tars_2", reply, expected)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (seed("fly"), "no action `fly`"),
        (seed("click", point="<point>1280 5</point>"), "from 0 to 1000"),
        ("<seed:tool_call>click</seed:tool_call>", "not JSON"),
        ("I click on OK.", "no call"),
    ],
)
def test_ui_tars_2_refuses(reply: str, words: str) -> None:
    check_refused("ui_tars_2", reply, words)


def test_calls_from_the_server() -> None:
    called = ToolCall("click", {"point": "<point>250 500</point>"})
    assert parse("ui_tars_2", "", calls=[called]).actions == (CLICK,)
    assert parse("ui_tars", "", calls=[called]).actions == (CLICK,)
