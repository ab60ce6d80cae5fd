from __future__ import annotations

import pytest

from cua.dialects.registry import create
from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Fail,
    Frame,
    Keypress,
    Reply,
    Scroll,
    Step,
    Task,
    ToolCall,
    Type,
    Wait,
)

from .table import Refused, Table, actions, at, check_refused, parse


def call(function: str = "computer_use", /, **parameters: str) -> str:
    inner = "".join(f"<parameter={k}>\n{v}\n</parameter>\n" for k, v in parameters.items())
    return f"<tool_call>\n<function={function}>\n{inner}</function>\n</tool_call>"


def inline(function: str = "computer_use", /, **parameters: str) -> str:
    inner = "".join(f"<parameter={k}>{v}</parameter>" for k, v in parameters.items())
    return f"<tool_call><function={function}>{inner}</function></tool_call>"


HERE = at(0.25, 0.5)
CLICK = Click(at=HERE)
BOTH: Table = {
    # native
    "left": (call(action="left_click", coordinate="[250, 500]"), [CLICK]),
    "words before": (f"Opening it.\n{call(action='left_click', coordinate='[250, 500]')}", [CLICK]),
    "held key": (
        call(action="left_click", coordinate="[250, 500]", text="ctrl"),
        [Click(at=HERE, keys=("CTRL",))],
    ),
    "keys": (call(action="key", keys='["ctrl", "s"]'), [Keypress(keys=("CTRL", "S"))]),
    "type lines": (call(action="type", text="ls\npwd\n"), [Type(text="ls\npwd\n")]),
    "type spaces": (call(action="type", text="  x  "), [Type(text="  x  ")]),
    "scroll": (
        call(action="scroll", coordinate="[250, 500]", pixels="-5"),
        [Scroll(at=HERE, dy=5)],
    ),
    # sloppy
    "on one line": (inline(action="terminate", status="success"), [Done()]),
    "no wrapper": (
        "<function=computer_use>\n<parameter=action>wait</parameter>\n</function>",
        [Wait(seconds=1)],
    ),
    "no end tag": (
        "<tool_call>\n<function=computer_use>\n<parameter=action>wait</parameter></function>",
        [Wait(seconds=1)],
    ),
    "the action as the function": (inline("left_click", coordinate="[250, 500]"), [CLICK]),
    "type in place of action": (inline(type="left_click", coordinate="[250, 500]"), [CLICK]),
    "coordinate in brackets": (inline(action="left_click", coordinate="(250, 500)"), [CLICK]),
    "two calls": (
        call(action="left_click", coordinate="[250, 500]") + call(action="wait"),
        [CLICK, Wait(seconds=1)],
    ),
    "two functions in one": (
        "<tool_call>\n<function=wait>\n</function>\n<function=wait></function>\n</tool_call>",
        [Wait(seconds=1)] * 2,
    ),
    "the older form": (
        '<tool_call>{"name": "computer_use", "arguments": {"action": "wait"}}</tool_call>',
        [Wait(seconds=1)],
    ),
    "fence": (f"```\n{call(action='wait')}\n```", [Wait(seconds=1)]),
    # wrapped
    "end of thinking": (
        f"{call(action='type', text='no')} or not?\n</think>\n\nGo.\n{call(action='wait')}",
        [Wait(seconds=1)],
    ),
    "thinking": (
        f"<think>{call(action='type', text='no')}</think>{call(action='wait')}",
        [Wait(seconds=1)],
    ),
    "end of thinking as text": (
        call(action="type", text="x</think>") + call(action="wait"),
        [Type(text="x</think>"), Wait(seconds=1)],
    ),
    "a call as text": (
        call(action="type", text=f"a </think>{call(action='key', keys='enter')} b"),
        [Type(text=f"a </think>{call(action='key', keys='enter')} b")],
    ),
    "markup as text": (
        call(action="type", text="<b>{x}</b> </tool_call>"),
        [Type(text="<b>{x}</b> </tool_call>")],
    ),
}


@pytest.mark.parametrize("name", ["qwen35", "qwen38"])
@pytest.mark.parametrize(("reply", "expected"), BOTH.values(), ids=BOTH.keys())
def test_reply(name: str, reply: str, expected: list[Action]) -> None:
    assert actions(name, reply) == expected


REFUSED: Refused = {
    "empty call": ("<tool_call></tool_call>", "not JSON"),
    "no function name": ("<tool_call><function=></function></tool_call>", "name is missing"),
    "open parameter": ("<function=computer_use><parameter=action>wait</function>", "no closing"),
    "swallowed parameter": (
        "<function=computer_use><parameter=action>wait<parameter=time>1</parameter></function>",
        "no closing",
    ),
    "twice": (
        "<function=f><parameter=a>1</parameter><parameter=a>2</parameter></function>",
        "stands twice",
    ),
    "unknown function": (inline("shell", action="wait", command="ls"), "no function `shell`"),
    "unknown action": (call(action="left_click") + call(action="fly"), "no action `fly`"),
    "outside": (call(action="left_click", coordinate="[1280, 720]"), "from 0 to 1000"),
    "code": (call(action="left_click", coordinate="[f(), 5]"), "not a number"),
    "cut behind a parameter": (call(action="wait")[:-25], "no closing"),
    "cut behind the parameters": (
        "<function=computer_use><parameter=action>wait</parameter></functio",
        "no closing",
    ),
    "cut before the parameters": ("<function=wait>", "</function> is missing"),
    "end of the call as text": (
        call(action="type", text="a</parameter></function></tool_call>"),
        "outside of any call",
    ),
    "end of the function as text": (
        call(action="type", text="a</parameter></function>"),
        "nothing but the call",
    ),
    "button stays down": (call(action="left_mouse_down", coordinate="[5, 5]"), "let go"),
    "junk in the wrapper": (
        "<tool_call><function=wait></function> and so on</tool_call>",
        "nothing but the call",
    ),
}


@pytest.mark.parametrize("name", ["qwen35", "qwen38"])
@pytest.mark.parametrize(("reply", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(name: str, reply: str, words: str) -> None:
    check_refused(name, reply, words)


QWEN38: Table = {
    "look": (call(action="screenshot"), [Wait(seconds=0)]),
    "held key": (
        call(action="key_down", text="ctrl")
        + call(action="left_click", coordinate="[250, 500]")
        + call(action="key_up", text="ctrl"),
        [Click(at=HERE, keys=("CTRL",))],
    ),
    "drag by hand": (
        call(action="left_mouse_down", coordinate="[0, 0]")
        + call(action="mouse_move", coordinate="[250, 500]")
        + call(action="left_mouse_up", coordinate="[1000, 1000]"),
        [Drag(path=(at(0, 0), HERE, at(1, 1)))],
    ),
    "says that it is done": (
        "DONE: The server is 8.8.8.8.",
        [Done(answer="The server is 8.8.8.8.")],
    ),
    "says that it failed": ("FAILED: no such menu", [Fail(reason="no such menu")]),
    "JSON in the answer": ('DONE: It is\n{"a": 1}', [Done(answer='It is\n{"a": 1}')]),
    "asks": ("Which of the two files?", [Ask(question="Which of the two files?")]),
}


@pytest.mark.parametrize(("reply", "expected"), QWEN38.values(), ids=QWEN38.keys())
def test_qwen38(reply: str, expected: list[Action]) -> None:
    assert actions("qwen38", reply) == expected


def test_words_behind_a_call_are_ignored_before_38() -> None:
    reply = f"{call(action='wait')}\nThen I look again."
    assert actions("qwen35", reply) == [Wait(seconds=1)]


def test_prose_is_refused_before_38() -> None:
    check_refused("qwen35", "The DNS server is set.", "no call")


def test_a_call_that_the_server_took_out_of_the_text() -> None:
    called = ToolCall("computer_use", {"action": "left_click", "coordinate": [250, 500]})
    assert parse("qwen35", "", calls=[called]).actions == (CLICK,)


def test_server_calls_are_sent_back_in_tags() -> None:
    called = ToolCall("computer_use", {"action": "left_click", "coordinate": [250, 500]})
    frame = Frame(b"jpeg", 1280, 720, 1, 0.0)
    task = Task("click", [Step(1, "", frame, Reply("Go.", calls=(called,))), Step(2, "", frame)])
    _, first, said, second = create("qwen35").messages("prompt", task, 3)
    assert first.parts == ("click", frame)
    assert said.parts == (f"Go.\n{call(action='left_click', coordinate='[250, 500]')}",)
    assert second.parts == ("<tool_response>", frame, "</tool_response>")
