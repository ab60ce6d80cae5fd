"""The `computer_use` function of Qwen and its descendants, and the `computer` function of Claude.

The markup differs between generations, the arguments hardly do: `action` names the action, and
points are pairs in the family's coordinates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ..messages import Message
from ..types import Action, Done, Fail, FormatError, ParsedReply, Reply, ToolCall
from . import action_readers, fields
from .action_readers import Reader, click
from .arguments import Arguments
from .base_dialect import BaseDialect
from .coordinates import CoordinateSpace, quote
from .press_release import Part

_FUNCTIONS = {"", "computer_use", "computer", "mobile_use"}
_LABEL = re.compile(
    r"^[ \t#]*(?:\d\)[ \t]*)?(?P<mark>[*_]{0,2})(?:Thought|Action)(?P=mark)?[:：](?P=mark)?\s*",
    re.IGNORECASE | re.MULTILINE,
)
"""Before the sentences that several prompts of the family demand."""
ARGUMENT_NAMES = {
    "at": "coordinate coordinates point position start_box x,y",
    "start": "start_coordinate start_box start_point",
    "end": "coordinate2 end_coordinate end_box end_point",
    "region": "region bbox box bbox_2d coordinate",
    "held": "keys",
    "description": "text",
    "keys": "keys key text",
    "text": "text content",
    "notches": "pixels",
    "seconds": "time duration",
    "status": "status goal_status",
    "reason": "text answer reason message",
    "answer": "text answer",
    "question": "text question content message",
}


def _scroll(arguments: Arguments) -> Part | list[Part]:
    by_direction = "pixels" not in arguments.given and "direction" in arguments.given
    return (action_readers.scroll if by_direction else action_readers.scroll_by())(arguments)


def terminate(arguments: Arguments) -> Action:
    status, reason = arguments.text("status").lower(), arguments.text("reason")
    if status in ("success", "succeeded", "complete", "completed"):
        return Done(answer=reason)
    if status in ("failure", "fail", "failed", "infeasible", "impossible"):
        return Fail(reason=reason)
    raise FormatError(Message("format.no_status"))


def _done(arguments: Arguments) -> Action:
    return terminate(replace(arguments, given={"status": "success", **arguments.given}))


def _answer(arguments: Arguments) -> Action:
    return Done(answer=fields.parse_text(arguments.get("answer")))


_OPEN = action_readers.refuse(Message("format.cannot_open"))


class ComputerUse(BaseDialect):
    argument_names = ARGUMENT_NAMES
    actions: Mapping[str, Reader] = {
        "key": action_readers.press_keys,
        "type": action_readers.type_text(),
        "mouse_move": action_readers.move,
        "left_click": click(anywhere=True),
        "left_click_drag": action_readers.drag,
        "right_click": click("right", anywhere=True),
        "middle_click": click("middle", anywhere=True),
        "double_click": click(count=2, anywhere=True),
        "triple_click": click(count=3, anywhere=True),
        "scroll": _scroll,
        "hscroll": action_readers.scroll_by(sideways=True),
        "wait": action_readers.wait(1),
        "terminate": terminate,
        "answer": _answer,
        "call_user": action_readers.ask,
    }
    aliases: Mapping[str, Reader] = {
        "click": actions["left_click"],
        "tap": actions["left_click"],
        "wheel_click": actions["middle_click"],
        "hotkey": action_readers.press_keys,
        "keypress": action_readers.press_keys,
        "press": action_readers.press_keys,
        "hover": action_readers.move,
        "move": action_readers.move,
        "drag": action_readers.drag,
        "ask_user": action_readers.ask,
        "done": _done,
        "stop": terminate,
        "open": _OPEN,
        "open app": _OPEN,
        "open_app": _OPEN,
        "interact": action_readers.ask,
        "screenshot": action_readers.take_screenshot,
        "zoom": action_readers.zoom,
        "key_down": action_readers.change_keys(down=True),
        "key_up": action_readers.change_keys(down=False),
        "left_mouse_down": action_readers.change_button(down=True),
        "left_mouse_up": action_readers.change_button(down=False),
    }

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        parsed = super().read(reply, space)
        thought = _LABEL.sub("", parsed.thought)
        return replace(parsed, thought=thought, actions=_join_endings(parsed.actions))

    def read_call(self, call: ToolCall, space: CoordinateSpace) -> list[Part]:
        return self.read_action(self._find_action(call), call.arguments, space)

    def _find_action(self, call: ToolCall) -> str:
        """Return the `action`, which smaller models also write as the function's name or `type`."""
        name = call.name.strip().lower()
        action = call.arguments.get("action")
        if action is None and name not in _FUNCTIONS:
            action = name
        elif action is None and isinstance(call.arguments.get("type"), str):
            action = call.arguments["type"]
        elif name not in _FUNCTIONS and self.find_reader(name) is None:
            raise FormatError(Message("format.no_function", name=quote(call.name)))
        if not isinstance(action, str):
            raise FormatError(Message("format.action_missing"))
        return action


def _join_endings(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Join an answer and the end of the task after it: the end gets the answer."""
    if len(actions) > 1 and isinstance(actions[-2], Done):
        answer, last = actions[-2].answer, actions[-1]
        if isinstance(last, Done):
            return (*actions[:-2], Done(answer=last.answer or answer))
        if isinstance(last, Fail):
            return (*actions[:-2], Fail(reason=last.reason or answer))
    return actions
