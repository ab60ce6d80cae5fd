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
    Drag,
    Fail,
    FormatError,
    Keypress,
    Move,
    Point,
    Turn,
    Type,
    Wait,
)
from . import call_syntax, fields
from .coordinates import Space, excerpt
from .endings import marked
from .family import Family, Heard

TEACHING = (
    "Write one call between the marks, such as "
    "<|begin_of_box|>left_click(start_box='[500, 300]')<|end_of_box|>."
)
_BOX = re.compile(r"<\|begin_of_box\|>|<\|end_of_box\|>")
_MEMORY = re.compile(r"^[ \t]*Memory[ \t]*[:：]", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(r"\s*(?:Action[ \t]*[:：])?\s*(?:```\w*\s*)?", re.IGNORECASE)
_CALL = re.compile(
    r"(?:^|(?<=Action:)|(?<=Action：))[ \t]*(?=[A-Za-z_]{3,20}[ \t]?\()", re.MULTILINE
)


class GlmV(Family):
    name = "glm_v"

    def read(self, heard: Heard) -> Turn:
        words, calls = _boxed(heard.text)
        calls += [(call.name, call.arguments) for call in heard.calls]
        if not calls:
            raise FormatError(f"There was no action in the reply. {TEACHING}")
        actions = tuple(_action(name, given, heard.space) for name, given in calls)
        return Turn(words, actions, _notes(words))


def _boxed(text: str) -> tuple[str, list[call_syntax.Call]]:
    pieces = _BOX.split(text)
    if len(pieces) == 1:
        return _unboxed(text)
    words = "\n".join(piece.strip() for piece in pieces[::2] if piece.strip())
    return words, [call for piece in pieces[1::2] for call in _calls(piece)]


def _notes(words: str) -> tuple[str, ...]:
    """The entries of its memory; all of it as one where that is no list."""
    found = _MEMORY.search(words)
    memory = words[found.end() :].strip() if found else ""
    try:
        entries = json.loads(memory)
    except (ValueError, RecursionError):
        return (memory,) if memory else ()
    entries = entries if isinstance(entries, list) else [entries]
    return tuple(json.dumps(entry, ensure_ascii=False) for entry in entries if entry)


def _unboxed(text: str) -> tuple[str, list[call_syntax.Call]]:
    """Lines that begin with a call, before the memory."""
    memory = _MEMORY.search(text)
    end = memory.start() if memory else len(text)
    start = _CALL.search(text, 0, end)
    if start is None:
        return text.strip(), []
    words = f"{text[: start.start()].strip()}\n{text[end:].strip()}".strip()
    return words, _calls(text[start.start() : end])


def _calls(text: str) -> list[call_syntax.Call]:
    calls: list[call_syntax.Call] = []
    text = text.strip().removesuffix("```").rstrip()
    label = _LABEL.match(text)
    at = label.end() if label else 0
    while found := call_syntax.call_at(text, at):
        calls.append(found[0])
        at = found[1] + len(text[found[1] :]) - len(text[found[1] :].lstrip(" \t\r\n;"))
    if at < len(text):
        raise FormatError(f"{excerpt(text[at:].strip())} is not a call. {TEACHING}")
    return calls


# --- what they mean ------------------------------------------------------------------------------

Arguments = Mapping[str, object]
Reader = Callable[[Arguments, Space], Action]


def _action(name: str, arguments: Arguments, space: Space) -> Action:
    reader = _READERS.get(name.lower())
    if reader is None:
        raise FormatError(f"There is no action {excerpt(name)}. The actions are {_TAUGHT}.")
    return reader(arguments, space)


def _at(arguments: Arguments, space: Space, name: str = "start_box", place: str = "0") -> Point:
    given = arguments.get(name) or arguments.get(place)
    if not given:
        raise FormatError(f"The place is missing: write {name}='[x, y]'.")
    return space.point(given)


def _click(button: Button = "left", count: int = 1) -> Reader:
    return lambda arguments, space: Click(at=_at(arguments, space), button=button, count=count)


def _drag(arguments: Arguments, space: Space) -> Action:
    return Drag(path=(_at(arguments, space), _at(arguments, space, "end_box", "1")))


def _key(arguments: Arguments, _: Space) -> Action:
    return Keypress(keys=fields.keys(arguments.get("keys") or arguments.get("0")))


def _type(arguments: Arguments, _: Space) -> Action:
    content = arguments.get("content", arguments.get("0"))
    return Type(text=call_syntax.unescaped(fields.text(content)))


def _scroll(arguments: Arguments, space: Space) -> Action:
    place = arguments.get("start_box")
    at = space.point(place) if place else None
    step = fields.count(arguments.get("step") or fields.STEP, 100)
    return fields.scroll(at, arguments.get("direction"), step)


def _words(arguments: Arguments) -> str:
    return call_syntax.unescaped(str(arguments.get("content") or arguments.get("0") or ""))


def _ask(arguments: Arguments, _: Space) -> Action:
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
    "done": lambda arguments, _: marked(_words(arguments)),
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
