"""Actions in a dialect's own words: what a scripted model says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from cua.types import Action, Ask, Click, Drag, Fail, Keypress, Point, Scroll, Type, Wait, Zoom

Writer = Callable[[str, Sequence[Action], str], str]
"""A thought, actions in a row and a note to itself -> a reply."""


def kvm(thought: str, actions: Sequence[Action], note: str) -> str:
    notes = [f"#! {_flat(note)}"] if note else []
    return "\n".join([f"# {_flat(thought)}", *notes, *map(_line, actions)])


def plain_json(thought: str, actions: Sequence[Action], note: str) -> str:
    """One action and no note: the language has neither rows nor notes."""
    del note
    return json.dumps({"thought": thought, "action": _object(actions[0])}, ensure_ascii=False)


WRITERS: dict[str, Writer] = {"kvm": kvm, "json": plain_json}


def _line(action: Action) -> str:
    if isinstance(action, Click):
        return f"mouse {_fractions(action.at)} {_code(action)}"
    if isinstance(action, Scroll):
        return f"mouse {_fractions(action.at)} {5 if action.dy > 0 else 6}"
    if isinstance(action, Drag):
        return f"drag {_fractions(action.path[0])} {_fractions(action.path[-1])}"
    if isinstance(action, Keypress):
        return f"keyboard {'+'.join(action.keys)}"
    if isinstance(action, Type):
        return f"typestr {action.text}"
    if isinstance(action, Zoom):
        area = action.area
        return f"zoom {area.left:.3f} {area.top:.3f} {area.right:.3f} {area.bottom:.3f}"
    if isinstance(action, Wait):
        return f"sleep {action.seconds:g}"
    return _ending(action)


def _ending(action: Action) -> str:
    if isinstance(action, Fail):
        return f"Fail {_flat(action.reason)}"
    return f"$ {_flat(action.question)}" if isinstance(action, Ask) else "Done"


def _code(action: Click) -> int:
    return 2 if action.button == "right" else {1: 1, 2: 3, 3: 8}[action.count]


def _object(action: Action) -> dict[str, Any]:
    if isinstance(action, Click):
        kind = {(1, "left"): "click", (2, "left"): "double_click", (1, "right"): "right_click"}
        return {"kind": kind[action.count, action.button], **_thousandths(action.at)}
    if isinstance(action, Scroll):
        way = "down" if action.dy > 0 else "up"
        amount = abs(action.dy)
        return {"kind": "scroll", **_thousandths(action.at), "direction": way, "amount": amount}
    if isinstance(action, Drag):
        end = _thousandths(action.path[-1])
        return {
            "kind": "drag", **_thousandths(action.path[0]), "to_x": end["x"], "to_y": end["y"]
        }  # fmt: skip
    if isinstance(action, Keypress):
        return {"kind": "press", "keys": "+".join(action.keys).lower()}
    return action.model_dump()


def _fractions(at: Point | None) -> str:
    return f"{at.x:.4f} {at.y:.4f}" if at else "0 0"


def _thousandths(at: Point | None) -> dict[str, int]:
    return {"x": round(at.x * 1000), "y": round(at.y * 1000)} if at else {}


def _flat(text: str) -> str:
    return " ".join(text.split())
