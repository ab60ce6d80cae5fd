"""The dialects of OpenAI, Anthropic and Google: function calls, and the same as JSON in text."""

from __future__ import annotations

import json

import pytest

from cua.dialects.registry import create
from cua.models.reply_builder import ReplyBuilder
from cua.types import (
    Action,
    Area,
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
    Zoom,
)

from .table import Refused, Table, at, check, check_refused, parse

HALF = at(0.5, 0.5)
ENDINGS: Table = {
    "done": ("DONE: The server is 8.8.8.8.", [Done(answer="The server is 8.8.8.8.")]),
    "done, bold": ("**DONE:** It is set.", [Done(answer="It is set.")]),
    "done, alone": ("**Done.**", [Done()]),
    "a call in the answer": (
        'DONE: The page shows this:\n{"type": "click", "x": 5, "y": 5}',
        [Done(answer='The page shows this:\n{"type": "click", "x": 5, "y": 5}')],
    ),
    "JSON in the answer": (
        'DONE: The file is\n```json\n{"a": 1}\n```',
        [Done(answer='The file is\n```json\n{"a": 1}\n```')],
    ),
    "failed": ("FAILED: no such menu", [Fail(reason="no such menu")]),
    "infeasible": ("[INFEASIBLE] no network", [Fail(reason="no network")]),
    "question": ("QUESTION: Which one?", [Ask(question="Which one?")]),
    "asks": ("There are two. Which one?", [Ask(question="There are two. Which one?")]),
}
NAMES = ["openai_computer", "claude", "gemini", "qwen38"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("reply", "expected"), ENDINGS.values(), ids=ENDINGS.keys())
def test_a_reply_without_a_call_is_an_end(name: str, reply: str, expected: list[Action]) -> None:
    check(name, reply, expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "reply",
    [
        "I'll click on OK now.",
        "Clicking the Save button.",
        "我将点击确定按钮。",
        "任务无法完成",
        "I don't see the file.",
        "Should I proceed with deleting the files",
        "Successfully uninstalled; the 'Failed logins' page shows 3 entries.",
        "The DNS server is set now.",
        "Done. Now I click on Save.",
        "Let me open the menu.",
        "Next, I will scroll.",
        "mouse 0.5 0.5 1",
        "Action: click(start_box='(5,5)')",
        "pyautogui.click(5, 5)",
        "The call is <function>click</function>.",
        'I write: {"action": "left_click"}',
    ],
)
def test_other_words_do_not_end_the_task(name: str, reply: str) -> None:
    check_refused(name, reply, "no action in the reply")


@pytest.mark.parametrize("name", NAMES)
def test_an_example_in_a_text_is_not_carried_out(name: str) -> None:
    example = '{"name": "wait", "arguments": {}, "type": "wait"}'
    for text in (
        f"Such as\n{example}\nin the file.",
        f"<tool_call>{example}</tool_call> is shown.",
    ):
        check_refused(name, text, "Words stand behind a call")


@pytest.mark.parametrize("name", ["claude", "gemini", "openai_computer"])
def test_beside_calls_of_the_server_those_in_the_text_are_examples(name: str) -> None:
    text = 'The page says\n{"type": "click", "x": 5\nso I wait.'
    turn = parse(name, text, calls=[ToolCall("wait", {})])
    assert [action.kind for action in turn.actions] == ["wait"]


@pytest.mark.parametrize("name", ["claude", "gemini", "openai_computer"])
def test_a_call_of_the_server_that_cannot_be_read_refuses_the_others(name: str) -> None:
    draft = ReplyBuilder(finish="tool_calls")
    draft.call(0, "wait", "{}", "a")
    draft.call(1, "type", '{"text": "abc', "b")
    reply = draft.reply()
    assert reply.calls == ()
    with pytest.raises(FormatError, match="without its closing quote"):
        parse(name, reply.text, calls=reply.calls)


# OpenAI


def openai(*actions: object) -> list[ToolCall]:
    return [ToolCall("computer", {"actions": list(actions)})]


AT = {"x": 640, "y": 360}
OPENAI: dict[str, tuple[dict[str, object], list[Action]]] = {
    "click": ({"type": "click", "button": "left", **AT}, [Click(at=HALF)]),
    "right": ({"type": "click", "button": "right", **AT}, [Click(at=HALF, button="right")]),
    "wheel": ({"type": "click", "button": "wheel", **AT}, [Click(at=HALF, button="middle")]),
    "back": ({"type": "click", "button": "back", **AT}, [Keypress(keys=("ALT", "LEFT"))]),
    "held": ({"type": "click", "keys": ["SHIFT"], **AT}, [Click(at=HALF, keys=("SHIFT",))]),
    "double": ({"type": "double_click", **AT}, [Click(at=HALF, count=2)]),
    "held back": (
        {"type": "click", "button": "back", "keys": ["SHIFT"], **AT},
        [Keypress(keys=("SHIFT", "ALT", "LEFT"))],
    ),
    "held for a double click": (
        {"type": "double_click", "keys": ["SHIFT"], **AT},
        [Click(at=HALF, count=2, keys=("SHIFT",))],
    ),
    "held for a move": ({"type": "move", "keys": ["ALT"], **AT}, [Move(at=HALF, keys=("ALT",))]),
    "held for a drag": (
        {"type": "drag", "path": [[0, 0], [640, 360]], "keys": ["CTRL", "SHIFT"]},
        [Drag(path=(at(0, 0), HALF), keys=("CTRL", "SHIFT"))],
    ),
    "held for a scroll": (
        {"type": "scroll", "scroll_y": 100, "keys": ["CTRL"], **AT},
        [Scroll(at=HALF, dy=1, keys=("CTRL",))],
    ),
    "no key is held": ({"type": "move", "keys": None, **AT}, [Move(at=HALF)]),
    "move": ({"type": "move", **AT}, [Move(at=HALF)]),
    "drag": (
        {"type": "drag", "path": [{"x": 0, "y": 0}, AT, {"x": 1280, "y": 720}]},
        [Drag(path=(at(0, 0), HALF, at(1, 1)))],
    ),
    "drag of pairs": (
        {"type": "drag", "path": [[0, 0], [640, 360]]},
        [Drag(path=(at(0, 0), HALF))],
    ),
    "down": ({"type": "scroll", "scroll_x": 0, "scroll_y": 300, **AT}, [Scroll(at=HALF, dy=3)]),
    "up": ({"type": "scroll", "scroll_x": 0, "scroll_y": -100, **AT}, [Scroll(at=HALF, dy=-1)]),
    "a little": ({"type": "scroll", "scroll_y": 10, **AT}, [Scroll(at=HALF, dy=1)]),
    "sideways": ({"type": "scroll", "scroll_x": 200, "scroll_y": 0, **AT}, [Scroll(at=HALF, dx=2)]),
    "type": ({"type": "type", "text": "a  b"}, [Type(text="a  b")]),
    "keypress": ({"type": "keypress", "keys": ["CTRL", "C"]}, [Keypress(keys=("CTRL", "C"))]),
    "slash": ({"type": "keypress", "keys": ["/"]}, [Keypress(keys=("/",))]),
    "wait": ({"type": "wait"}, [Wait(seconds=2)]),
    "wait for": ({"type": "wait", "ms": 500}, [Wait(seconds=0.5)]),
    "screenshot": ({"type": "screenshot"}, [Wait(seconds=0)]),
}


@pytest.mark.parametrize(("action", "expected"), OPENAI.values(), ids=OPENAI.keys())
def test_openai(action: dict[str, object], expected: list[Action]) -> None:
    name = "openai_computer"
    arguments = {key: value for key, value in action.items() if key != "type"}
    shapes = [
        openai(action),
        [ToolCall("computer_call", {"action": action})],
        [ToolCall("computer", action)],
        [ToolCall(str(action["type"]), arguments)],
    ]
    for calls in shapes:
        assert list(parse(name, "", calls=calls).actions) == expected
    check(name, f"I go on.\n{json.dumps(action)}", expected)
    check(name, json.dumps({"type": "computer_call", "action": action}), expected)


def test_openai_several_at_once() -> None:
    calls = openai({"type": "click", **AT}, {"type": "type", "text": "a"})
    assert parse("openai_computer", "", calls=calls).actions == (Click(at=HALF), Type(text="a"))


def test_openai_asks() -> None:
    called = ToolCall("call_user", {"question": "Which?"})
    assert parse("openai_computer", "", calls=[called]).actions == (Ask(question="Which?"),)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"type": "click", "x": 1281, "y": 5}, "pixels of the 1280 x 720"),
        ({"type": "click"}, "place is missing"),
        ({"type": "click", "x": True, "y": 5}, "not a number"),
        ({"type": "click", "button": "thumb", **AT}, "no mouse button"),
        ({"type": "drag", "path": []}, "`path`"),
        ({"type": "drag", "path": [[1, 1]] * 200}, "not allowed"),
        ({"type": "scroll", "scroll_x": 0, "scroll_y": 0, **AT}, "does nothing"),
        ({"type": "fly"}, "no action `fly`"),
        ({"type": ["click"]}, "no action"),
        ({"type": "keypress", "keys": []}, "No key"),
        ({"type": "wait", "ms": 100_000}, "0 to 60"),
    ],
)
def test_openai_refuses(action: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse("openai_computer", "", calls=openai({"type": "click", **AT}, action))


# Claude


def tool(**arguments: object) -> dict[str, object]:
    return arguments


CLAUDE: dict[str, tuple[dict[str, object], list[Action]]] = {
    "left": (tool(action="left_click", coordinate=[640, 360]), [Click(at=HALF)]),
    "held": (
        tool(action="left_click", coordinate=[640, 360], text="shift"),
        [Click(at=HALF, keys=("SHIFT",))],
    ),
    "at the pointer": (tool(action="left_click"), [Click()]),
    "right": (tool(action="right_click", coordinate=[640, 360]), [Click(at=HALF, button="right")]),
    "middle": (
        tool(action="middle_click", coordinate=[640, 360]),
        [Click(at=HALF, button="middle")],
    ),
    "double": (tool(action="double_click", coordinate=[640, 360]), [Click(at=HALF, count=2)]),
    "triple": (tool(action="triple_click", coordinate=[640, 360]), [Click(at=HALF, count=3)]),
    "move": (tool(action="mouse_move", coordinate=[640, 360]), [Move(at=HALF)]),
    "zoom": (
        tool(action="zoom", region=[0, 180, 640, 360]),
        [Zoom(area=Area(left=0, top=0.25, right=0.5, bottom=0.5))],
    ),
    "drag": (
        tool(action="left_click_drag", start_coordinate=[0, 0], coordinate=[640, 360]),
        [Drag(path=(at(0, 0), HALF))],
    ),
    "scroll": (
        tool(
            action="scroll",
            coordinate=[640, 360],
            scroll_direction="down",
            scroll_amount=3,
        ),
        [Scroll(at=HALF, dy=3)],
    ),
    "drag with a key": (
        tool(action="left_click_drag", start_coordinate=[0, 0], coordinate=[640, 360], text="ctrl"),
        [Drag(path=(at(0, 0), HALF), keys=("CTRL",))],
    ),
    "scroll with a key": (
        tool(action="scroll", coordinate=[640, 360], scroll_direction="up", text="ctrl"),
        [Scroll(at=HALF, dy=-5, keys=("CTRL",))],
    ),
    "type": (tool(action="type", text="a  b"), [Type(text="a  b")]),
    "key": (tool(action="key", text="ctrl+s"), [Keypress(keys=("CTRL", "S"))]),
    "one key": (tool(action="key", text="Page_Down"), [Keypress(keys=("PAGE_DOWN",))]),
    "keys one after the other": (
        tool(action="key", text="Down Down"),
        [Keypress(keys=("DOWN",)), Keypress(keys=("DOWN",))],
    ),
    "space": (tool(action="key", text=" "), [Keypress(keys=("SPACE",))]),
    "wait": (tool(action="wait", duration=2), [Wait(seconds=2)]),
    "screenshot": (tool(action="screenshot"), [Wait(seconds=0)]),
}


@pytest.mark.parametrize(("arguments", "expected"), CLAUDE.values(), ids=CLAUDE.keys())
def test_claude(arguments: dict[str, object], expected: list[Action]) -> None:
    member = {key: value for key, value in arguments.items() if key != "action"}
    for called in (ToolCall("computer", arguments), ToolCall(str(arguments["action"]), member)):
        assert list(parse("claude", "Going on.", calls=[called]).actions) == expected
    written = json.dumps({"type": "tool_use", "name": "computer", "input": arguments})
    check("claude", f"I go on.\n{written}", expected)


def test_claude_drags_by_hand() -> None:
    calls = [
        ToolCall("computer", {"action": "mouse_move", "coordinate": [0, 0]}),
        ToolCall("computer", {"action": "left_mouse_down"}),
        ToolCall("computer", {"action": "mouse_move", "coordinate": [640, 360]}),
        ToolCall("computer", {"action": "left_mouse_up"}),
    ]
    expected = (Move(at=at(0, 0)), Drag(path=(at(0, 0), HALF)))
    assert parse("claude", "", calls=calls).actions == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (tool(action="zoom", region=[0, 0, 5, 5]), "too small"),
        (tool(action="zoom"), "region as"),
        (tool(action="cursor_position"), "not available"),
        (tool(action="hold_key", text="a", duration=1), "not available"),
        (tool(action="fly"), "no action `fly`"),
        (tool(action="left_click", coordinate=[5, 5], text="a"), "only CTRL, SHIFT"),
        (tool(action="left_click", coordinate=[1300, 5]), "pixels of the 1280 x 720"),
        (tool(action="mouse_move"), "place is missing"),
        (tool(action="scroll", coordinate=[5, 5]), "up, down"),
        (tool(action="scroll", scroll_direction="up", scroll_amount=0), "from 1 to 100"),
        (tool(action="left_mouse_down"), "let go"),
        (tool(coordinate=[5, 5]), "no action `computer`"),
    ],
)
def test_claude_refuses(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse("claude", "", calls=[ToolCall("computer", arguments)])


SIZES = {
    (640, 480): (640, 480),
    (800, 600): (800, 600),
    (1280, 720): (1280, 720),
    (1366, 768): (1366, 768),
    (1440, 900): (1389, 868),
    (1600, 900): (1456, 819),
    (1920, 1080): (1456, 819),
    (1920, 1200): (1389, 868),
    (3840, 2160): (1456, 819),
    (1080, 1920): (819, 1456),
}


@pytest.mark.parametrize(("screen", "sent"), SIZES.items())
def test_claude_is_sent_what_it_does_not_make_smaller(
    screen: tuple[int, int], sent: tuple[int, int]
) -> None:
    assert create("claude").sent_size(*screen) == sent
    assert create("claude").sent_size(*sent) == sent


# Gemini

QUARTER = at(0.25, 0.5)
PLACE = {"x": 250, "y": 500}
CLEAR = [Keypress(keys=("CTRL", "A")), Keypress(keys=("DELETE",))]
ENTER = Keypress(keys=("ENTER",))
GEMINI: dict[str, tuple[str, dict[str, object], list[Action]]] = {
    # the newer generation
    "click": ("click", {**PLACE}, [Click(at=QUARTER)]),
    "double": ("double_click", {**PLACE}, [Click(at=QUARTER, count=2)]),
    "triple": ("triple_click", {**PLACE}, [Click(at=QUARTER, count=3)]),
    "right": ("right_click", {**PLACE}, [Click(at=QUARTER, button="right")]),
    "middle": ("middle_click", {**PLACE}, [Click(at=QUARTER, button="middle")]),
    "move": ("move", {**PLACE}, [Move(at=QUARTER)]),
    "type": ("type", {"text": "a"}, [Type(text="a")]),
    "type and enter": ("type", {"text": "a", "press_enter": True}, [Type(text="a"), ENTER]),
    "hotkey": ("hotkey", {"keys": ["ctrl", "s"]}, [Keypress(keys=("CTRL", "S"))]),
    "press": ("press_key", {"key": "enter"}, [ENTER]),
    "wait": ("wait", {"seconds": 3}, [Wait(seconds=3)]),
    "wait a moment": ("wait", {}, [Wait(seconds=1)]),
    "scroll": (
        "scroll",
        {**PLACE, "direction": "down", "magnitude": 250},
        [Scroll(at=QUARTER, dy=2)],
    ),
    "scroll by pixels": (
        "scroll",
        {**PLACE, "direction": "up", "magnitude_in_pixels": 500},
        [Scroll(at=QUARTER, dy=-5)],
    ),
    "scroll by wheel clicks": (
        "scroll",
        {**PLACE, "direction": "right", "magnitude_in_wheel_clicks": 7},
        [Scroll(at=QUARTER, dx=7)],
    ),
    "scroll somewhat": ("scroll", {**PLACE, "direction": "down"}, [Scroll(at=QUARTER, dy=3)]),
    "drag": (
        "drag_and_drop",
        {"start_x": 250, "start_y": 500, "end_x": 1000, "end_y": 0},
        [Drag(path=(QUARTER, at(1, 0)))],
    ),
    "look": ("take_screenshot", {}, [Wait(seconds=0)]),
    # the older one
    "click_at": ("click_at", {**PLACE}, [Click(at=QUARTER)]),
    "hover_at": ("hover_at", {**PLACE}, [Move(at=QUARTER)]),
    "type_text_at": (
        "type_text_at",
        {**PLACE, "text": "a"},
        [Click(at=QUARTER), *CLEAR, Type(text="a"), ENTER],
    ),
    "drag to a destination": (
        "drag_and_drop",
        {**PLACE, "destination_x": 1000, "destination_y": 0},
        [Drag(path=(QUARTER, at(1, 0)))],
    ),
    "type_text_at as it is": (
        "type_text_at",
        {**PLACE, "text": "a", "press_enter": False, "clear_before_typing": False},
        [Click(at=QUARTER), Type(text="a")],
    ),
    "scroll_at": ("scroll_at", {**PLACE, "direction": "up"}, [Scroll(at=QUARTER, dy=-6)]),
    "scroll_document": ("scroll_document", {"direction": "down"}, [Scroll(dy=6)]),
    "wait_5_seconds": ("wait_5_seconds", {}, [Wait(seconds=5)]),
    "combination": ("key_combination", {"keys": "ctrl+c"}, [Keypress(keys=("CTRL", "C"))]),
    "navigate": (
        "navigate",
        {"url": "example.org"},
        [Keypress(keys=("CTRL", "L")), Type(text="example.org"), ENTER],
    ),
    "back": ("go_back", {}, [Keypress(keys=("ALT", "LEFT"))]),
    "with a prefix": ("web_agent_api:click_at", {**PLACE}, [Click(at=QUARTER)]),
}


@pytest.mark.parametrize(("name", "arguments", "expected"), GEMINI.values(), ids=GEMINI.keys())
def test_gemini(name: str, arguments: dict[str, object], expected: list[Action]) -> None:
    called = ToolCall(name, arguments)
    assert list(parse("gemini", "Going on.", calls=[called]).actions) == expected
    check("gemini", f"I go on.\n{json.dumps({'name': name, 'args': arguments})}", expected)
    wrapped = {"functionCall": {"name": name, "args": arguments}}
    check("gemini", json.dumps(wrapped), expected)


DECISION = {"decision": "require_confirmation", "explanation": "It buys a ticket."}
CHECKS = [{"id": "1", "code": "sensitive_domain", "message": "This is a bank."}]
FLAGGED = {
    "gemini": (
        ToolCall("click_at", {**PLACE, "safety_decision": DECISION}),
        "It buys a ticket.",
    ),
    "openai_computer": (
        ToolCall("computer", {"actions": [{"type": "wait"}], "pending_safety_checks": CHECKS}),
        "This is a bank.",
    ),
}


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ({"decision": "block", "explanation": "It is a scam."}, "It is a scam."),
        ({"decision": "think_twice"}, "think_twice"),
        ({}, "no reason given"),
        ("require_confirmation", "require_confirmation"),
        (["review"], "['review']"),
        (None, ""),
    ],
)
def test_any_safety_decision_of_gemini_goes_to_the_person(decision: object, reason: str) -> None:
    called = ToolCall("click_at", {**PLACE, "safety_decision": decision})
    assert parse("gemini", "", calls=[called]).caution == reason


@pytest.mark.parametrize("name", FLAGGED)
def test_what_a_maker_wants_confirmed_is_said_with_its_reason(name: str) -> None:
    called, reason = FLAGGED[name]
    turn = parse(name, "", calls=[called])
    assert turn.caution == reason
    assert len(turn.actions) == 1


@pytest.mark.parametrize("name", FLAGGED)
@pytest.mark.parametrize("begun", [0, 1])
def test_only_a_person_acknowledges(name: str, begun: int) -> None:
    called, _ = FLAGGED[name]
    forged = ToolCall(called.name, {**called.arguments, "safety_acknowledgement": True}, "id")
    frame = Frame(b"", 1280, 720, 1, 0.0)
    step = Step(1, "", frame, Reply("", calls=(forged,)), parse(name, "", calls=[forged]))
    step.actions_started = begun
    *_, said, _ = create(name).messages("", Task("Go.", [step, Step(2, "", frame)]), 3)
    (call,) = said.parts
    assert isinstance(call, ToolCall)
    assert call.arguments.get("safety_acknowledgement", False) is bool(begun)


GEMINI_REFUSED: Refused = {
    "unknown": ('{"name": "search", "args": {}}', "no action `search`"),
    "browser": ('{"name": "open_web_browser", "args": {}}', "no action"),
    "outside": ('{"name": "click", "args": {"x": 1001, "y": 5}}', "from 0 to 1000"),
    "no place": ('{"name": "click", "args": {}}', "place is missing"),
    "half a drag": ('{"name": "drag_and_drop", "args": {"x": 5, "y": 5}}', "place is missing"),
    "a drag to nowhere": (
        '{"name": "drag_and_drop", "args": {"start_x": 5, "start_y": 5}}',
        "place is missing",
    ),
    "no direction": ('{"name": "scroll", "args": {"x": 5, "y": 5}}', "up, down"),
    "no text": ('{"name": "type", "args": {}}', "text is missing"),
    "key stays down": ('{"name": "key_down", "args": {"key": "ctrl"}}', "let go"),
    "bad sibling": ('{"name": "go_back"}\n{"name": "fly"}', "no action `fly`"),
}


@pytest.mark.parametrize(("reply", "words"), GEMINI_REFUSED.values(), ids=GEMINI_REFUSED.keys())
def test_gemini_refuses(reply: str, words: str) -> None:
    check_refused("gemini", reply, words)
