from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from cua.dialects.registry import create
from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Eject,
    Fail,
    Keypress,
    Mount,
    Move,
    Power,
    Scroll,
    ToolCall,
    Type,
    Wait,
)

from .table import Refused, Table, actions, at, check_refused, parse


def step(kind: str, **arguments: object) -> str:
    return json.dumps({"thought": "Go on.", "action": {"kind": kind, **arguments}})


HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
TABLE: Table = {
    # as the prompt asks for it
    "click": (step("click", x=250, y=500), [CLICK]),
    "double": (step("double_click", x=250, y=500), [Click(at=HERE, count=2)]),
    "right": (step("right_click", x=250, y=500), [Click(at=HERE, button="right")]),
    "move": (step("move", x=250, y=500), [Move(at=HERE)]),
    "drag": (step("drag", x=0, y=0, to_x=250, to_y=500), [Drag(path=(at(0, 0), HERE))]),
    "scroll": (step("scroll", x=250, y=500, direction="down", amount=3), [Scroll(at=HERE, dy=3)]),
    "type": (step("type", text="8.8.8.8\n"), [Type(text="8.8.8.8\n")]),
    "press": (step("press", keys="ctrl+s"), [Keypress(keys=("CTRL", "S"))]),
    "wait": (step("wait", seconds=2), [Wait(seconds=2)]),
    "done": (step("done", answer="42"), [Done(answer="42")]),
    "done without words": (step("done", answer=""), [Done()]),
    "fail": (step("fail", reason="no menu"), [Fail(reason="no menu")]),
    "ask": (step("ask", question="Which?"), [Ask(question="Which?")]),
    "power": (step("power", button="hold"), [Power(button="hold_power")]),
    "mount": (step("mount", image="a.iso", drive="disk"), [Mount(image="a.iso", drive="disk")]),
    "mount a CD": (step("mount", image="a.iso"), [Mount(image="a.iso")]),
    "eject": (step("eject"), [Eject()]),
    # sloppy
    "flat": ('{"thought": "x", "action": "click", "x": 250, "y": 500}', [CLICK]),
    "bare": ('{"kind": "click", "x": 250, "y": 500}', [CLICK]),
    "another tag": ('{"action": {"type": "click", "x": 250, "y": 500}}', [CLICK]),
    "coordinate": ('{"action": {"kind": "click", "coordinate": [250, 500]}}', [CLICK]),
    "numbers as text": ('{"action": {"kind": "click", "x": "250", "y": "500"}}', [CLICK]),
    "several": (
        '{"actions": [{"kind": "click", "x": 250, "y": 500}, {"kind": "wait"}]}',
        [CLICK, Wait(seconds=2)],
    ),
    "two objects": (f"{step('click', x=250, y=500)}\n{step('wait')}", [CLICK, Wait(seconds=2)]),
    "keys as a list": (step("press", keys=["ctrl", "s"]), [Keypress(keys=("CTRL", "S"))]),
    "python's spelling": (
        "{'thought': 'x', 'action': {'kind': 'wait', 'seconds': 1}}",
        [Wait(seconds=1)],
    ),
    "comma too many": ('{"action": {"kind": "click", "x": 250, "y": 500,},}', [CLICK]),
    "brace missing": (
        '<tool_call>{"action": {"kind": "type", "text": "abc"}</tool_call>',
        [Type(text="abc")],
    ),
    # wrapped
    "fence": (f"```json\n{step('click', x=250, y=500)}\n```", [CLICK]),
    "words around": (f"I click.\n{step('click', x=250, y=500)}\nThat is it.", [CLICK]),
    "thinking": (f"<think>{step('wait')}</think>{step('click', x=250, y=500)}", [CLICK]),
    "tags": (f"<tool_call>{step('click', x=250, y=500)}</tool_call>", [CLICK]),
    "much whitespace": ('{\n\n\t"action" :\n\n\t\t{ "kind" : "wait" }\n}', [Wait(seconds=2)]),
}


@pytest.mark.parametrize(("reply", "expected"), TABLE.values(), ids=TABLE.keys())
def test_reply(reply: str, expected: list[Action]) -> None:
    assert actions("json", reply) == expected


REFUSED: Refused = {
    "prose": ("I click on OK.", "no JSON"),
    "not an action": ('{"thought": "hm"}', "which one it is"),
    "unknown": (step("fly"), "no action `fly`"),
    "outside": (step("click", x=1280, y=5), "from 0 to 1000"),
    "cut": ('{"action": {"kind": "click", "x": 25', "not complete"),
    "brace missing at the end": ('{"action": {"kind": "type", "text": "abc"}', "not complete"),
    "cut text": ('{"action": {"kind": "type", "text": "ab', "closing quote"),
    "no direction": (step("scroll", x=1, y=1), "up, down"),
    "no text": (step("type", text=""), "text is missing"),
    "no keys": (step("press"), "No key"),
    "bad sibling": (f"{step('wait')}\n{step('fly')}", "no action `fly`"),
    "after the end": (f"{step('done')}\n{step('wait')}", "no other action"),
    "list of words": ('{"actions": ["click"]}', "JSON object"),
    "no actions": ('{"actions": []}', "no action"),
    "half a place": ('{"action": {"kind": "click", "x": 5}}', "not a number"),
    "no such button": (step("power", button="x"), "press, hold, reset, wake"),
    "no image": (step("mount"), "image's name is missing"),
    "no place": ('{"action": {"kind": "click"}}', "place is missing"),
}


@pytest.mark.parametrize(("reply", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(reply: str, words: str) -> None:
    check_refused("json", reply, words)


def test_calls_from_the_server() -> None:
    called = ToolCall("click", {"x": 250, "y": 500})
    assert parse("json", "Go.", calls=[called]).actions == (CLICK,)


SAMPLES = {"integer": 500, "string": "CTRL+S"}


def examples(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A reply for each kind of action that a schema allows."""
    *_, name = schema["properties"]
    texts = {key: "x" for key in schema["required"] if key != name}
    for variant in schema["properties"][name]["anyOf"]:
        action = {key: _sample(each) for key, each in variant["properties"].items()}
        yield {**texts, name: action}


def _sample(schema: dict[str, Any]) -> object:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    return min(SAMPLES["integer"], schema["maximum"]) if schema["type"] == "integer" else "CTRL"


@pytest.mark.parametrize("name", ["json", "holo2", "holo3"])
def test_all_that_the_schema_allows_is_understood(name: str) -> None:
    schema = getattr(create(name), "schema")  # noqa: B009
    kinds = {actions(name, json.dumps(reply))[-1].kind for reply in examples(schema)}
    everything = {"click", "move", "drag", "scroll", "type", "keypress", "wait", "done", "fail"}
    of_the_kvm = {"power", "mount", "eject"} if name == "json" else set()
    assert kinds == everything | {"ask"} | of_the_kvm
