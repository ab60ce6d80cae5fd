"""UI-TARS in all its versions: `Thought: … Action: click(point='<point>x y</point>')`.

1.0 and the hosted Doubao models count in thousandths, 1.5 in pixels of the resized screenshot, with
the same grammar: so the version decides and never the text. 2 and Seed write the calls in tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..types import (
    Action,
    Ask,
    Button,
    Click,
    Done,
    Drag,
    FormatError,
    Keypress,
    Move,
    ParsedReply,
    Point,
    Type,
    Wait,
)
from . import call_syntax, fields, tool_calls
from .call_syntax import Call
from .coordinates import CoordinateSpace, excerpt
from .endings import parse_marked
from .family import Family, read_action
from .holding import ButtonChange, KeyChange, Part, join_parts
from .received_reply import ReceivedReply

TEACHING = "Write `Thought: …` and then `Action: click(point='<point>500 300</point>')`."
_LABEL = re.compile(
    r"^[ \t]*(?:thought|reflection|action_summary|(?P<action>action)|observation|memory)"
    r"[ \t]*[:：][ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(
    r"^[ \t]*(?P<action>action)[ \t]*[:：]|<(?:\w+:)?tool_call>|<function=",
    re.IGNORECASE | re.MULTILINE,
)
_EITHER = re.compile(
    rf"(?P<tag>{tool_calls.START.pattern})|{call_syntax.START.pattern}",
    re.IGNORECASE | re.MULTILINE,
)
_TAGS = re.compile(r"</?(?:output|computer_env|thought)>|```\w*", re.IGNORECASE)
_ANSWER = re.compile(r"\s*<answer>(?:(.*)</answer>\s*)?", re.IGNORECASE | re.DOTALL)
_LINE_CALL = re.compile(r"^[ \t]*(?=[a-z_]{2,20}[ \t]?\()", re.MULTILINE)


class UiTars(Family):
    name = "ui_tars"
    sampling = MappingProxyType({"temperature": 0.0})

    def read(self, reply: ReceivedReply) -> ParsedReply:
        answer = _ANSWER.match(reply.text)
        if answer:
            return ParsedReply("", (_answered(reply.text, answer),))
        words, calls = self.calls(reply)
        if not calls:
            raise FormatError(f"There was no action in the reply. {TEACHING}")
        parts = [part for call in calls for part in _parts(call, reply.space, words)]
        return ParsedReply(words, tuple(join_parts(parts)))

    def calls(self, reply: ReceivedReply) -> tuple[str, list[Call]]:
        words, calls = _split(reply.text)
        return words, calls + [(call.name, call.arguments) for call in reply.calls]

    def call_end(self, text: str, at: int, before: int) -> int | None:
        return call_syntax.call_end(text, at, before)


class Doubao(UiTars):
    """The hosted models, trained on points in place of boxes."""

    name = "doubao"


class UiTars15(UiTars):
    name = "ui_tars_15"
    scale = None
    factor = 28


class UiTars2(UiTars):
    name = "ui_tars_2"

    def calls(self, reply: ReceivedReply) -> tuple[str, list[Call]]:
        first = _FIRST.search(reply.text)
        if first is None or first["action"]:
            return super().calls(reply)
        words, calls = tool_calls.read_calls(reply, _TEACHING_2)
        return words, [(call.name, call.arguments) for call in calls]

    def call_end(self, text: str, at: int, before: int) -> int | None:
        start = _EITHER.search(text, at, before)
        if start is None:
            return None
        call_end = call_syntax.call_end if start["tag"] is None else tool_calls.call_end
        return call_end(text, start.start(), before)


_TEACHING_2 = (
    "Write <seed:tool_call><function=click><parameter=point><point>500 300</point></parameter>"
    "</function></seed:tool_call>."
)


# --- where the calls stand -----------------------------------------------------------------------


def _split(text: str) -> tuple[str, list[Call]]:
    """Return the words, and the calls after the first `Action:`, which end the reply.

    In a text without any label the first line that begins with a call is where they start.
    """
    labels = list(_LABEL.finditer(text))
    start = next((label for label in labels if label["action"]), None)
    if start is None and not labels:
        start = _LINE_CALL.search(text)
    if start is None:
        return text.strip(), []
    calls, end = call_syntax.calls_at(text, start.end())
    rest = _TAGS.sub("", text[end:]).strip()
    if rest:
        raise FormatError(f"{excerpt(rest)} is not a call. After `Action:` only calls may stand.")
    return _LABEL.sub("", _TAGS.sub("", text[: start.start()])).strip(), calls


def _answered(text: str, answer: re.Match[str]) -> Done:
    if answer[1] is None or answer.end() < len(text):
        raise FormatError("The answer must end with </answer>, and nothing may stand behind it.")
    return Done(answer=answer[1].strip())


# --- what they mean ------------------------------------------------------------------------------

Arguments = Mapping[str, object]
Reader = Callable[[Arguments, CoordinateSpace], Part]


def _parts(call: Call, space: CoordinateSpace, words: str) -> list[Part]:
    name, arguments = call
    if name.lower() == "call_user":
        return [Ask(question=str(arguments.get("content") or words or "The model needs you."))]
    return read_action(_READERS, name, arguments, space, _TAUGHT)


_STARTS = ("start_point", "start_box", "point", "0")
_ENDS = ("end_point", "end_box", "1")


def _place(
    arguments: Arguments, space: CoordinateSpace, names: tuple[str, ...] = _STARTS
) -> Point | None:
    given = next((arguments[name] for name in names if name in arguments), None)
    return None if given is None else space.point(given)


def _needed(
    arguments: Arguments, space: CoordinateSpace, names: tuple[str, ...] = _STARTS
) -> Point:
    at = _place(arguments, space, names)
    if at is None:
        raise FormatError("The place is missing: write point='<point>x y</point>'.")
    return at


def _click(button: Button = "left", count: int = 1) -> Reader:
    return lambda arguments, space: Click(at=_needed(arguments, space), button=button, count=count)


def _drag(arguments: Arguments, space: CoordinateSpace) -> Action:
    return Drag(path=(_needed(arguments, space), _needed(arguments, space, _ENDS)))


def _scroll(arguments: Arguments, space: CoordinateSpace) -> Action:
    return fields.scroll(_place(arguments, space), arguments.get("direction"))


def _keys(arguments: Arguments) -> tuple[str, ...]:
    return fields.keys(arguments.get("key") or arguments.get("keys") or arguments.get("0"))


def _hotkey(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Keypress(keys=_keys(arguments))


def _type(arguments: Arguments, _: CoordinateSpace) -> Action:
    content = arguments.get("content", arguments.get("text", arguments.get("0")))
    return Type(text=fields.text(content))


def _wait(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("time", 5)))


def _finished(arguments: Arguments, _: CoordinateSpace) -> Action:
    content = arguments.get("content", arguments.get("0", ""))
    return parse_marked(str(content))


_READERS: dict[str, Reader] = {
    "click": _click(),
    "left_double": _click(count=2),
    "right_single": _click("right"),
    "drag": _drag,
    "hotkey": _hotkey,
    "type": _type,
    "scroll": _scroll,
    "wait": _wait,
    "finished": _finished,
}
_TAUGHT = ", ".join([*_READERS, "call_user"])
_READERS |= {
    "left_single": _click(),
    "double_click": _click(count=2),
    "right_click": _click("right"),
    "middle_click": _click("middle"),
    "left_triple": _click(count=3),
    "select": _drag,
    "move_to": lambda arguments, space: Move(at=_needed(arguments, space)),
    "hover": lambda arguments, space: Move(at=_needed(arguments, space)),
    "press": lambda arguments, _: KeyChange(_keys(arguments), down=True),
    "release": lambda arguments, _: KeyChange(_keys(arguments), down=False),
    "mouse_down": lambda arguments, space: ButtonChange(True, _place(arguments, space)),
    "mouse_up": lambda arguments, space: ButtonChange(False, _place(arguments, space)),
    "take_screenshot": lambda _, __: Wait(seconds=0),
    "open_computer": lambda _, __: Wait(seconds=0),
}
