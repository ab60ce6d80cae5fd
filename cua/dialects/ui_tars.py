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
    Point,
    Turn,
    Type,
    Wait,
)
from . import call_syntax, fields, tool_calls
from .call_syntax import Call
from .coordinates import Space, excerpt
from .endings import marked
from .family import Family, Heard
from .holding import Keys, Part, Press, joined

TEACHING = "Write `Thought: …` and then `Action: click(point='<point>500 300</point>')`."
_LABEL = re.compile(
    r"^[ \t]*(thought|reflection|action_summary|action|observation|memory)[ \t]*[:：][ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_TAGS = re.compile(r"</?(?:output|computer_env|thought)>|```\w*", re.IGNORECASE)
_ANSWER = re.compile(r"\s*<answer>(.*)</answer>\s*", re.IGNORECASE | re.DOTALL)
_BETWEEN = re.compile(r"[\s;；,]*")
_LINE_CALL = re.compile(r"^[ \t]*(?=[a-z_]{2,20}[ \t]?\()", re.MULTILINE)


class UiTars(Family):
    name = "ui_tars"
    sampling = MappingProxyType({"temperature": 0.0})

    def read(self, heard: Heard) -> Turn:
        answer = _ANSWER.fullmatch(heard.text)
        if answer:
            return Turn("", (Done(answer=answer[1].strip()),))
        words, calls = self.calls(heard)
        if not calls:
            raise FormatError(f"There was no action in the reply. {TEACHING}")
        parts = [part for call in calls for part in _parts(call, heard.space, words)]
        return Turn(words, tuple(joined(parts)))

    def calls(self, heard: Heard) -> tuple[str, list[Call]]:
        words, calls = _sections(_TAGS.sub("\n", heard.text))
        return words, calls + [(call.name, call.arguments) for call in heard.calls]


class UiTars15(UiTars):
    name = "ui_tars_15"
    scale = None
    factor = 28


class UiTars2(UiTars):
    name = "ui_tars_2"

    def calls(self, heard: Heard) -> tuple[str, list[Call]]:
        words, calls = tool_calls.heard(heard, _TEACHING_2)
        if not calls:
            return super().calls(heard)
        return words, [(call.name, call.arguments) for call in calls]


_TEACHING_2 = (
    "Write <seed:tool_call><function=click><parameter=point><point>500 300</point></parameter>"
    "</function></seed:tool_call>."
)


# --- where the calls stand -----------------------------------------------------------------------


def _sections(text: str) -> tuple[str, list[Call]]:
    """Only what follows `Action:` is a call; without that label, lines that begin with one."""
    labels = list(_LABEL.finditer(text))
    if not any(label[1].lower() == "action" for label in labels):
        return _unlabelled(text)
    words = [text[: labels[0].start()]]
    calls: list[Call] = []
    for label, following in zip(labels, [*labels[1:], None], strict=True):
        section = text[label.end() : following.start() if following else None]
        if label[1].lower() != "action":
            words.append(section)
            continue
        found, rest = _calls(section)
        calls += found
        words.append(rest)
    return _joined(words), calls


def _unlabelled(text: str) -> tuple[str, list[Call]]:
    start = _LINE_CALL.search(text)
    if start is None:
        return text.strip(), []
    calls, rest = _calls(text[start.start() :])
    return _joined([text[: start.start()], rest]), calls


def _calls(text: str) -> tuple[list[Call], str]:
    """The calls with which a section begins, and the words behind them."""
    calls: list[Call] = []
    at = _after(_BETWEEN, text, 0)
    while found := call_syntax.call_at(text, at):
        calls.append(found[0])
        end = found[1]
        at = _after(_BETWEEN, text, end)
    rest = text[at:]
    if rest and (not calls or "\n" not in text[end:at]):
        raise FormatError(f"{excerpt(rest.strip())} is not a call. {TEACHING}")
    if re.search(r"^[ \t]*[a-z_]{2,20}\(", rest, re.MULTILINE):
        raise FormatError(f"Between the calls stand other words. {TEACHING}")
    return calls, rest


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _joined(words: list[str]) -> str:
    return "\n".join(filter(None, (each.strip() for each in words)))


# --- what they mean ------------------------------------------------------------------------------

Arguments = Mapping[str, object]
Reader = Callable[[Arguments, Space], Part]


def _parts(call: Call, space: Space, words: str) -> list[Part]:
    name, arguments = call
    if name.lower() == "call_user":
        return [Ask(question=str(arguments.get("content") or words or "The model needs you."))]
    reader = _READERS.get(name.lower())
    if reader is None:
        raise FormatError(f"There is no action {excerpt(name)}. The actions are {_TAUGHT}.")
    return [reader(arguments, space)]


_STARTS = ("start_point", "start_box", "point", "0")
_ENDS = ("end_point", "end_box", "1")


def _place(arguments: Arguments, space: Space, names: tuple[str, ...] = _STARTS) -> Point | None:
    given = next((arguments[name] for name in names if arguments.get(name)), None)
    return None if given is None else space.point(given)


def _needed(arguments: Arguments, space: Space, names: tuple[str, ...] = _STARTS) -> Point:
    at = _place(arguments, space, names)
    if at is None:
        raise FormatError("The place is missing: write point='<point>x y</point>'.")
    return at


def _click(button: Button = "left", count: int = 1) -> Reader:
    return lambda arguments, space: Click(at=_needed(arguments, space), button=button, count=count)


def _drag(arguments: Arguments, space: Space) -> Action:
    return Drag(path=(_needed(arguments, space), _needed(arguments, space, _ENDS)))


def _scroll(arguments: Arguments, space: Space) -> Action:
    return fields.scroll(_place(arguments, space), arguments.get("direction"))


def _keys(arguments: Arguments) -> tuple[str, ...]:
    return fields.keys(arguments.get("key") or arguments.get("keys") or arguments.get("0"))


def _hotkey(arguments: Arguments, _: Space) -> Action:
    return Keypress(keys=_keys(arguments))


def _type(arguments: Arguments, _: Space) -> Action:
    content = arguments.get("content", arguments.get("text", arguments.get("0")))
    return Type(text=call_syntax.unescaped(fields.text(content)))


def _wait(arguments: Arguments, _: Space) -> Action:
    return Wait(seconds=fields.seconds(arguments.get("time", 5)))


def _finished(arguments: Arguments, _: Space) -> Action:
    content = arguments.get("content", arguments.get("0", ""))
    return marked(call_syntax.unescaped(str(content)))


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
    "press": lambda arguments, _: Keys(_keys(arguments), down=True),
    "release": lambda arguments, _: Keys(_keys(arguments), down=False),
    "mouse_down": lambda arguments, space: Press(True, _place(arguments, space)),
    "mouse_up": lambda arguments, space: Press(False, _place(arguments, space)),
    "take_screenshot": lambda _, __: Wait(seconds=0),
    "open_computer": lambda _, __: Wait(seconds=0),
}
