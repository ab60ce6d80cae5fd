"""Python code that only calls `pyautogui`, `computer` and `time.sleep`, read from its syntax tree.

Arguments are literals; anything else, names and formulas and imports included, refuses the whole.
"""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Callable, Sequence

from ..types import (
    Action,
    Ask,
    Button,
    Click,
    Done,
    Drag,
    Fail,
    FormatError,
    Keypress,
    Move,
    Point,
    Type,
    Wait,
)
from . import fields
from .coordinates import CoordinateSpace, excerpt
from .holding import ButtonChange, KeyChange, Part

MAX_CODE_CHARS = 12_000
"""Characters: the longest text that can be typed, and some calls around it. Code of this length
cannot nest deep enough to exhaust the stack of Python's own parser."""
_MODULES = {"pyautogui", "computer", "time", ""}
_BUTTONS: dict[object, Button] = {
    "left": "left",
    "right": "right",
    "middle": "middle",
    "primary": "left",
    "secondary": "right",
}


class _Call:
    """A call with its arguments, of which each is asked for by position and by names."""

    def __init__(self, name: str, given: Sequence[object], named: dict[str, object]) -> None:
        self.name, self.given, self.named = name, given, named

    def get(self, at: int, *names: str, default: object = None) -> object:
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.given[at] if at < len(self.given) else default

    def place(self, space: CoordinateSpace, at: int = 0) -> Point | None:
        """Where its x and y say; None without them: where the pointer is."""
        x, y = self.get(at, "x"), self.get(at + 1, "y")
        if isinstance(x, (list, tuple)) and y is None:
            return space.point(x)
        return None if x is None and y is None else space.at(x, y)

    def needed(self, space: CoordinateSpace) -> Point:
        at = self.place(space)
        if at is None:
            raise FormatError(f"{self.name} needs a place: x and y.")
        return at

    def button(self, at: int) -> Button:
        name = self.get(at, "button", default="left")
        if not isinstance(name, str) or name.lower() not in _BUTTONS:
            raise FormatError(f"There is no mouse button {excerpt(name)}.")
        return _BUTTONS[name.lower()]


def parts(code: str, space: CoordinateSpace) -> list[Part]:
    """What the code does. Raises `FormatError`."""
    found: list[Part] = []
    for call in _calls(code):
        reader = _READERS.get(call.name)
        if reader is None:
            raise FormatError(f"{excerpt(call.name)} cannot be called. Use {_TAUGHT}.")
        result = reader(call, space)
        found += result if isinstance(result, list) else [result]
    return found


def _calls(code: str) -> list[_Call]:
    calls: list[_Call] = []
    for statement in _parse(code).body:
        if isinstance(statement, ast.Import) and _is_harmless(statement):
            continue
        if _is_wait(statement):
            calls.append(_Call("wait", [], {}))
            continue
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            raise FormatError("The code may only call functions, one a line, without variables.")
        calls.append(_call(statement.value))
    return calls


def _is_wait(statement: ast.stmt) -> bool:
    """`computer.wait`, as they also write it, without its brackets."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Attribute) and value.attr == "wait"


def _parse(code: str) -> ast.Module:
    if len(code) > MAX_CODE_CHARS:
        raise FormatError("The code is too long. Write the next few calls only.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as an unknown escape in a text
            return ast.parse(textwrap.dedent(code).strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        what = error.msg if isinstance(error, SyntaxError) else "it cannot be read"
        raise FormatError(f"The code is not valid Python: {excerpt(what)}.") from None


def _is_harmless(statement: ast.Import) -> bool:
    return all(each.name in _MODULES for each in statement.names)


def _call(node: ast.Call) -> _Call:
    named: dict[str, object] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise FormatError("Write every argument out; ** is not read.")
        named[keyword.arg] = _literal(keyword.value)
    return _Call(_name(node.func), [_literal(argument) for argument in node.args], named)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        if function.value.id in _MODULES:
            return function.attr
        return f"{function.value.id}.{function.attr}"
    raise FormatError(
        "The code may only call functions by name, such as pyautogui.click(x=…, y=…)."
    )


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise FormatError("Arguments must be plain numbers, texts or lists.") from None


# --- one reader per function ---------------------------------------------------------------------

Reader = Callable[[_Call, CoordinateSpace], "Part | list[Part]"]


def _click(button: Button | None = None, count: int = 1, button_at: int = 4) -> Reader:
    def read(call: _Call, space: CoordinateSpace) -> Action:
        clicks = fields.count(call.get(2, "clicks", default=1), 3) if count == 1 else count
        pressed = button or call.button(button_at)
        return Click(at=call.place(space), button=pressed, count=clicks)

    return read


def _move(call: _Call, space: CoordinateSpace) -> Action:
    return Move(at=call.needed(space))


def _drag(call: _Call, space: CoordinateSpace) -> Action:
    return Drag(path=(call.needed(space),), button=call.button(4))


def _scroll(call: _Call, space: CoordinateSpace) -> Action:
    return fields.scroll_by(call.place(space, 1), 0, -fields.notches(call.get(0, "clicks")))


def _hscroll(call: _Call, space: CoordinateSpace) -> Action:
    return fields.scroll_by(call.place(space, 1), fields.notches(call.get(0, "clicks")), 0)


def _press(call: _Call, _: CoordinateSpace) -> list[Part]:
    """A list is one key after the other."""
    keys = call.get(0, "keys", "key")
    times = fields.count(call.get(1, "presses", default=1), 200)
    each = list(keys) if isinstance(keys, (list, tuple)) else [keys]
    if len(each) > 1 and times > 1:
        raise FormatError("Press several keys several times with one call for each key.")
    return [Keypress(keys=fields.keys(key), count=times) for key in each[:100]]


def _hotkey(call: _Call, _: CoordinateSpace) -> Action:
    given = call.given or [call.get(0, "keys", "args", default=[])]
    return Keypress(keys=fields.keys(given[0] if len(given) == 1 else list(given)))


def _hold(down: bool) -> Reader:
    return lambda call, _: KeyChange(fields.keys(call.get(0, "key")), down)


def _button(down: bool) -> Reader:
    return lambda call, space: ButtonChange(down, call.place(space), call.button(2))


def _write(call: _Call, _: CoordinateSpace) -> Action | list[Part]:
    text = call.get(0, "message", "text")
    if isinstance(text, (list, tuple)):
        return [Keypress(keys=fields.keys(key)) for key in text[:100]]
    return Type(text=fields.text(text))


def _sleep(call: _Call, _: CoordinateSpace) -> Action:
    return Wait(seconds=fields.seconds(call.get(0, "seconds", "secs", "duration")))


def _wait(call: _Call, _: CoordinateSpace) -> Action:
    return Wait(seconds=fields.seconds(call.get(0, "seconds", "time", default=20)))


def _terminate(call: _Call, _: CoordinateSpace) -> Action:
    status, answer = call.get(0, "status"), str(call.get(1, "answer", default=""))
    if status in ("success", "failure"):
        return Done(answer=answer) if status == "success" else Fail(reason=answer)
    raise FormatError("`terminate` needs status='success' if the task is done, else 'failure'.")


def _ask(call: _Call, _: CoordinateSpace) -> Action:
    return Ask(question=fields.text(call.get(0, "question", "message", "text"), "question"))


def _look(_: _Call, __: CoordinateSpace) -> Action:
    return Wait(seconds=0)


_READERS: dict[str, Reader] = {
    "click": _click(),
    "rightClick": _click("right"),
    "middleClick": _click("middle"),
    "doubleClick": _click(count=2, button_at=3),
    "tripleClick": _click(count=3, button_at=3),
    "moveTo": _move,
    "dragTo": _drag,
    "scroll": _scroll,
    "hscroll": _hscroll,
    "press": _press,
    "hotkey": _hotkey,
    "keyDown": _hold(down=True),
    "keyUp": _hold(down=False),
    "write": _write,
    "mouseDown": _button(down=True),
    "mouseUp": _button(down=False),
    "sleep": _sleep,
}
_TAUGHT = f"{', '.join(_READERS)}, computer.wait, computer.terminate or computer.call_user"
_READERS |= {
    "leftClick": _click("left"),
    "triple_click": _click(count=3, button_at=3),
    "typewrite": _write,
    "vscroll": _scroll,
    "wait": _wait,
    "terminate": _terminate,
    "call_user": _ask,
    "screenshot": _look,
}
