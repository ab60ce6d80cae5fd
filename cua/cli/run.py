"""How `run` prints events: as text, or one JSON object per line."""

from __future__ import annotations

import json

from ..events.log import Event


def as_line(event: Event, **more: str) -> str:
    """Return the event as JSON, with `more` in front of it."""
    fact = {**more, "seq": event.seq, "at": event.at, "kind": event.kind, **event.data}
    return json.dumps(fact, ensure_ascii=False)


class EventText:
    """Formats events as text; a failure does not repeat the state of the screen."""

    def __init__(self) -> None:
        self._screen = ""

    def __call__(self, event: Event) -> str:
        if event.kind == "screen":
            self._screen = event.data["sentence"]
        said = _in_words(event)
        if event.kind == "failed" and self._screen:
            return said.replace(f"{self._screen} ", "")
        return said


def _in_words(event: Event) -> str:
    data = event.data
    if event.kind == "reply":
        thought = [f"  # {line}" for line in data["thought"].splitlines()]
        planned = [f"  > {action['words']}" for action in data["actions"]]
        time = f"{data['seconds']:.1f} s, {data['tokens_in']} + {data['tokens_out']} tokens"
        return "\n".join([f"Step {data['step']} ({time})", *thought, *planned])
    if event.kind == "step":
        return f"  = {data['outcome']}"
    if event.kind in _LINES:
        return _LINES[event.kind].format(**data).rstrip()
    return ""


_LINES = {
    "task": "Task: {text}",
    "approval": "Needs your yes: {words}. {why}",
    "question": "The model asks: {text}",
    "done": "Done. {text}",
    "failed": "Failed: {text}",
    "screen": "Screen: {state} {width}x{height} {sentence}",
    "log": "{level}: {text}",
}
