"""How each family would write an action: the other direction of its dialect, for the round trip."""

from __future__ import annotations

import json
from collections.abc import Callable

from cua.dialects import call_syntax
from cua.types import (
    Action,
    Ask,
    Click,
    Done,
    Drag,
    Fail,
    Keypress,
    Move,
    Point,
    Scroll,
    Type,
    Wait,
    Zoom,
)

Place = Callable[[Point], list[float]]
"""A point -> x and y as the family counts them."""
Writer = Callable[[Action, Place], str]


def _clicks(action: Click) -> str:
    if action.count > 1:
        return {2: "double_click", 3: "triple_click"}[action.count]
    return f"{action.button}_click"


def _direction(action: Scroll) -> tuple[str, int]:
    if action.dy:
        return ("down" if action.dy > 0 else "up"), abs(action.dy)
    return ("right" if action.dx > 0 else "left"), abs(action.dx)


# --- as the KVM's lines ---------------------------------------------------------------------------


_KVM_CLICKS = {
    ("left", 1): 1,
    ("right", 1): 2,
    ("left", 2): 3,
    ("right", 2): 4,
    ("middle", 1): 7,
    ("left", 3): 8,
}


def kvm(action: Action, place: Place) -> str:
    def xy(at: Point | None) -> str:
        return "{:.4f} {:.4f}".format(*place(at)) if at else "0 0"

    if isinstance(action, Click):
        return f"mouse {xy(action.at)} {_KVM_CLICKS[action.button, action.count]}"
    if isinstance(action, Move):
        return f"mouse {xy(action.at)} 0"
    if isinstance(action, Drag):
        start = action.path[0] if len(action.path) > 1 else None
        return f"drag {xy(start)} {xy(action.path[-1])}"
    if isinstance(action, Scroll):
        return f"mouse {xy(action.at)} {5 if action.dy > 0 else 6}"
    if isinstance(action, Zoom):
        area = action.area
        corners = Point(x=area.left, y=area.top), Point(x=area.right, y=area.bottom)
        return f"zoom {' '.join(map(xy, corners))}"
    return _kvm_keys(action)


def _kvm_keys(action: Action) -> str:
    if isinstance(action, Type):
        return f"typestr {action.text}"
    if isinstance(action, Keypress):
        keys = f"keyboard {'+'.join(action.keys)}"
        return f"backspace {action.count}" if action.count > 1 else keys
    if isinstance(action, Wait):
        return f"sleep {action.seconds:g}"
    if isinstance(action, Fail):
        return f"Fail {' '.join(action.reason.split())}"
    return f"$ {' '.join(action.question.split())}" if isinstance(action, Ask) else "Done"


# --- as arguments of a function, which most families share --------------------------------------


def qwen(action: Action, place: Place) -> dict[str, object]:
    if isinstance(action, Click):
        return {
            "action": _clicks(action),
            **({"coordinate": place(action.at)} if action.at else {}),
        }
    if isinstance(action, Move):
        return {"action": "mouse_move", "coordinate": place(action.at)}
    if isinstance(action, Drag):
        return {"action": "left_click_drag", "coordinate": place(action.path[-1])}
    if isinstance(action, Scroll):
        at = {"coordinate": place(action.at)} if action.at else {}
        sideways = {"action": "hscroll", "pixels": action.dx}
        return {**(sideways if action.dx else {"action": "scroll", "pixels": -action.dy}), **at}
    return _qwen_keys(action)


def _qwen_keys(action: Action) -> dict[str, object]:
    if isinstance(action, Type):
        return {"action": "type", "text": action.text}
    if isinstance(action, Keypress):
        return {"action": "key", "keys": list(action.keys)}
    if isinstance(action, Wait):
        return {"action": "wait", "time": action.seconds}
    if isinstance(action, Ask):
        return {"action": "call_user", "text": action.question}
    return {"action": "terminate", "status": "success" if isinstance(action, Done) else "failure"}


def qwen_json(action: Action, place: Place) -> str:
    body = json.dumps({"name": "computer_use", "arguments": qwen(action, place)})
    return f"Action: Go on.\n<tool_call>\n{body}\n</tool_call>\n"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def qwen_tags(action: Action, place: Place) -> str:
    inner = "".join(
        f"<parameter={key}>\n{_plain(value)}\n</parameter>\n"
        for key, value in qwen(action, place).items()
    )
    return f"<tool_call>\n<function=computer_use>\n{inner}</function>\n</tool_call>\n"


# --- as code ------------------------------------------------------------------------------------


def _quoted(text: str) -> str:
    for plain, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(plain, escaped)
    return f"'{text}'"


def ui_tars(action: Action, place: Place) -> str:
    def point(at: Point) -> str:
        x, y = place(at)
        return f"'<point>{x} {y}</point>'"

    names = {("left", 1): "click", ("left", 2): "left_double", ("right", 1): "right_single"}
    if isinstance(action, Click):
        assert action.at
        return f"Action: {names[action.button, action.count]}(point={point(action.at)})\n"
    if isinstance(action, Drag):
        start, end = map(point, action.path)
        return f"Action: drag(start_point={start}, end_point={end})\n"
    if isinstance(action, Scroll):
        assert action.at
        return f"Action: scroll(point={point(action.at)}, direction='{_direction(action)[0]}')\n"
    if isinstance(action, Type):
        return f"Action: type(content={_quoted(action.text)})\n"
    if isinstance(action, Keypress):
        return f"Action: hotkey(key='{' '.join(action.keys).lower()}')\n"
    if isinstance(action, Ask):
        return f"Action: call_user(content={_quoted(action.question)})\n"
    return "Action: wait()\n" if isinstance(action, Wait) else "Action: finished()\n"


def seed(action: Action, place: Place) -> str:
    """UI-TARS 2: the same calls in tags."""
    (call, *_), _ = call_syntax.read_calls(ui_tars(action, place), 0)
    inner = "".join(
        f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in call.arguments.items()
    )
    return f"<seed:tool_call>\n<function={call.name}>\n{inner}</function>\n</seed:tool_call>\n"


def glm(action: Action, place: Place) -> str:
    said = "" if isinstance(action, (Done, Fail)) else "Go on.\n"  # what it says is the answer
    return f"{said}<|begin_of_box|>{_glm(action, place)}<|end_of_box|>\nMemory:\n[]\n"


def _glm(action: Action, place: Place) -> str:
    if isinstance(action, Click):
        assert action.at
        name = "left_double_click" if action.count == 2 else f"{action.button}_click"
        return f"{name}(start_box='{place(action.at)}', element_info='x')"
    if isinstance(action, Move):
        return f"hover(start_box='{place(action.at)}')"
    if isinstance(action, Drag):
        start, end = map(place, action.path)
        return f"left_drag(start_box='{start}', end_box='{end}')"
    if isinstance(action, Scroll):
        name, step = _direction(action)
        assert action.at
        return f"scroll(start_box='{place(action.at)}', direction='{name}', step={step})"
    if isinstance(action, Type):
        return f"type(content={_quoted(action.text)})"
    if isinstance(action, Keypress):
        return f"key(keys='{'+'.join(action.keys).lower()}')"
    names = {"wait": "WAIT()", "done": "DONE()", "fail": "FAIL()"}
    return names[action.kind]


def code(action: Action, place: Place) -> str:
    return f"## Action:\nGo on.\n## Code:\n```python\n{_code(action, place)}\n```\n"


def _code(action: Action, place: Place) -> str:
    def xy(at: Point) -> str:
        x, y = place(at)
        return f"x={x!r}, y={y!r}"

    if isinstance(action, Click):
        at = f"{xy(action.at)}, " if action.at else ""
        return f"pyautogui.click({at}clicks={action.count}, button='{action.button}')"
    if isinstance(action, Move):
        return f"pyautogui.moveTo({xy(action.at)})"
    if isinstance(action, Drag):
        return f"pyautogui.dragTo({xy(action.path[-1])})"
    if isinstance(action, Scroll):
        name, amount = ("hscroll", action.dx) if action.dx else ("scroll", -action.dy)
        return f"pyautogui.{name}({amount}{f', {xy(action.at)}' if action.at else ''})"
    return _keys_code(action)


def _keys_code(action: Action) -> str:
    if isinstance(action, Type):
        return f"pyautogui.write({action.text!r})"
    if isinstance(action, Keypress):
        return f"pyautogui.hotkey({', '.join(map(repr, action.keys))})"
    if isinstance(action, Wait):
        return f"time.sleep({action.seconds})"
    if isinstance(action, Ask):
        return f"computer.call_user(question={action.question!r})"
    return f"computer.terminate(status='{'success' if isinstance(action, Done) else 'failure'}')"


# --- as plain JSON ------------------------------------------------------------------------------


def plain(action: Action, place: Place, tag: str = "kind") -> dict[str, object]:
    def xy(at: Point, *names: str) -> dict[str, object]:
        return dict(zip(names or ("x", "y"), place(at), strict=True))

    if isinstance(action, Click):
        assert action.at
        name = "click" if (action.button, action.count) == ("left", 1) else _clicks(action)
        return {tag: name, **xy(action.at)}
    if isinstance(action, Move):
        return {tag: "move", **xy(action.at)}
    if isinstance(action, Drag):
        return {tag: "drag", **xy(action.path[0]), **xy(action.path[-1], "to_x", "to_y")}
    if isinstance(action, Scroll):
        name, amount = _direction(action)
        at = xy(action.at) if action.at else {}
        return {tag: "scroll", "direction": name, "amount": amount, **at}
    if isinstance(action, Keypress):
        return {tag: "press", "keys": list(action.keys)}
    return {tag: action.kind, **action.model_dump(exclude={"kind"})}


def step(name: str, tag: str) -> Writer:
    return lambda action, place: json.dumps({"thought": "", name: plain(action, place, tag)}) + "\n"


def openai(action: Action, place: Place) -> str:
    return json.dumps(_openai(action, place)) + "\n"


def _openai(action: Action, place: Place) -> dict[str, object]:
    def xy(at: Point | None) -> dict[str, object]:
        return dict(zip("xy", place(at), strict=True)) if at else {}

    if isinstance(action, Click):
        if action.count == 2:
            return {"type": "double_click", **xy(action.at)}
        return {"type": "click", "button": action.button, **xy(action.at)}
    if isinstance(action, Drag):
        return {"type": "drag", "path": [xy(at) for at in action.path]}
    if isinstance(action, Scroll):
        amounts = {"scroll_x": action.dx * 100, "scroll_y": action.dy * 100}
        return {"type": "scroll", **amounts, **xy(action.at)}
    if isinstance(action, Move):
        return {"type": "move", **xy(action.at)}
    return _openai_keys(action)


def _openai_keys(action: Action) -> dict[str, object]:
    if isinstance(action, Keypress):
        return {"type": "keypress", "keys": list(action.keys)}
    if isinstance(action, Wait):
        return {"type": "wait", "ms": action.seconds * 1000}
    assert isinstance(action, Type)
    return {"type": "type", "text": action.text}


def claude(action: Action, place: Place) -> str:
    given = qwen(action, place)
    if isinstance(action, Drag):
        given["start_coordinate"] = place(action.path[0])
    if isinstance(action, Keypress):
        given = {"action": "key", "text": "+".join(action.keys)}
    if isinstance(action, Wait):
        given = {"action": "wait", "duration": action.seconds}
    if isinstance(action, Scroll):
        name, amount = _direction(action)
        given |= {"action": "scroll", "scroll_direction": name, "scroll_amount": amount}
    return json.dumps({"name": "computer", "input": given}) + "\n"


def gemini(action: Action, place: Place) -> str:
    given = plain(action, place)
    name = str(given.pop("kind"))
    if isinstance(action, Drag):
        name = "drag_and_drop"
        given["destination_x"], given["destination_y"] = given.pop("to_x"), given.pop("to_y")
    if isinstance(action, Keypress):
        name = "hotkey"
    if isinstance(action, Scroll):
        given["magnitude"] = _direction(action)[1] * 125
    return json.dumps({"name": name, "args": given}) + "\n"
