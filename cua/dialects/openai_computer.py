"""OpenAI's `computer` tool: actions with `type`, points in pixels of the screenshot.

The actions are function calls with one or a list of them, or JSON if a gateway has no such tool. A
reply without any ends the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..messages import Message, sentences
from ..types import Action, Click, Drag, FormatError, Keypress, ToolCall, Wait, as_objects
from . import action_readers, fields
from .action_readers import Reader, click
from .arguments import Arguments
from .base_dialect import BaseDialect
from .coordinates import CoordinateSpace, parse_number
from .press_release import Part

NOTCH_PX = 100
"""Pixels that one wheel notch scrolls."""


def _click(arguments: Arguments) -> Action:
    name, keys = arguments.get("button"), arguments.held_keys()
    if name in ("back", "forward"):
        return Keypress(keys=(*keys, "ALT", "LEFT" if name == "back" else "RIGHT"))
    return Click(at=arguments.point(), button=fields.parse_button(name), keys=keys)


def _drag(arguments: Arguments) -> Action:
    path = arguments.get("path")
    if not isinstance(path, list):
        raise FormatError(Message("format.no_path"))
    points = tuple(map(arguments.space.parse_point, path[:101]))
    return Drag(path=points, keys=arguments.held_keys())


def _scroll(arguments: Arguments) -> Action:
    dx, dy = _notches(arguments.get("scroll_x")), _notches(arguments.get("scroll_y"))
    return fields.make_scroll_by(arguments.find_point(), dx, dy, arguments.held_keys())


def _notches(amount: object) -> int:
    found = parse_number(amount or 0) / NOTCH_PX
    return max(-100, min(100, round(found) or (found > 0) - (found < 0)))


def _wait(arguments: Arguments) -> Action:
    return Wait(seconds=fields.parse_seconds(parse_number(arguments.get("ms", 2000)) / 1000))


class OpenAIComputer(BaseDialect):
    format_hint = Message(
        "format.write_json", example='{"type": "click", "x": 640, "y": 360, "button": "left"}'
    )
    coordinate_space = None
    returns_calls = True
    ends_by_text = True
    argument_names: Mapping[str, str] = {
        "at": "x,y",
        "held": "keys",
        "ms": "ms duration",
        "question": "question text",
    }
    actions: Mapping[str, Reader] = {
        "click": _click,
        "double_click": click(count=2),
        "drag": _drag,
        "keypress": action_readers.press_keys,
        "move": action_readers.move,
        "scroll": _scroll,
        "type": action_readers.type_text(),
        "wait": _wait,
        "screenshot": action_readers.take_screenshot,
        "call_user": action_readers.ask,
    }

    def read_call(self, call: ToolCall, space: CoordinateSpace) -> list[Part]:
        listed = call.arguments.get("actions", call.arguments.get("action"))
        if isinstance(listed, dict):
            listed = [listed]
        if not isinstance(listed, list):
            name = call.arguments.get("type", call.arguments.get("action", call.name))
            listed = [{**call.arguments, "type": name}]
        return [part for each in listed for part in self._read_listed(each, space)]

    def _read_listed(self, value: object, space: CoordinateSpace) -> list[Part]:
        if not isinstance(value, dict):
            raise FormatError(sentences(Message("format.not_object"), self.format_hint))
        given = {name: each for name, each in value.items() if each is not None}
        return self.read_action(value.get("type"), given, space)

    def find_cautions(self, call: ToolCall) -> Iterator[str]:
        for check in as_objects(call.arguments.get("pending_safety_checks")):
            reason = check.get("message") or check.get("code")
            yield str(reason) if reason else Message("format.no_reason")
