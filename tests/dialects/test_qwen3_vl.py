from __future__ import annotations

import json
import re

import pytest

from cua.dialects.registry import create
from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Fail,
    FormatError,
    Frame,
    Keypress,
    Move,
    Reply,
    Scroll,
    Step,
    Task,
    ToolCall,
    Type,
    Wait,
)

from .table import actions, at, parse


def call(**arguments: object) -> str:
    body = json.dumps({"name": "computer_use", "arguments": arguments})
    return f"Action: Go on.\n<tool_call>\n{body}\n</tool_call>"


HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
BODY = '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [250, 500]}}'
GOOD = f"<tool_call>{BODY}</tool_call>\n"
TABLE: dict[str, tuple[str, list[Action]]] = {
    # native
    "left": (call(action="left_click", coordinate=[250, 500]), [CLICK]),
    "right": (call(action="right_click", coordinate=[250, 500]), [Click(at=HERE, button="right")]),
    "middle": (
        call(action="middle_click", coordinate=[250, 500]),
        [Click(at=HERE, button="middle")],
    ),
    "double": (call(action="double_click", coordinate=[250, 500]), [Click(at=HERE, count=2)]),
    "triple": (call(action="triple_click", coordinate=[250, 500]), [Click(at=HERE, count=3)]),
    "at the pointer": (call(action="left_click"), [Click()]),
    "move": (call(action="mouse_move", coordinate=[250, 500]), [Move(at=HERE)]),
    "drag": (call(action="left_click_drag", coordinate=[250, 500]), [Drag(path=(HERE,))]),
    "keys": (call(action="key", keys=["ctrl", "s"]), [Keypress(keys=("CTRL", "S"))]),
    "type": (call(action="type", text=" a  b\nc "), [Type(text=" a  b\nc ")]),
    "up": (call(action="scroll", coordinate=[250, 500], pixels=5), [Scroll(at=HERE, dy=-5)]),
    "down": (call(action="scroll", pixels=-500), [Scroll(dy=5)]),
    "most notches": (call(action="scroll", pixels=-20), [Scroll(dy=20)]),
    "few pixels": (call(action="scroll", pixels=30), [Scroll(dy=-1)]),
    "sideways": (call(action="hscroll", pixels=3), [Scroll(dx=3)]),
    "wait": (call(action="wait", time=1.5), [Wait(seconds=1.5)]),
    "done": (call(action="terminate", status="success"), [Done()]),
    "failed": (call(action="terminate", status="failure"), [Fail()]),
    "answer": (call(action="answer", text="It is 42."), [Done(answer="It is 42.")]),
    "ask": (call(action="call_user", text="Which one?"), [Ask(question="Which one?")]),
    "the last corner": (call(action="left_click", coordinate=[1000, 1000]), [Click(at=at(1, 1))]),
    "the first corner": (call(action="left_click", coordinate=[0, 0]), [Click(at=at(0, 0))]),
    # sloppy
    "one line": (f"<tool_call>{BODY}</tool_call>", [CLICK]),
    "fence": (f"```xml\n<tool_call>\n{BODY}\n</tool_call>\n```", [CLICK]),
    "fence inside": (f"<tool_call>\n```json\n{BODY}\n```\n</tool_call>", [CLICK]),
    "no end tag": (f"<tool_call>\n{BODY}", [CLICK]),
    "no end tag, words": (f"<tool_call>\n{BODY}\nThat opens it.", [CLICK]),
    "no tags": (f"Action: Click.\n{BODY}", [CLICK]),
    "no name": ('{"action": "left_click", "coordinate": [250, 500]}', [CLICK]),
    "comma too many": (f"<tool_call>{BODY.replace('500]', '500],')}</tool_call>", [CLICK]),
    "brace too many": (f"<tool_call>{BODY}}}</tool_call>", [CLICK]),
    "brace missing": (f"<tool_call>{BODY[:-1]}</tool_call>", [CLICK]),
    "both braces missing": (f"<tool_call>{BODY[:-2]}</tool_call>", [CLICK]),
    "arguments as text": (
        json.dumps({"name": "computer_use", "arguments": json.dumps({"action": "wait"})}),
        [Wait(seconds=1)],
    ),
    "the verb as the name": ('{"name": "click", "arguments": {"x": 250, "y": 500}}', [CLICK]),
    "python's spelling": (
        "{'name': 'computer_use', 'arguments': {'action': 'type', 'text': 'it\\'s \"x\"'}}",
        [Type(text='it\'s "x"')],
    ),
    "torn keys": (
        '{"action": "key", "keys": ["keys=[ctrl", "c]"]}',
        [Keypress(keys=("CTRL", "C"))],
    ),
    "chord in one": (
        call(action="key", keys=["ctrl+shift+t"]),
        [Keypress(keys=("CTRL", "SHIFT", "T"))],
    ),
    "coordinate as text": (call(action="left_click", coordinate="[250, 500]"), [CLICK]),
    "a box": (call(action="left_click", coordinate=[200, 400, 300, 600]), [CLICK]),
    "raw newline": ('{"action": "type", "text": "a\nb"}', [Type(text="a\nb")]),
    "two calls": (
        f"{call(action='left_click', coordinate=[250, 500])}\n{call(action='wait', time=2)}",
        [CLICK, Wait(seconds=2)],
    ),
    "two in one pair of tags": (f"<tool_call>{BODY}\n{BODY}</tool_call>", [CLICK, CLICK]),
    "a list": (f"<tool_call>[{BODY}, {BODY}]</tool_call>", [CLICK, CLICK]),
    "answer and end": (
        call(action="answer", text="42") + call(action="terminate", status="success"),
        [Done(answer="42")],
    ),
    "answer and failure": (
        call(action="answer", text="no") + call(action="terminate", status="failure"),
        [Fail(reason="no")],
    ),
    "held key": (
        call(action="left_click", coordinate=[250, 500], text="shift"),
        [Click(at=HERE, keys=("SHIFT",))],
    ),
    "described with a plus": (
        call(action="left_click", coordinate=[250, 500], text="Add +"),
        [CLICK],
    ),
    "described": (call(action="left_click", coordinate=[250, 500], text="OK button"), [CLICK]),
    # wrapped
    "thinking": (
        f"<think>\n<tool_call>{BODY}{BODY}</tool_call>\n</think>\n\n<tool_call>{BODY}</tool_call>",
        [CLICK],
    ),
    "end of thinking": (
        f"It is open.\n</think>\n\nGo.\n<tool_call>\n{BODY}\n</tool_call>",
        [CLICK],
    ),
    "a tag in thinking that began in the prompt": (
        f"I write a <tool_call> now.\n</think>\n\n<tool_call>{BODY}</tool_call>",
        [CLICK],
    ),
    "the next generation's form": (
        "<tool_call>\n<function=computer_use>\n<parameter=action>\nleft_click\n</parameter>\n"
        "<parameter=coordinate>\n[250, 500]\n</parameter>\n</function>\n</tool_call>",
        [CLICK],
    ),
    "end of thinking inside the text": (
        GOOD + call(action="type", text="x</think>") + call(action="key", keys=["enter"]),
        [CLICK, Type(text="x</think>"), Keypress(keys=("ENTER",))],
    ),
    "tag inside the text, loose": (
        "<tool_call>{'action': 'type', 'text': '</tool_call> }',}</tool_call>",
        [Type(text="</tool_call> }")],
    ),
    "tag inside the text": (
        call(action="type", text="</tool_call> {"),
        [Type(text="</tool_call> {")],
    ),
}


@pytest.mark.parametrize(("reply", "expected"), TABLE.values(), ids=TABLE.keys())
def test_reply(reply: str, expected: list[Action]) -> None:
    assert actions("qwen3_vl", reply) == expected


REFUSED = {
    "prose only": ("I will click on OK.", "no call"),
    "not json": ("<tool_call>this is not json</tool_call>", "not JSON"),
    "cut inside a pair": (f"<tool_call>{BODY[:-7]}", "not complete"),
    "cut behind a name": ('<tool_call>{"action": "left_click"', "not complete"),
    "cut inside text": ('<tool_call>{"action": "type", "text": "hel', "closing quote"),
    "cut behind a number": ('<tool_call>{"action": "wait", "time": 1', "not complete"),
    "no action": (call(coordinate=[250, 500]), "no `action`"),
    "unknown action": (GOOD + call(action="explode"), "no action `explode`"),
    "unknown function": ('{"name": "shell", "arguments": {"action": "x"}}', "no function `shell`"),
    "bad sibling": (f"{GOOD}<tool_call>oops</tool_call>", "not JSON"),
    "pixels": (call(action="left_click", coordinate=[1280, 719]), "from 0 to 1000"),
    "negative": (call(action="left_click", coordinate=[-1, 5]), "from 0 to 1000"),
    "fractions": (call(action="left_click", coordinate=[0.5, 0.3]), "0.5 is a fraction"),
    "empty place": (call(action="left_click", coordinate=""), "two numbers"),
    "empty list of a place": (call(action="left_click", coordinate=[]), "two numbers"),
    "half a place": ('{"name": "click", "arguments": {"x": 300}}', "not a number"),
    "one number": (call(action="left_click", coordinate=[5]), "pair of coordinates"),
    "three numbers": (call(action="left_click", coordinate=[5, 6, 7]), "two numbers"),
    "not a number": ('{"action": "left_click", "coordinate": [NaN, 5]}', "not a number"),
    "no number where none is read": (
        '{"action": "left_click", "coordinate": [5, 5], "note": NaN}',
        "NaN is not a number. Write one in digits",
    ),
    "a number without end": ('{"action": "wait", "time": 1, "x": 1e999}', "1e999 is not a number"),
    "digits without end": ('{"action": "wait", "x": %s}' % ("9" * 400), "99 is not a number"),
    "infinite": ('{"action": "left_click", "coordinate": [1e999, 5]}', "not a number"),
    "boolean": (call(action="left_click", coordinate=[True, 5]), "not a number"),
    "code": (call(action="left_click", coordinate="f(1), 2"), "not a number"),
    "endless digits": ('{"action": "left_click", "coordinate": [%s, 5]}' % ("9" * 5000), "number"),
    "move to nowhere": (call(action="mouse_move"), "place is missing"),
    "empty text": (call(action="type", text=""), "text is missing"),
    "half a character held": (
        '{"action": "left_click", "coordinate": [5, 5], "keys": "\\ud800"}',
        "can be held",
    ),
    "half a character typed": ('{"action": "type", "text": "\\ud800"}', "valid string"),
    "half a character said": ('{"action": "answer", "text": "\\ud800"}', "half a character"),
    "no keys": (call(action="key", keys=[]), "No key"),
    "scroll by nothing": (call(action="scroll", pixels=0), "does nothing"),
    "scroll without": (call(action="scroll", coordinate=[5, 5]), "how far"),
    "long wait": (call(action="wait", time=3600), "0 to 60"),
    "neither done nor failed": (call(action="terminate"), "success if the task is done"),
    "no question": (call(action="call_user", text=""), "question is missing"),
    "after the end": (call(action="terminate", status="success") + GOOD, "no other action"),
    "a name twice": ('{"action": "left_click", "action": "wait"}', "twice"),
    "words in the tags": (f"<tool_call>{BODY} or not</tool_call>", "nothing but the call"),
    "too many": (GOOD * 21, "at most 20"),
    "nested too deep": ("[" * 9000, "no call"),
    "objects nested too deep": ('{"a":' * 3000, "JSON"),
}


@pytest.mark.parametrize(("reply", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_whole(reply: str, words: str) -> None:
    with pytest.raises(FormatError, match=re.escape(words)):
        parse("qwen3_vl", reply)


def test_calls_that_the_server_took_out_of_the_text() -> None:
    clicked = ToolCall("computer_use", {"action": "left_click", "coordinate": [250, 500]}, "id-1")
    turn = parse("qwen3_vl", "Action: Click.", calls=[clicked])
    assert (turn.thought, turn.actions) == ("Click.", (CLICK,))
    assert parse("qwen3_vl", GOOD, calls=[clicked]).actions == (CLICK,)  # told twice, done once


@pytest.mark.parametrize(
    "name", ["qwen3_vl", "qwen25_vl", "evocua", "gui_owl_15", "gui_owl", "mai_ui"]
)
@pytest.mark.parametrize(
    "label", ["Action: ", "1) Action:\n", "**Action:** ", "Action：", "Thought: ", ""]
)
def test_the_labels_of_the_sentences_are_not_in_the_thought(name: str, label: str) -> None:
    said = parse(name, f"{label}**Save** it. Action: one.\n{label}Go on.\n{GOOD}").thought
    assert said == "**Save** it. Action: one.\nGo on."


def test_server_calls_are_sent_back_in_the_models_format() -> None:
    waited = ToolCall("computer_use", {"action": "wait", "time": 1})
    task = Task("wait")
    frame = Frame(b"", 1280, 720, 1, 0.0)
    task.steps = [Step(1, "", frame, Reply("Action: Wait.", calls=(waited,))), Step(2, "", frame)]
    (said,) = create("qwen3_vl").messages("prompt", task, 3)[2].parts
    assert said == (
        "Action: Wait.\n<tool_call>\n"
        '{"name": "computer_use", "arguments": {"action": "wait", "time": 1}}\n</tool_call>'
    )
