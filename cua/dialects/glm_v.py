"""GLM-4.1V, 4.5V, 4.6V: one call as code between box marks, then what it wants to remember.

    The dialog is open. <|begin_of_box|>left_click(start_box='[586, 446]')<|end_of_box|>
    Memory: [{"file": "a.txt"}]

Places are thousandths. The memory is part of its answer and goes back to it with the history.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

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
    ParsedReply,
    Point,
    Type,
    Wait,
)
from . import call_syntax, fields
from .coordinates import CoordinateSpace, excerpt
from .endings import parse_ending, parse_marked
from .family import Family, read_action
from .received_reply import ReceivedReply

TEACHING = (
    "Write one call between the marks, such as "
    "<|begin_of_box|>left_click(start_box='[500, 300]')<|end_of_box|>."
)
_BOX = "<|begin_of_box|>"
_START = re.compile(
    r"(?P<box><\|begin_of_box\|>)|^[ \t]*Memory[ \t]*[:：]", re.IGNORECASE | re.MULTILINE
)
_END = re.compile(r"\s*(?:```)?\s*<\|end_of_box\|>")
_MEMORY = re.compile(r"^[ \t]*Memory[ \t]*[:：]", re.IGNORECASE | re.MULTILINE)
_CALL = re.compile(
    r"(?:^|(?<=Action:)|(?<=Action：))[ \t]*(?=[A-Za-z_]{3,20}[ \t]?\()", re.MULTILINE
)


class GlmV(Family):
    name = "glm_v"

    def read(self, reply: ReceivedReply) -> ParsedReply:
        words, calls = _split(reply.text)
        calls += [(call.name, call.arguments) for call in reply.calls]
        answer_text = _before_memory(reply.text.partition(_BOX)[0] if _BOX in reply.text else words)
        if not calls:
            return ParsedReply(words, (parse_ending(answer_text),), _notes(words))
        actions: list[Action] = []
        for name, arguments in calls:
            actions += read_action(_READERS, name, arguments, reply.space, _TAUGHT)
        return ParsedReply(words, _explain_ending(tuple(actions), answer_text), _notes(words))

    def call_end(self, text: str, at: int, before: int) -> int | None:
        return call_syntax.call_end(text, at, before)


def _split(text: str) -> tuple[str, list[call_syntax.Call]]:
    """Return the words, and the calls between box marks that stand before the memory."""
    words: list[str] = []
    calls: list[call_syntax.Call] = []
    at = 0
    while (start := _START.search(text, at)) and start["box"]:
        words.append(text[at : start.start()].strip())
        found, at = call_syntax.calls_at(text, start.end())
        calls += found
        at = _past_end(text, at)
    if not at:
        return _split_unboxed(text, start.start() if start else len(text))
    return "\n".join(filter(None, [*words, text[at:].strip()])), calls


def _past_end(text: str, at: int) -> int:
    end = _END.match(text, at)
    if end is None and text[at:].strip():
        raise FormatError(f"{excerpt(text[at:].strip())} is not a call. {TEACHING}")
    if end is None:
        raise FormatError(f"<|end_of_box|> is missing. {TEACHING}")
    return end.end()


def _explain_ending(actions: tuple[Action, ...], answer_text: str) -> tuple[Action, ...]:
    """Trained without arguments, DONE() and FAIL() are explained by the words before them."""
    last = actions[-1]
    if isinstance(last, Done) and not last.answer:
        return (*actions[:-1], parse_marked(answer_text))
    if isinstance(last, Fail) and not last.reason:
        return (*actions[:-1], Fail(reason=answer_text))
    return actions


def _before_memory(words: str) -> str:
    return _MEMORY.split(words, maxsplit=1)[0].strip()


def _notes(words: str) -> tuple[str, ...]:
    """The entries of its memory; all of it as one where that is no list."""
    memory = "".join(_MEMORY.split(words, maxsplit=1)[1:]).strip()
    try:
        entries = json.loads(memory)
    except (ValueError, RecursionError):
        return (memory,) if memory else ()
    entries = entries if isinstance(entries, list) else [entries]
    return tuple(json.dumps(entry, ensure_ascii=False) for entry in entries if entry)


def _split_unboxed(text: str, memory: int) -> tuple[str, list[call_syntax.Call]]:
    """Lines that begin with a call, before the memory."""
    start = _CALL.search(text, 0, memory)
    if start is None:
        return text.strip(), []
    calls, end = call_syntax.calls_at(text[:memory], start.end())
    rest = text[end:memory].strip("` \t\r\n;")
    if rest:
        raise FormatError(f"{excerpt(rest)} is not a call. {TEACHING}")
    return f"{text[: start.start()].strip()}\n{text[memory:].strip()}".strip(), calls


# --- what they mean ------------------------------------------------------------------------------

Arguments = Mapping[str, object]
Reader = Callable[[Arguments, CoordinateSpace], Action]


def _at(
    arguments: Arguments, space: CoordinateSpace, name: str = "start_box", place: str = "0"
) -> Point:
    given = arguments.get(name, arguments.get(place))
    if given is None:
        raise FormatError(f"The place is missing: write {name}='[x, y]'.")
    return space.point(given)


def _click(button: Button = "left", count: int = 1) -> Reader:
    return lambda arguments, space: Click(
        at=_at(arguments, space), button=button, count=count, keys=_held(arguments)
    )


def _drag(arguments: Arguments, space: CoordinateSpace) -> Action:
    path = (_at(arguments, space), _at(arguments, space, "end_box", "1"))
    return Drag(path=path, keys=_held(arguments))


def _held(arguments: Arguments) -> tuple[str, ...]:
    named = arguments.get("hold_keys")
    return fields.keys(named) if named and named != "None" else ()


def _key(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Keypress(keys=fields.keys(arguments.get("keys") or arguments.get("0")))


def _type(arguments: Arguments, _: CoordinateSpace) -> Action:
    content = arguments.get("content", arguments.get("0"))
    return Type(text=fields.text(content))


def _scroll(arguments: Arguments, space: CoordinateSpace) -> Action:
    place = arguments.get("start_box")
    at = None if place is None else space.point(place)
    step = fields.count(arguments.get("step") or fields.DEFAULT_NOTCHES, 100)
    return fields.scroll(at, arguments.get("direction"), step, _held(arguments))


def _words(arguments: Arguments) -> str:
    return str(arguments.get("content") or arguments.get("0") or "")


def _ask(arguments: Arguments, _: CoordinateSpace) -> Action:
    return Ask(question=fields.text(_words(arguments), "question"))


_READERS: dict[str, Reader] = {
    "left_click": _click(),
    "right_click": _click("right"),
    "middle_click": _click("middle"),
    "hover": lambda arguments, space: Move(at=_at(arguments, space)),
    "left_double_click": _click(count=2),
    "left_drag": _drag,
    "key": _key,
    "type": _type,
    "scroll": _scroll,
    "wait": lambda _, __: Wait(seconds=5),
    "done": lambda arguments, _: parse_marked(_words(arguments)),
    "fail": lambda arguments, _: Fail(reason=_words(arguments)),
    "ask": _ask,
}
_TAUGHT = ", ".join(
    name.upper() if name in ("wait", "done", "fail", "ask") else name for name in _READERS
)
_READERS |= {
    "click": _click(),
    "double_click": _click(count=2),
    "left_triple_click": _click(count=3),
}
