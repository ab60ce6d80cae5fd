"""Output of a command: the events of a log as lines on stdout, results as JSON in a file.

An event is a line of text, or a JSON object.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..events.log import Event
from ..types import CuaError
from .output import say


def print_as(describe: Callable[[Event], str]) -> Callable[[Event], None]:
    """Return a function that prints the text that `describe` returns for an event, unless empty."""

    def show(event: Event) -> None:
        if line := describe(event):
            say(line)

    return show


def check_writable(file: Path | None) -> None:
    """Raise `CuaError` if `write_json` would."""
    if file:
        _write(file, "a", "")


def write_json(file: Path, found: dict[str, Any]) -> None:
    """Write a file. Raises `CuaError` if that fails."""
    _write(file, "w", json.dumps(found, indent=2, ensure_ascii=False) + "\n")


def _write(file: Path, mode: str, text: str) -> None:
    try:
        with file.open(mode, encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise CuaError(f"{file} cannot be written: {error.strerror}.") from error


def as_line(event: Event, **more: str) -> str:
    """Return the event as JSON, after the keys of `more`."""
    fact = {**more, "seq": event.seq, "at": event.at, "kind": event.kind, **event.data}
    return json.dumps(fact, ensure_ascii=False)


class EventText:
    """Formats events as text; a failure does not repeat the state of the screen."""

    def __init__(self) -> None:
        self._screen = ""

    def __call__(self, event: Event) -> str:
        if event.kind == "screen":
            self._screen = event.data["sentence"]
        said = as_text(event)
        if event.kind == "failed" and self._screen:
            return said.replace(f"{self._screen} ", "")
        return said


def as_text(event: Event) -> str:
    """Return the event in words; "" for one that people need not see."""
    data = event.data
    if event.kind == "reply":
        thought = [f"  # {line}" for line in data["thought"].splitlines()]
        planned = [f"  > {action['words']}" for action in data["actions"]]
        time = f"{data['seconds']:.1f} s, {data['tokens_in']} tokens in, {data['tokens_out']} out"
        return "\n".join([f"Step {data['step']} ({time})", *thought, *planned])
    if event.kind == "step":
        return f"  = {data['outcome']}"
    if event.kind in _LINES:
        return _LINES[event.kind].format(**data).rstrip()
    return ""


_LINES = {
    "task": "Task: {text}",
    "approval": "Needs your yes: {words}. {why}",
    "question": "The agent asks: {text}\nThe run has ended: nobody can answer here.",
    "done": "Done. {text}",
    "failed": "Failed: {text}",
    "screen": "Screen: {state} {width}x{height} {sentence}",
    "log": "{level}: {text}",
}
