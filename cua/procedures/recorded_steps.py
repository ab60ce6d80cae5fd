"""The steps of a recorded task, read from the events that `step_events` wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import NamedTuple

from ..agent.checks import image_diff
from ..agent.checks.screen_changes import get_pointer
from ..agent.step_events import event_to_action
from ..events.archive import Events, list_data
from ..messages import Message
from ..models.local.language import count_instructions, strip_instead
from ..screen.image import jpeg_size
from ..types import Click, Frame, InputAction, Keypress, Move, Point, ProcedureError, Scroll

ESCAPES = [Keypress(keys=("ESC",))], [Keypress(keys=("ESCAPE",))]


class Shot(NamedTuple):
    """A screenshot, and the places where the pointer may be on it, as a stream is late."""

    frame: Frame
    pointers: tuple[Point, ...] = ()


@dataclass
class RecordedStep:
    """Actions that were executed; only the first of them may have a target.

    `screens`: the one before the actions, those of waits after them, and that of the next step.
    `effects`: whether the screen changed after the actions, and after each of those waits.
    """

    screens: list[Shot]
    actions: list[InputAction]
    effects: list[bool] = field(default_factory=list)

    @property
    def frame(self) -> Frame:
        return self.screens[0].frame

    @property
    def target(self) -> Point | None:
        return get_pointer(self.actions[0], start=True)


def find_goal(events: Events) -> str:
    """Return the task, with a line for each correction that has a typed text that the task lacks.

    If the task was one instruction that was refused, return what the person had done instead.
    Raises `ProcedureError` if the task did not end Done.
    """
    if not list_data(events, "done"):
        raise ProcedureError(Message("procedure.not_done"))
    goal = next((str(each["text"]) for each in list_data(events, "task")), "")
    if instead := _list_instead(events, goal):
        return "\n".join(instead)
    said = [str(each["text"]) for each in list_data(events, "said")]
    for each in list_data(events, "said"):  # as the page does for another run
        if (old := each.get("replaces")) and each["text"]:
            goal = _replace_words(goal, str(old), str(each["text"]))
    other = [text for text in list_typed(events) if text not in goal]
    return "\n".join([goal, *(each for each in said if any(text in each for text in other))])


def _replace_words(goal: str, old: str, new: str) -> str:
    """Replace a line, or a part of one."""
    lines = goal.split("\n")
    if old not in lines:
        return goal.replace(old, new, 1)
    lines[lines.index(old)] = new
    return "\n".join(lines)


def _list_instead(events: Events, goal: str) -> list[str]:
    """Return the instructions after the refusal of a task that is a single one."""
    if count_instructions(goal) != 1:
        return []
    later = dropwhile(lambda each: each["data"].get("outcome_kind") != "refused", events)
    said = [strip_instead(str(each["text"])) for each in list_data([*later], "said")]
    return [text for text in said if count_instructions(text)]


def list_typed(events: Events) -> list[str]:
    """Return each text of an executed step once, as the model planned it."""
    planned: list[str] = []
    texts: dict[str, None] = {}
    for kind, data in ((each["kind"], each["data"]) for each in events):
        if kind == "reply":
            planned = [str(act["text"]).strip() for act in data["actions"] if act["kind"] == "type"]
        elif kind == "step" and data.get("outcome_kind") == "executed":
            texts |= dict.fromkeys(planned)
    return list(filter(None, texts))


def read_steps(events: Events, picture: Callable[[str], bytes | None]) -> list[RecordedStep]:
    """Return the steps in which an action was executed. `picture` returns a JPEG by its name."""
    steps: list[RecordedStep] = []
    shot: Shot | None = None
    actions: list[InputAction] = []
    pointers: tuple[Point, ...] = ()
    for event in events:
        kind, data = event["kind"], event["data"]
        if kind == "frame":
            jpeg = picture(event.get("picture", "")) or b""
            size = jpeg_size(jpeg)
            shot = Shot(Frame(jpeg, *size, 0, 0.0), pointers) if size else None
            if shot and steps:
                steps[-1].screens.append(shot)
        elif kind == "reply":
            planned = [event_to_action(e) for e in data["actions"] if e["kind"] != "wait"]
            actions = [each for each in planned if isinstance(each, InputAction)]
        elif kind == "effect" and steps:
            steps[-1].effects.append(not data["none"])
        elif kind == "step" and data.get("outcome_kind") == "executed" and shot and actions:
            _add_steps(steps, shot, actions)
            pointers = tuple(filter(None, map(get_pointer, actions)))[-1:] or pointers
    return steps


def _add_steps(steps: list[RecordedStep], shot: Shot, actions: Sequence[InputAction]) -> None:
    """Add the actions of a reply, split before each target, as it has its own sign."""
    effects: list[bool] = []
    for number, each in enumerate(actions):
        if number and get_pointer(each, start=True) is None:
            steps[-1].actions.append(each)
        else:
            steps.append(RecordedStep([shot], [each], effects))


async def drop_detours(steps: Sequence[RecordedStep]) -> list[RecordedStep]:
    """Omit clicks and scrolls without any effect, and pairs of steps that cancel each other.

    In such a pair, Escape or the same click closes what the first step opened. Everything else
    stays, as an unchanged screen does not prove that a step had no effect.
    """
    kept: list[RecordedStep] = []
    for step in steps:
        pointing = all(isinstance(each, (Click, Move, Scroll)) for each in step.actions)
        if pointing and step.effects and not any(step.effects):
            continue
        if kept and await _cancels(kept[-1], step):
            kept.pop()
        else:
            kept.append(step)
    return kept


async def _cancels(first: RecordedStep, second: RecordedStep) -> bool:
    opens = all(isinstance(each, (Click, Move)) for each in first.actions)
    closes = second.actions in (first.actions, *ESCAPES) and len(second.screens) > 1
    after = second.screens[-1].frame
    return opens and closes and not await image_diff.find_plain_changes(first.frame, after)
