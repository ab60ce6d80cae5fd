"""An instruction as a step of a procedure: `click "Save"` is the short form of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dialects import registry
from ...messages import Message
from ...types import Reply
from .instructions import Check, Click, Instruction, Send, Target, Write
from .language import parse_task
from .phrases import NotUnderstood

_DIALECT = registry.create("kvm")


def read_step(line: str) -> dict[str, Any]:
    """Return a step as in the file of a procedure. Raises `ValueError` with a message."""
    try:
        [instruction] = parse_task(line)
    except (NotUnderstood, ValueError):
        raise ValueError(Message("procedure.bad_line", line=line)) from None
    make = _STEPS.get(type(instruction))
    step = make(instruction) if make else None
    if step is None:
        raise ValueError(Message("procedure.no_short_form", line=line))
    return step


def _click(click: Click) -> dict[str, Any] | None:
    """Not to open something, which may need one click or two."""
    do = {"kind": "click", "count": click.count, "button": click.button}
    return _at(click.target, do) if click.count else None


def _write(write: Write) -> dict[str, Any] | None:
    typed = {"kind": "type", "text": write.text} if write.text else _press("DELETE")
    if write.target is None:
        return {"do": typed}
    return _at(write.target, {"kind": "click"}, _press("CTRL", "A"), typed, field=True)


def _at(target: Target, *do: dict[str, Any], field: bool = False) -> dict[str, Any] | None:
    """Not beside another label, nor one of several: a sign is the only one of its kind."""
    if target.at or target.near or target.pick:
        return None
    return {"when": {"text": target.names[0], "field": field}, "do": list(do)}


def _press(*keys: str) -> dict[str, Any]:
    return {"kind": "keypress", "keys": list(keys)}


def _send(send: Send) -> dict[str, Any]:
    actions = _DIALECT.parse(Reply("\n".join(send.commands)), (1, 1)).actions
    return {"do": [each.model_dump(mode="json") for each in actions]}


def _check(check: Check) -> dict[str, Any] | None:
    return {"when": {"text": check.text}} if check.shown else None


_STEPS: dict[type[Instruction], Callable[[Any], dict[str, Any] | None]] = {
    Click: _click,
    Write: _write,
    Send: _send,
    Check: _check,
}
