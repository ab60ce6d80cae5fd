"""OpenCUA, Kimi and EvoCUA's first style: `pyautogui` code, which is parsed and never run.

    ## Action:
    Click on OK.
    ## Code:
    ```python
    pyautogui.click(x=640, y=360)
    ```

OpenCUA-7B and 32B count in pixels of the resized screenshot; OpenCUA-72B and Kimi in fractions.
Kimi sometimes writes values above 1. They are refused: it is not documented in which picture they
are pixels, and 1 could be either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ..messages import Message, sentences
from ..types import Action, Button, Click, Drag, FormatError, Keypress, NoAction, Reply, ToolCall
from . import action_readers, computer_use, fields, python_calls
from .action_readers import Reader
from .arguments import Arguments
from .base_dialect import BaseDialect
from .coordinates import FRACTIONS, CoordinateSpace
from .press_release import ButtonChange, Part

_FENCE = re.compile(r"^[ \t]*```[ \t]*[\w+-]{0,20}[ \t]*$", re.MULTILINE)
_BARE = re.compile(r"^[ \t]*(?=(?:pyautogui|computer|time)\.\w)", re.MULTILINE)
_HEADING = re.compile(
    r"^#+[ \t]*(?:step|thought|action|code)\b.{0,20}?:?[ \t]*$", re.MULTILINE | re.IGNORECASE
)


def _click(button: Button | None = None, count: int = 0) -> Reader:
    """`count`: number of clicks; 0: from the argument `clicks`."""

    def read(arguments: Arguments) -> Action:
        clicks = count or fields.parse_count(arguments.given.get("clicks", 1), 3)
        return Click(at=arguments.find_point(), button=button or _button(arguments), count=clicks)

    return read


def _button(arguments: Arguments) -> Button:
    return fields.parse_button(arguments.given.get("button"))


def _drag_to(arguments: Arguments) -> Action:
    return Drag(path=(arguments.point(),), button=_button(arguments))


def _press(arguments: Arguments) -> list[Part]:
    """Press the keys of a list one after the other."""
    keys, times = arguments.get("keys"), arguments.count("times", 1, 200)
    each = keys if isinstance(keys, (list, tuple)) else [keys]
    if len(each) > 1 and times > 1:
        raise FormatError(Message("format.press_several"))
    return [Keypress(keys=fields.parse_keys(key), count=times) for key in each[:100]]


def _hotkey(arguments: Arguments) -> Action:
    keys = arguments.get("keys")
    return Keypress(keys=fields.parse_keys(keys[0] if len(keys or "") == 1 else keys))


def _change_button(*, down: bool) -> Reader:
    return lambda arguments: ButtonChange(down, arguments.find_point(), _button(arguments))


def _write(arguments: Arguments) -> Part | list[Part]:
    text = arguments.get("text")
    if isinstance(text, (list, tuple)):
        return [Keypress(keys=fields.parse_keys(key)) for key in text[:100]]
    return action_readers.type_text()(arguments)


_PARAMETERS = {
    name: parameters.split()
    for parameters, names in {
        "x y clicks interval button": "click",
        "x y clicks": "leftClick rightClick middleClick",
        "x y interval button": "doubleClick tripleClick triple_click",
        "x y": "moveTo",
        "x y duration tween button": "dragTo",
        "x y button": "mouseDown mouseUp",
        "clicks x y": "scroll vscroll hscroll",
        "keys presses": "press",
        "key": "keyDown keyUp",
        "message": "write typewrite",
        "seconds": "sleep wait",
        "status answer": "terminate",
        "question": "call_user",
    }.items()
    for name in names.split()
}
"""Function -> the names of its positional arguments."""


class OpenCua(BaseDialect):
    format_hint = Message("format.write_code")
    coordinate_space: CoordinateSpace | None = None
    factor = 28
    argument_names: Mapping[str, str] = {
        "at": "x,y 0",
        "notches": "clicks",
        "keys": "keys key args",
        "times": "presses",
        "text": "message text",
        "seconds": "seconds secs duration time",
        "reason": "answer",
        "question": "question message text",
    }
    actions: Mapping[str, Reader] = {
        "click": _click(),
        "rightClick": _click("right"),
        "middleClick": _click("middle"),
        "doubleClick": _click(count=2),
        "tripleClick": _click(count=3),
        "moveTo": action_readers.move,
        "dragTo": _drag_to,
        "scroll": action_readers.scroll_by(),
        "hscroll": action_readers.scroll_by(sideways=True),
        "press": _press,
        "hotkey": _hotkey,
        "keyDown": action_readers.change_keys(down=True),
        "keyUp": action_readers.change_keys(down=False),
        "write": _write,
        "mouseDown": _change_button(down=True),
        "mouseUp": _change_button(down=False),
        "sleep": action_readers.wait(),
        "wait": action_readers.wait(20),
        "terminate": computer_use.terminate,
        "call_user": action_readers.ask,
    }
    aliases: Mapping[str, Reader] = {
        "leftClick": _click("left"),
        "triple_click": _click(count=3),
        "typewrite": _write,
        "vscroll": action_readers.scroll_by(),
        "screenshot": action_readers.take_screenshot,
    }

    def split_calls(self, reply: Reply) -> tuple[str, list[ToolCall]]:
        if reply.calls:
            raise FormatError(sentences(Message("format.calls_not_used"), self.format_hint))
        words, code = self._split_code(reply.text)
        if not code.strip():
            raise NoAction(sentences(Message("format.no_code"), self.format_hint), words)
        return words, [_name_arguments(call) for call in python_calls.parse_code(code)]

    def find_call_end(self, text: str, start: int, before: int) -> int | None:
        opening = _FENCE.search(text, start, before)
        end = _FENCE.search(text, opening.end()) if opening else None
        return end.end() if end else None

    def _split_code(self, text: str) -> tuple[str, str]:
        """Return the words, and the code of the last block; earlier ones are drafts."""
        text = text.replace("\r\n", "\n")
        fences = list(_FENCE.finditer(text))
        if fences:
            opening, end = fences[-2 if len(fences) > 1 else -1], fences[-1]
            if len(fences) % 2 or text[end.end() :].strip():
                raise FormatError(sentences(Message("format.code_open"), self.format_hint))
            words, code = text[: opening.start()], text[opening.end() : end.start()]
        else:
            bare = _BARE.search(text)
            words, code = (text[: bare.start()], text[bare.start() :]) if bare else (text, "")
        return _HEADING.sub("", words).strip(), code


class OpenCua72B(OpenCua):
    coordinate_space = FRACTIONS
    factor = 0


class Kimi(OpenCua72B):
    """Trained without a heading above its thought."""

    sampling = MappingProxyType({"temperature": 1.0, "top_p": 0.95})


def _name_arguments(call: ToolCall) -> ToolCall:
    """Return the call with named arguments; "0" for a point in one argument."""
    given = [value for name, value in call.arguments.items() if name.isdigit()]
    if call.name == "hotkey" and given:
        return ToolCall(call.name, {"keys": given})
    named = {name: value for name, value in call.arguments.items() if not name.isdigit()}
    arguments = {**dict(zip(_PARAMETERS.get(call.name, ()), given, strict=False)), **named}
    x, y = arguments.get("x"), arguments.get("y")
    if y is None and (x is None or isinstance(x, (list, tuple))):
        arguments = {"0": x, **{k: v for k, v in arguments.items() if k not in ("x", "y")}}
    return ToolCall(call.name, arguments)
