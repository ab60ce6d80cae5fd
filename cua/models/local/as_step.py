"""Parse an instruction as the short form of a procedure's step, such as `click "Save"`."""

from __future__ import annotations

from typing import Any

from ...dialects import registry
from ...messages import Message
from ...types import Reply
from .instructions import Check, Click, Send, Target, Write
from .language import parse_task
from .phrases import NotUnderstood

_SELECT_ALL = {"kind": "keypress", "keys": ["CTRL", "A"]}


def read_step(line: str) -> dict[str, Any]:
    """Return a step in the form of a procedure's file. Raises `ValueError` with a message."""
    try:
        [instruction] = parse_task(line)
    except (NotUnderstood, ValueError):  # also for several instructions
        raise ValueError(Message("procedure.bad_line", line=line)) from None
    match instruction:
        case Check(text, shown=True, window=""):
            return {"when": {"text": text}}
        case Send(commands=commands):
            actions = registry.create("kvm").parse(Reply("\n".join(commands)), (1, 1)).actions
            return {"do": [each.model_dump(mode="json") for each in actions]}
        case Write(text, None):
            return {"do": _type(text)}
        case Write(text, Target((name, *_), near="", pick=0, at=None)):
            do = [{"kind": "click"}, _SELECT_ALL, _type(text)]
            return {"when": {"text": name, "field": True}, "do": do}
        case Click(Target((name, *_), "", pick=0, at=None, window=""), count, button, "") if count:
            do = [{"kind": "click", "count": count, "button": button}]
            return {"when": {"text": name}, "do": do}
    raise ValueError(Message("procedure.no_short_form", line=line))


def _type(text: str) -> dict[str, Any]:
    return {"kind": "type", "text": text} if text else {"kind": "keypress", "keys": ["DELETE"]}
