"""What a scripted model says: a thought, actions in a row and a note to itself, in a dialect."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from cua.types import Action, Point
from tests.dialects import writers

Writer = Callable[[str, Sequence[Action], str], str]
"""Thought, actions and note -> a reply."""


def kvm(thought: str, actions: Sequence[Action], note: str) -> str:
    notes = [f"#! {_flat(note)}"] if note else []
    lines = [writers.kvm(each, lambda at: [at.x, at.y]) for each in actions]
    return "\n".join([f"# {_flat(thought)}", *notes, *lines])


def plain_json(thought: str, actions: Sequence[Action], note: str) -> str:
    """One action and no note: the language has neither rows nor notes."""
    del note
    action = writers.plain(actions[0], _thousandths)
    return json.dumps({"thought": thought, "action": action}, ensure_ascii=False)


WRITERS: dict[str, Writer] = {"kvm": kvm, "json": plain_json}


def _thousandths(at: Point) -> list[float]:
    return [round(at.x * 1000), round(at.y * 1000)]


def _flat(text: str) -> str:
    return " ".join(text.split())
