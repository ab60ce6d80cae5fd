"""The steps of a recorded task, read from the events that `step_events` wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from ..agent.checks import image_diff
from ..agent.checks.screen_changes import get_pointer
from ..messages import Message
from ..screen.image import jpeg_size
from ..types import Click, Drag, Frame, InputAction, Keypress, Move, Point, ProcedureError, Scroll
from ..types.actions import Action, Wait

ACTION: TypeAdapter[Any] = TypeAdapter(Action)


@dataclass
class RecordedStep:
    """A step whose actions were executed; `after`: the screen at the beginning of the next one.

    `waiting`: the screen before a wait that followed the step, if any. `pointers`: places that the
    pointer covers on any of these screens; comparisons ignore them. `covered`: those that it covers
    on `frame`.
    """

    frame: Frame
    actions: list[InputAction]
    after: Frame | None = None
    waiting: Frame | None = None
    has_effect: bool = True
    pointers: tuple[Point, ...] = ()
    covered: tuple[Point, ...] = ()


def find_goal(events: Sequence[dict[str, Any]]) -> str:
    """Return the task, with a line for each correction that has a typed text that the task lacks.

    Raises `ProcedureError` if the task did not end Done.
    """
    if not any(each["kind"] == "done" for each in events):
        raise ProcedureError(Message("procedure.not_done"))
    goal = next((str(each["data"]["text"]) for each in events if each["kind"] == "task"), "")
    said = [str(each["data"]["text"]) for each in events if each["kind"] == "said"]
    other = [text for text in list_typed(events) if text not in goal]
    return "\n".join([goal, *(each for each in said if any(text in each for text in other))])


def list_typed(events: Sequence[dict[str, Any]]) -> list[str]:
    """Return each typed text once, as the model planned it."""
    acts = (act for each in events if each["kind"] == "reply" for act in each["data"]["actions"])
    texts = dict.fromkeys(str(act["text"]).strip() for act in acts if act["kind"] == "type")
    return list(filter(None, texts))


def read_steps(
    events: Sequence[dict[str, Any]], picture: Callable[[str], bytes | None]
) -> Iterator[RecordedStep]:
    """Yield the steps in which an action was executed. `picture` returns a JPEG by its name."""
    before: Frame | None = None
    frame: Frame | None = None
    actions: list[InputAction] = []
    last, number = None, 0
    pointer: tuple[Point, ...] = ()
    for event in events:
        kind, data = event["kind"], event["data"]
        if kind == "frame":
            before, frame = frame, _read_frame(picture(event.get("picture", "")) or b"")
        elif kind == "reply":
            actions = _read_inputs(data["actions"])
        elif kind == "effect" and last:  # that of a wait after it only adds to its own
            last.has_effect = not data["none"] or (data["step"] != number and last.has_effect)
        elif kind == "step" and data.get("outcome_kind") == "executed" and frame and actions:
            if last:
                yield _set_screens(last, before, frame)
            moves = [at for at in map(get_pointer, actions) if at]
            last = RecordedStep(frame, actions, pointers=(*pointer, *moves[-1:]), covered=pointer)
            pointer, number = tuple(moves[-1:]) or pointer, data.get("step")
    if last:
        yield _set_screens(last, before, frame)


def _set_screens(step: RecordedStep, before: Frame | None, after: Frame | None) -> RecordedStep:
    waited = step.frame is not before and step.frame is not after
    return replace(step, after=after, waiting=before if waited else None)


def _read_inputs(actions: Sequence[Mapping[str, Any]]) -> list[InputAction]:
    """Return the actions except waits, without `words` and `brief`, which are for people."""
    plain = ({key: each[key] for key in each if key not in ("words", "brief")} for each in actions)
    found = map(ACTION.validate_python, plain)
    return [each for each in found if isinstance(each, InputAction) and not isinstance(each, Wait)]


def _read_frame(jpeg: bytes) -> Frame | None:
    return Frame(jpeg, *size, 0, 0.0) if (size := jpeg_size(jpeg)) else None


async def drop_detours(steps: list[RecordedStep]) -> list[RecordedStep]:
    """Omit clicks and scrolls without any effect, and pairs of steps that cancel each other.

    In such a pair, Escape or the same click closes what the first step opened. Everything else
    stays, as an unchanged screen does not prove that a step had no effect.
    """
    kept: list[RecordedStep] = []
    for step in steps:
        pointing = all(isinstance(each, (Click, Move, Scroll)) for each in step.actions)
        if pointing and not step.has_effect:
            continue
        if kept and await _cancels(kept[-1], step):
            kept.pop()
        else:
            kept.append(step)
    return kept


async def _cancels(first: RecordedStep, second: RecordedStep) -> bool:
    closes = second.actions == first.actions or any(
        second.actions == [Keypress(keys=(key,))] for key in ("ESC", "ESCAPE")
    )
    if not closes:
        return False
    if not all(isinstance(each, (Click, Move)) for each in first.actions) or not second.after:
        return False
    return not await image_diff.find_plain_changes(first.frame, second.after)


def find_target(action: InputAction) -> Point | None:
    """Return the place where an action begins."""
    if isinstance(action, (Click, Move, Scroll)):
        return action.at
    return action.path[0] if isinstance(action, Drag) else None
