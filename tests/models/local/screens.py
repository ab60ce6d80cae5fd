"""Screens as the reader would report them, without pictures: fast, and exact to the pixel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cua.models.local.decide import decide
from cua.models.local.task_history import TaskHistory, read_task
from cua.screen.ocr.layout import ScreenLayout
from cua.types import Frame, Outcome, OutcomeKind, Reply, Step, Task

WIDTH, HEIGHT = 1280, 720
LETTER = 9
Rect = tuple[int, int, int, int]
Text = tuple[str, int, int]


def look(
    texts: Sequence[Text] = (), boxes: Sequence[Rect] = (), icons: Sequence[Rect] = ()
) -> ScreenLayout:
    """Each text with the left and top of its line, which is 24 high."""
    lines = [(text, _rect(text, x, y), _places(text, x)) for text, x, y in texts]
    read = {"lines": lines, "boxes": [(0, 0, WIDTH, HEIGHT), *boxes], "icons": list(icons)}
    return ScreenLayout.of(read, WIDTH, HEIGHT)


def _rect(text: str, x: int, y: int) -> Rect:
    return x, y, x + LETTER * len(text), y + 24


def _places(text: str, x: int) -> list[int]:
    return [x + LETTER * i + LETTER // 2 for i, letter in enumerate(text) if letter != " "]


def button(text: str, x: int, y: int) -> tuple[Text, Rect]:
    """A text with a button around it."""
    return (text, x, y), (x - 20, y - 8, x + LETTER * len(text) + 20, y + 32)


def frame(number: int, jpeg: bytes = b"picture") -> Frame:
    """Stands for one screenshot."""
    return Frame(jpeg, WIDTH, HEIGHT, number, float(number))


class Turn(NamedTuple):
    """A reply, its outcome (None: interrupted), and what the person says then."""

    reply: str
    outcome: OutcomeKind | None = "executed"
    said: tuple[str, ...] = ()
    progress: str = ""
    interrupted: bool = False
    """Whether the next step was, too."""
    by_hand: bool = False
    """Whether the person does something by hand then."""
    started: int = 1
    """How many of its actions were, if it has `progress`."""
    reason: str = ""
    """The person's for a refusal."""


def task(goal: str, *turns: Turn | str) -> Task:
    """A task after these turns; a reply alone was executed."""
    found = Task(goal, [Step(1, "", frame(0))])
    for number, turn in enumerate(turns, 1):
        done = turn if isinstance(turn, Turn) else Turn(turn)
        step = found.steps[-1]
        step.reply, step.progress = Reply(done.reply), done.progress
        step.outcome = Outcome(done.outcome, "", reason=done.reason) if done.outcome else None
        step.actions_started = done.started if done.progress else 0
        interrupted = done.interrupted or done.outcome is None
        next_step = Step(number + 1, "", frame(number), user_words=done.said)
        next_step.interrupted, next_step.by_hand = interrupted, done.by_hand
        found.steps.append(next_step)
    return found


def history(goal: str, *turns: Turn | str) -> TaskHistory:
    return read_task(task(goal, *turns))


def reply(
    screen: ScreenLayout, goal: str, *turns: Turn | str, before: ScreenLayout | None = None
) -> str:
    """Return the operator's reply to this screen after these turns."""
    return decide(history(goal, *turns), screen, before).text


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def at(x: int, y: int) -> str:
    """A place in pixels as a command says it."""
    return f"{x / WIDTH:.4f} {y / HEIGHT:.4f}"
