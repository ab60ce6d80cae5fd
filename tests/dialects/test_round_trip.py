"""Actions -> the family's own text -> the same actions, for what each family can say."""

from __future__ import annotations

import functools
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cua.dialects import registry, tool_calls
from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Fail,
    FormatError,
    Keypress,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
)

from . import writers
from .table import actions, parse
from .test_hostile import FRAGMENTS
from .writers import Writer, step

SENT = (1288, 728)

places = st.tuples(st.integers(0, 1000), st.integers(0, 1000))
text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
MARKUP = [
    *FRAGMENTS, "\nAction: ", "\nThought: ", "\nMemory: ", "<output>", "<answer>", "</conclusion>",
    "</thinking>", "◁/think▷", "\n```\n", "\n{", "')", '")', "', ",
    "\\n", "\\'", "）", "「", "»", "؟",
    "\nmouse 0.5 0.5 1\n", "DONE: ", '"}', "]}",
]  # fmt: skip
marked_up = st.builds(
    Type,
    text=st.lists(
        st.sampled_from(MARKUP) | st.text(st.characters(exclude_categories=["Cs"]), max_size=2),
        min_size=1,
        max_size=8,
    )
    .map("".join)
    .filter(len),
)
reasonings = st.sampled_from(["", "<think>a\nb</think>\n", "That is it.\n</think>\n\n"])
spoken = st.text(st.characters(categories=["L"]), min_size=1)  # words, without blanks around them
chords = st.sampled_from(
    [("CTRL", "C"), ("ENTER",), ("ALT", "F4"), ("CTRL", "SHIFT", "T"), ("F5",)]
)
notches = st.integers(1, 8).map(lambda n: {"dy": n}) | st.integers(1, 8).map(lambda n: {"dy": -n})
sideways = st.integers(1, 8).map(lambda n: {"dx": n}) | st.integers(1, 8).map(lambda n: {"dx": -n})


@functools.cache  # a new strategy for each example would be most of the time
def said(full: tuple[float, float], kinds: str) -> st.SearchStrategy[Action]:
    """The actions of which a family has the kinds, at places that its numbers can name."""
    width, height = full
    point = (
        places.map(
            lambda p: Point(
                x=round(p[0] * width / 1000) / width, y=round(p[1] * height / 1000) / height
            )
        )
        if width > 1
        else places.map(lambda p: Point(x=p[0] / 1000, y=p[1] / 1000))
    )
    clicks = st.sampled_from([("left", 1), ("right", 1), ("left", 2)])
    more = st.sampled_from([("middle", 1), ("left", 3)])
    strategies: dict[str, st.SearchStrategy[Action]] = {
        "click": st.builds(
            lambda at, how: Click(at=at, button=how[0], count=how[1]), point, clicks
        ),
        "more": st.builds(lambda at, how: Click(at=at, button=how[0], count=how[1]), point, more),
        "here": st.just(Click()),
        "move": st.builds(Move, at=point),
        "drag": st.builds(Drag, path=st.tuples(point, point)),
        "dragto": st.builds(Drag, path=st.tuples(point)),
        "scroll": st.builds(lambda at, how: Scroll(at=at, **how), point, notches),
        "sideways": st.builds(lambda at, how: Scroll(at=at, **how), point, sideways),
        "five": st.builds(Scroll, at=point, dy=st.sampled_from([5, -5])),
        "type": st.builds(Type, text=text),
        "keys": st.builds(Keypress, keys=chords),
        "wait": st.builds(Wait, seconds=st.integers(1, 60)),
        "wait5": st.just(Wait(seconds=5)),
        "done": st.just(Done()),
        "fail": st.just(Fail()),
        "ask": st.builds(Ask, question=spoken),
    }
    return st.one_of([strategies[kind] for kind in kinds.split()])


QWEN = "click more here move dragto scroll sideways type keys wait done fail ask"
JSON = "click move drag scroll sideways type keys wait done fail ask"
FAMILIES: dict[str, tuple[Writer, tuple[float, float], str]] = {
    "qwen25_vl": (writers.qwen_json, SENT, QWEN),
    "qwen3_vl": (writers.qwen_json, (1000, 1000), QWEN),
    "gui_owl": (writers.qwen_json, SENT, QWEN),
    "gui_owl_15": (writers.qwen_json, (1000, 1000), QWEN),
    "evocua": (writers.qwen_json, (1000, 1000), QWEN),
    "mai_ui": (writers.qwen_json, (999, 999), QWEN),
    "qwen35": (writers.qwen_tags, (1000, 1000), QWEN),
    "qwen38": (writers.qwen_tags, (1000, 1000), QWEN),
    "ui_tars": (writers.ui_tars, (1000, 1000), "click drag five type keys wait5 done ask"),
    "doubao": (writers.ui_tars, (1000, 1000), "click drag five type keys wait5 done ask"),
    "ui_tars_15": (writers.ui_tars, SENT, "click drag five type keys wait5 done ask"),
    "ui_tars_2": (writers.seed, (1000, 1000), "click drag five type keys wait5 done ask"),
    "glm_v": (writers.glm, (1000, 1000), "click move drag scroll type keys wait5 done fail"),
    "opencua": (writers.code, SENT, QWEN),
    "kimi": (writers.code, (1, 1), QWEN),
    "opencua_72b": (writers.code, (1, 1), QWEN),
    "holo15": (step("action", "action"), SENT, JSON),
    "holo2": (step("action", "action"), (1000, 1000), JSON),
    "holo3": (step("tool_call", "tool_name"), (1000, 1000), JSON),
    "openai_computer": (writers.openai, SENT, "click move drag scroll sideways type keys wait"),
    "claude": (
        writers.claude,
        SENT,
        "click more here move drag scroll sideways type keys wait ask",
    ),
    "gemini": (writers.gemini, (1000, 1000), "click move drag scroll sideways type keys wait"),
    "json": (step("action", "kind"), (1000, 1000), JSON),
}
TAGGED = ["qwen35", "qwen38", "ui_tars_2"]
ONE_AT_A_TIME = (writers.glm, writers.code, writers.qwen_tags, writers.seed)
IN_A_ROW = [name for name, (write, *_) in FAMILIES.items() if write not in ONE_AT_A_TIME]
TAG = re.compile(r"</?(parameter|function)\b")
CLOSING = re.compile(r"</parameter>\s*(</function>|<parameter=)")


def test_every_family_is_tested_here() -> None:
    tested_elsewhere = {"kvm"}  # in test_kvm_lines.py
    missing = {name for name, *_ in registry.names()} - FAMILIES.keys() - tested_elsewhere
    assert not missing, "each needs a row in FAMILIES, with a writer of writers.py"


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=40)
@given(data=st.data())
def test_round_trip(name: str, data: st.DataObject) -> None:
    action = data.draw(said(*FAMILIES[name][1:]))
    assert actions(name, written(name, action), sent=SENT) == [action]


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=40)
@given(data=st.data())
def test_a_reply_that_is_cut_off_is_refused_or_whole(name: str, data: st.DataObject) -> None:
    action = data.draw(said(*FAMILIES[name][1:]) | marked_up)
    reply = written(name, action)
    cut = data.draw(st.integers(0, len(reply)))
    assert outcome(name, reply[:cut]) in ([action], "refused")


@pytest.mark.parametrize("name", IN_A_ROW)
@settings(max_examples=40)
@given(data=st.data())
def test_of_a_row_that_is_cut_off_only_whole_actions_remain(name: str, data: st.DataObject) -> None:
    first, second = data.draw(marked_up), data.draw(said(*FAMILIES[name][1:]))
    reply = written(name, first) + written(name, second)
    cut = data.draw(st.integers(0, len(reply)))
    assert outcome(name, reply[:cut]) in ("refused", [first], [first, second])


@pytest.mark.parametrize("name", sorted(FAMILIES.keys() - TAGGED))
@settings(max_examples=40)
@given(reasoning=reasonings, action=marked_up)
def test_text_comes_out_byte_for_byte(name: str, reasoning: str, action: Type) -> None:
    assert outcome(name, reasoning + written(name, action)) == [action]


@pytest.mark.parametrize("name", ["claude", "gemini", "openai_computer"])
@settings(max_examples=40)
@given(action=marked_up, words=marked_up)
def test_text_in_a_call_of_the_server_comes_out_byte_for_byte(
    name: str, action: Type, words: Type
) -> None:
    _, calls = tool_calls.split_calls(written(name, action))
    assert parse(name, words.text, calls=calls, sent=SENT).actions == (action,)


@pytest.mark.parametrize("name", TAGGED)
@settings(max_examples=40)
@given(reasoning=reasonings, action=marked_up)
def test_text_between_tags_comes_out_byte_for_byte_or_is_refused(
    name: str, reasoning: str, action: Type
) -> None:
    """The tags have no escapes: only text without them always comes out."""
    assume(not CLOSING.search(action.text))
    expected = [[action], "refused"] if TAG.search(action.text) else [[action]]
    assert outcome(name, reasoning + written(name, action)) in expected


def written(name: str, action: Action) -> str:
    write, full, _ = FAMILIES[name]

    def place(at: Point) -> list[float]:
        if full == (1, 1):
            return [at.x, at.y]
        return [round(at.x * full[0]), round(at.y * full[1])]

    return write(action, place)


def outcome(name: str, reply: str) -> list[Action] | str:
    try:
        return actions(name, reply, sent=SENT)
    except FormatError:
        return "refused"
