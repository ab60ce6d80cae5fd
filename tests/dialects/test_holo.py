from __future__ import annotations

import json

import pytest

from cua.dialects.registry import create
from cua.types import (
    Action,
    Click,
    Done,
    Fail,
    Keypress,
    ToolCall,
    Type,
)

from .table import Table, at, check, check_refused, parse


def three(tool_name: str, **arguments: object) -> str:
    call = {"tool_name": tool_name, **arguments}
    return json.dumps({"note": None, "thought": "Go on.", "tool_call": call})


def two(action: str, **arguments: object) -> str:
    return json.dumps({"note": "", "thought": "Go on.", "action": {"action": action, **arguments}})


HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
AT = {"element": "OK", "x": 250, "y": 500}
HOLO3: Table = {
    "click": (three("click", **AT), [CLICK]),
    "write": (three("write", text="abc"), [Type(text="abc")]),
    "write at": (
        three("write", **AT, content="abc", press_enter=True),
        [CLICK, Type(text="abc"), Keypress(keys=("ENTER",))],
    ),
    "hotkey": (three("hotkey", keys="ctrl+s"), [Keypress(keys=("CTRL", "S"))]),
    "answer": (three("answer", answer="42"), [Done(answer="42")]),
    "of its own harness": (three("click_desktop", element="OK", x=0.25, y=0.5), [CLICK]),
    "write of its own harness": (three("write_desktop", content="abc"), [Type(text="abc")]),
    "where it is": ('{"x": 250, "y": 500}', [CLICK]),
    "in tags": (
        "<tool_call>\n<function=click_desktop>\n<parameter=element>OK</parameter>\n"
        "<parameter=x>0.25</parameter>\n<parameter=y>0.5</parameter>\n</function>\n</tool_call>",
        [CLICK],
    ),
}
HOLO2: Table = {
    "click": (two("click_element", **AT), [CLICK]),
    "write": (
        two("write_element_abs", **AT, content="abc"),
        [CLICK, Type(text="abc"), Keypress(keys=("ENTER",))],
    ),
    "back": (two("go_back"), [Keypress(keys=("ALT", "LEFT"))]),
    "refresh": (two("refresh"), [Keypress(keys=("F5",))]),
    "goto": (
        two("goto", url="example.org"),
        [Keypress(keys=("CTRL", "L")), Type(text="example.org"), Keypress(keys=("ENTER",))],
    ),
    "answer": (two("answer", content="42"), [Done(answer="42")]),
    "answer that it failed": (two("answer", content="FAILED: no"), [Fail(reason="no")]),
    "where it is": ('{"x": 250, "y": 500}', [CLICK]),
}
CASES = [
    pytest.param(name, *case, id=f"{name} {what}")
    for name, table in {"holo3": HOLO3, "holo2": HOLO2}.items()
    for what, case in table.items()
]


@pytest.mark.parametrize(("name", "reply", "expected"), CASES)
def test_reply(name: str, reply: str, expected: list[Action]) -> None:
    check(name, reply, expected)


HALF = at(0.5, 0.5)
PIXELS = {"element": "OK", "x": 644, "y": 364}
HOLO15: Table = {
    "click": ('{"action": "click_absolute", "x": 644, "y": 364}', [Click(at=HALF)]),
    "in a step": (two("click_element", **PIXELS), [Click(at=HALF)]),
    "last pixel": ('{"action": "click_absolute", "x": 1288, "y": 728}', [Click(at=at(1, 1))]),
}


@pytest.mark.parametrize(("reply", "expected"), HOLO15.values(), ids=HOLO15.keys())
def test_holo15(reply: str, expected: list[Action]) -> None:
    check("holo15", reply, expected, (1288, 728))


@pytest.mark.parametrize(
    ("name", "reply", "words"),
    [
        ("holo3", three("click", x=0.25, y=1001), "from 0 to 1000"),
        ("holo3", three("click_desktop", x=250, y=500), "fractions"),
        ("holo3", three("restart"), "no action `restart`"),
        ("holo3", "I click on OK.", "no JSON"),
        ("holo3", '{"note": "", "thought": "hm"}', "which one it is"),
        ("holo2", two("goto"), "URL is missing"),
        ("holo15", two("click_element", x=1300, y=5), "1280 x 720"),
        ("holo15", '{"action": "click_absolute", "x": 947', "not complete"),
    ],
)
def test_refused(name: str, reply: str, words: str) -> None:
    check_refused(name, reply, words)


@pytest.mark.parametrize("name", ["holo2", "holo3"])
def test_the_note_may_be_null_for_the_server_too(name: str) -> None:
    schema = create(name).schema
    assert schema
    assert {"type": "null"} in schema["properties"]["note"]["anyOf"]


def test_note_and_thought_are_its_words() -> None:
    reply = '{"note": "IP 10.0.0.1", "thought": "Next.", "tool_call": {"tool_name": "wait"}}'
    assert parse("holo3", reply).thought == "IP 10.0.0.1\nNext."


def test_calls_from_the_server() -> None:
    assert parse("holo3", "", calls=[ToolCall("click", {**AT})]).actions == (CLICK,)
    called = ToolCall("click_desktop", {"element": "OK", "x": 0.25, "y": 0.5})
    assert parse("holo3", "Go on.", calls=[called]).actions == (CLICK,)
