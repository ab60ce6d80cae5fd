"""A scripted model: it knows the truth about the computer and the solution, and makes its moves.

It stands in for a model where none is at hand, behind the same protocol: it looks once a request
and answers with one action in words. What it knows gives it no other way to act, and the checker
judges what came of it. `faults.py` has the ways in which it can be bad.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from cua.agent.checks import verifier
from cua.evaluation.task import EvalTask, State
from cua.types import (
    Action,
    Area,
    Button,
    ChatMessage,
    Click,
    Done,
    Drag,
    Fail,
    Keypress,
    ModelLimit,
    Point,
    Reply,
    Scroll,
    Task,
    Type,
    Wait,
    Zoom,
)

from .faults import Fault
from .feedback import Feedback
from .locate import PixelPoint, find_front, find_spot, find_task_button
from .reply_text import Writer
from .solution import KEYS, SolutionStep, read_steps

MAX_LOOKS = 10
"""Looks in a row for what cannot be seen."""
LOOKS_BEFORE_RESTART = 8
"""After so many for the end of its plan to show it begins again."""
LOOKS_BEFORE_REDO = 5
"""After so many the move before it is made again: a slow program needs 1.6 s to open."""
PAUSE_S = 0.4
"""Seconds between them."""
MAX_TRIES = 3
"""Times that a move is made at most."""
NOTCHES = 8
NEAR = 1 / 6
PICTURE, LETTERS = 900, 4
"""Tokens of a screenshot, and letters of a token, as a server would count them roughly."""


class ScriptedModel:
    """A `types.Model` for one run. `look` asks for the truth; `size` is the screen's, in pixels."""

    def __init__(
        self,
        task: EvalTask,
        look: Callable[[], Awaitable[State]],
        size: tuple[int, int],
        write: Writer,
        fault: Fault,
    ) -> None:
        self._task, self._look, self._size = task, look, size
        self._write, self._fault = write, fault
        self._plan = read_steps(task.plan)
        self._at = 0  # of the next move
        self._last: int | None = None  # the move of the last reply
        self._tries = 0  # times that the next move was made already
        self._enlarged: int | None = None  # the move whose target it has looked closer at
        self._missing = 0
        self._phase = ""  # of the computer, when it last looked
        self._is_new_phase = False
        self._looks = not fault.heedless  # whether all is done, before it says so
        self._before = ""  # what it saw when it made its last move
        self._answers = find_dismissals(task)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        state = await self._look()
        self._size = state.get("size", self._size)
        self._is_new_phase = self._phase not in ("", state["phase"])
        self._phase = state["phase"]
        if messages[0].parts == (verifier.PROMPT,):
            return Reply("YES" if self._task.is_done(state) else "NO. A part of it is missing.")
        if 0 < self._fault.max_messages < len(messages):
            raise ModelLimit("The request is too large.")
        self._receive_feedback(Feedback(messages), state)
        thought, actions = self._row(state)
        text = self._fault.speak(self._write(thought, actions, self._fault.note(state)))
        self._before = _essence(state)
        await asyncio.sleep(self._fault.delay_s)
        parts = [part for message in messages for part in message.parts]
        letters = sum(len(part) for part in parts if isinstance(part, str))
        pictures = sum(not isinstance(part, str) for part in parts)
        tokens = letters // LETTERS + pictures * PICTURE
        return Reply(text, tokens_in=tokens, tokens_out=len(text) // LETTERS)

    async def begin(self, task: Task) -> None:
        """Nothing to import."""

    async def aclose(self) -> None:
        """It has nothing to give back."""

    def _receive_feedback(self, feedback: Feedback, state: State) -> None:
        """What it takes from the loop's words about its last reply."""
        self._fault.receive_feedback(feedback)
        if orders := self._fault.orders():
            self._plan[self._at : self._at] = orders
        if self._fault.doubts(feedback):
            self._looks = True
            if self._at >= len(self._plan) and not self._task.is_done(state):
                self._at = 0  # it sees that something is missing, and begins again
        last, self._last = self._last, None
        if last is None:
            return
        if feedback.refused:
            self._plan, self._at = [SolutionStep("press", "ESC"), *read_steps(self._task.plan)], 0
        elif feedback.undone:
            self._at = last + feedback.carried_out
        elif self._sees_that_nothing_came_of_it(feedback, state):
            self._at = last
            self._tries += 1
        else:
            self._tries = 0

    def _sees_that_nothing_came_of_it(self, feedback: Feedback, state: State) -> bool:
        """It looks closer only when it is told to."""
        heeds = self._fault.heedless and feedback.idle and self._tries < MAX_TRIES
        return heeds and _essence(state) == self._before

    def _row(self, state: State) -> tuple[str, list[Action]]:
        """A thought and what it puts into one reply: at most that of which it sees where it is."""
        thought, first = self._next(state)
        row, ahead = [first], find_front(state)
        while (
            self._last is not None
            and len(row) < self._fault.max_actions
            and self._at < len(self._plan)
        ):
            move = self._plan[self._at]
            if move.on not in ("", ahead) or not (_has_no_place(move) or find_spot(state, move)):
                break
            row.append(self._next(state)[1])
        return thought, row

    def _next(self, state: State) -> tuple[str, Action]:
        """A thought and an action."""
        if self._is_new_phase:  # which the screenshot may not show yet
            return self._wait("The screen has just changed.", state)
        if stray := self._fault.stray(self._at, state):
            return "That looks interesting.", Click(at=self._point(stray))
        if self._at >= len(self._plan) or self._fault.gives_up_early(self._at):
            return self._end(state)
        move = self._plan[self._at]
        if way := self._out_of_the_way(state, move):
            return way
        if _has_no_place(move):
            return self._made(move, self._keys(move))
        place = find_spot(state, move)
        if place is None:
            return self._wait(f"I cannot see {move.what or move.role} yet.", state)
        if self._fault.needs_zoom and self._enlarged != self._at:
            self._enlarged = self._at
            return f"I look closer at {move.what}.", Zoom(area=self._around(place))
        return self._made(move, self._pointed(move, place))

    def _end(self, state: State) -> tuple[str, Action]:
        if not self._looks or self._task.is_done(state):
            return "All is done.", Done()
        if self._missing == LOOKS_BEFORE_RESTART:
            self._at = 0  # what it wanted came out otherwise, so it begins again
        return self._wait("It is not done yet.", state)

    def _out_of_the_way(self, state: State, move: SolutionStep) -> tuple[str, Action] | None:
        """What has to be done before the move can be made, if anything."""
        ahead = find_front(state)
        if label := self._answers.get(ahead):
            place = find_spot(state, SolutionStep("click", label, "Button"))
            return ("That is in the way.", Click(at=self._point(place))) if place else None
        if not move.on or move.on == ahead:
            return None
        if place := find_task_button(state, move.on):
            return f"I bring {move.on} to the front.", Click(at=self._point(place))
        return self._wait(f"I wait for {move.on}.", state)

    def _made(self, move: SolutionStep, action: Action) -> tuple[str, Action]:
        self._last = self._at if self._last is None else self._last
        self._at += 1
        self._missing = 0
        return describe_move(move), action

    def _wait(self, thought: str, state: State) -> tuple[str, Action]:
        self._missing += 1
        if self._missing == LOOKS_BEFORE_REDO and self._at and self._was_lost(state):
            self._at -= 1  # the move before it was lost, so it is made again
        if self._missing > MAX_LOOKS:
            return thought, Fail(reason=thought)
        return thought, Wait(seconds=PAUSE_S)

    def _was_lost(self, state: State) -> bool:
        """Whether the move before has to be made again; a heedless model knows no better."""
        if self._fault.heedless:
            return True
        before = self._plan[self._at - 1]
        here = self._at < len(self._plan) and not _has_no_place(before)
        return here and find_spot(state, before) is not None

    def _pointed(self, move: SolutionStep, place: PixelPoint) -> Action:
        aimed = self._point(self._fault.aim(place, self._tries))
        if move.kind == "drag":
            right, down = move.by
            return Drag(path=(aimed, self._point((place[0] + right, place[1] + down))))
        if move.kind == "scroll":
            return Scroll(at=aimed, dy=NOTCHES)
        button: Button = "right" if move.kind == "right" else "left"
        return Click(at=aimed, button=button, count=2 if move.kind == "double" else 1)

    def _keys(self, move: SolutionStep) -> Action:
        if move.kind == "type":
            return Type(text=self._fault.recall(move.what))
        return Keypress(keys=tuple(move.what.split("+")))

    def _around(self, place: PixelPoint) -> Area:
        """What it wants to see enlarged: a sixth of the screen's width and height."""
        at = self._point(place)
        left, top = min(max(at.x - NEAR / 2, 0), 1 - NEAR), min(max(at.y - NEAR / 2, 0), 1 - NEAR)
        return Area(left=left, top=top, right=left + NEAR, bottom=top + NEAR)

    def _point(self, place: PixelPoint) -> Point:
        width, height = self._size
        x, y = (place[0] + 0.5) / width, (place[1] + 0.5) / height
        return Point.clipped(x, y)


def _essence(state: State) -> str:
    """What a look at the screen tells, without the pointer."""
    passing = ("pointer", "reports", "down", "typed", "facts")
    return json.dumps({name: fact for name, fact in state.items() if name not in passing})


def find_dismissals(task: EvalTask) -> dict[str, str]:
    """The button that sends away each window that is to disturb, by its title."""
    found = {}
    for each in task.start.get("disturbances", ()):
        if each["do"] == "update":
            found["Software update"] = "Later"
        elif each["do"] == "message":
            found[each["title"]] = "OK"
    return found


def _has_no_place(move: SolutionStep) -> bool:
    return move.kind in KEYS


def describe_move(move: SolutionStep) -> str:
    """Return the move as a sentence."""
    if move.kind in KEYS:
        return f"I {move.kind} {move.what}."
    return f"I {_VERBS[move.kind]} {move.what or move.role}."


_VERBS = {
    "click": "click on",
    "double": "double-click on",
    "right": "right-click on",
    "drag": "drag",
    "scroll": "scroll down in",
}
