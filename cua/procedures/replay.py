"""Execute a procedure: a `types.Model` that finds signs and replies with recorded actions.

It works in the usual loop, so approval, stop, supervision and record are those of any task. An
action is sent only if its sign is on the newest screenshot.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping, Sequence

from ..agent.checks.screen_changes import get_pointer
from ..messages import Message, sentences
from ..models.local.context import list_texts
from ..models.local.instructions import quote
from ..models.local.language import find_answer
from ..screen.ocr.client import Read
from ..screen.picture_search import has_new_dialog
from ..types import (
    Ask,
    ChatMessage,
    Click,
    Done,
    Drag,
    Fail,
    Frame,
    InputAction,
    Keypress,
    Model,
    Move,
    ParsedReply,
    Point,
    Reply,
    Schema,
    Task,
    Type,
    Wait,
)
from ..types.actions import Action, Area, Scroll
from .procedure import Procedure, Sign, Step, count_steps, unroll
from .signs import SignFinder, find_lines, find_longer_line

LEAST_WAIT_S = 0.5
WAIT_GROWTH = 0.2
"""Length of the next pause, as a proportion of the time waited so far."""
MAX_JUMPS = 50
"""Jumps to named steps after which the person is asked."""
SAME_SCALE = (0.8, 1.25)
"""Ratios of two heights of a text that count as the same: OCR is not more exact."""
LABEL_DISTANCE = (0.05, 0.1)
"""Distance of an icon's text at most, in fractions of the screen's width and height."""
ASIDE = 0.2
"""Distance from a sign, as a fraction of the screen's height, where the pointer covers none of it:
more than that of `LABEL_DISTANCE`."""


class Replay:
    """Does the steps one by one, from index `first` on. `values`: parameter -> value.

    Raises `CuaError`.
    """

    def __init__(
        self, procedure: Procedure, values: Mapping[str, str], read: Read, first: int = 0
    ) -> None:
        self.procedure, self.values = procedure, {**procedure.parameters, **values}
        self._steps, self._finder = unroll(procedure, values), SignFinder(read, procedure.screen)
        self._task: Task
        self._model: Model
        self.at = count_steps(procedure.steps[:first])
        """Index of the current step, loops unrolled."""
        self._numbers = [
            n for n, step in enumerate(procedure.steps, 1) for _ in range(count_steps([step]))
        ]
        """Number in the editor of each step, which has one for a loop or a condition."""
        self._number = min(first + 1, len(procedure.steps))
        """That of the current step, in an alternative of the step that led there."""
        self._acted_in = 0
        """Number of the task's step in which its action was sent; 0: not sent yet."""
        self._waiting_since: float | None = None
        self._retries = self._jumps = 0
        self._question: tuple[str, ...] = ()
        """Sentences of the open question; empty: there is none."""
        self._skipped: list[str] = []
        """Numbers of the steps that the person skipped."""
        self._unchecked: list[str] = []
        """Numbers of those whose action was done: only their check was skipped."""
        self.name, self.handed_over_in = procedure.name, 0
        self._expected: Sign | None = None
        """The sign of the step before, for a step without a sign."""
        self._acted_on: Frame | None = None

    @property
    def texts(self) -> list[Type]:
        """What the steps to do will type."""
        acts = (each for step in self._steps[self.at :] if step for each in step.do)
        return [each for each in acts if isinstance(each, Type)]

    @property
    def place(self) -> dict[str, int]:
        """`number` of the step that goes on with the next screenshot, and their `count`."""
        at = self.at + bool(self._acted_in and self._waiting_since is None)
        number = next(iter(self._numbers[at:]), self._number)
        return {"number": number, "count": len(self.procedure.steps)}

    def stand_in_for(self, model: Model) -> Model:
        """Return itself, or after the handover `model`, to which it may hand over."""
        self._model = model
        return model if self.handed_over_in else self

    async def begin(self, task: Task) -> None:
        self._task, self._waiting_since = task, None

    async def complete(self, messages: Sequence[ChatMessage], schema: Schema = None) -> Reply:
        """Return the next actions. Raises `ModelError` if OCR does not run."""
        if self.handed_over_in:
            return await self._model.complete(messages, schema)
        started = time.monotonic()
        parsed = await self._review() or await self._decide(self._task.steps[-1].frame)
        seconds = time.monotonic() - started
        return Reply(parsed.thought, parsed=parsed, seconds=seconds, is_scripted=True)

    async def aclose(self) -> None:
        """Do nothing: the caller closes the OCR."""

    async def _review(self) -> ParsedReply | None:
        """React to a failed action or to the person's answer; None: continue with the step."""
        if self._question:
            words = next(reversed(self._task.steps[-1].user_words), "")
            answer = find_answer(words) if words else "again"
            if not answer:
                other = Message("procedure.other_answer", words=words)
                return self._reply(Ask(question=sentences(other, *self._question)))
            self._question, self._waiting_since = (), None
            if answer == "skip":
                skipped = self._unchecked if self._acted_in else self._skipped
                skipped.append(str(self._number))
                self._go_to(self.at + 1)
            return None
        last = next((s for s in self._task.steps[-2:-1] if s.number == self._acted_in), None)
        if last is None or (last.outcome and last.outcome.ok):
            return None
        outcome = last.outcome
        kind, why = (outcome.kind, outcome.message) if outcome else ("", last.progress)
        self._acted_in = 0  # refused, failed, or held back because the screen changed
        if outcome and kind == "not_possible":
            return self._reply(Fail(reason=why, setting=outcome.setting))
        if last.actions_started:
            why = Message("procedure.interrupted", progress=why)
        elif kind not in ("refused", "failed"):
            return None
        return self._ask_person(why, Message("procedure.ask_repeat"))

    async def _decide(self, frame: Frame) -> ParsedReply:
        while self.at < len(self._steps) and (step := self._steps[self.at]):
            if step.if_shown:
                is_shown = await self._finder.find(step.if_shown, frame, acts=False)
                self._go_to(self.at + 1 + (0 if is_shown else count_steps(step.steps)))
                continue
            sign = step.expect if self._acted_in else step.when or self._expected
            place = await self._find_sign(step, sign, frame) if sign else None
            if sign and not place:
                return await self._wait_for_sign(step, sign, frame)
            if not self._acted_in and step.do:
                return self._send_actions(step, place, frame)
            self._go_to(self.at + 1, sign)
        last = {"number": len(self.procedure.steps)}  # for the page alone: it names the row
        end = self._end()
        return ParsedReply("" if end.refused else Message("procedure.done", **last), (end,))

    def _end(self) -> Done:
        steps, checks = ([*dict.fromkeys(each)] for each in (self._skipped, self._unchecked))
        skipped = sentences(
            Message("procedure.skipped", steps=steps, count=len(steps)) if steps else "",
            Message("procedure.unchecked", steps=checks, count=len(checks)) if checks else "",
        )
        return Done(answer=skipped, refused=bool(steps) or None)

    async def _find_sign(self, step: Step, sign: Sign, frame: Frame) -> Area | None:
        """Return the place of a sign; None also if a new dialog would get keys, or at the end."""
        place, old = await self._find_place(step, sign, frame), self._acted_on
        has_keys = step.do and isinstance(step.do[0], (Keypress, Type, Scroll))
        is_last = not any(self._steps[self.at + 1 : self.at + 2])
        dialog_matters = is_last if self._acted_in else has_keys
        if place and old and dialog_matters:
            return None if await has_new_dialog(self._finder.read, old, frame, place) else place
        return place

    async def _find_place(self, step: Step, sign: Sign, frame: Frame) -> Area | None:
        """Read the whole screen only once the sign was waited for: it may come in a moment."""
        has_waited = self._waiting_since is not None or not step.timeout_s
        acts = bool(step.do and not self._acted_in)
        return await self._finder.find(sign, frame, acts=acts, everywhere=has_waited)

    def _go_to(self, index: int, expected: Sign | None = None) -> None:
        self._expected = expected
        self._number = next(iter(self._numbers[index : index + 1]), self._number)
        self.at, self._acted_in, self._waiting_since, self._retries = index, 0, None, 0

    def _send_actions(self, step: Step, place: Area | None, frame: Frame) -> ParsedReply:
        self._acted_in, self._waiting_since = self._task.steps[-1].number, None
        self._acted_on = frame
        if not (sign := step.when) or not place:
            return self._reply(*step.do, say="")
        then, now = self.procedure.screen, frame.size
        actions = (move_with(each, sign, place, then, now) for each in step.do)
        say = Message("procedure.found", sign=_name(sign))
        return self._reply(*actions, say=say, label=_label(sign, step.do[0]))

    async def _wait_for_sign(self, step: Step, sign: Sign, frame: Frame) -> ParsedReply:
        now = time.monotonic()
        self._waiting_since = self._waiting_since or now
        waited = now - self._waiting_since
        if (left := round(step.timeout_s - waited, 1)) > 0:
            say = Message("procedure.waiting", sign=_name(sign))
            pause = min(max(LEAST_WAIT_S, round(waited * WAIT_GROWTH, 1)), left)
            return self._reply(Wait(seconds=pause), say=say, awaits=True)
        if aside := self._find_aside(sign):
            return self._reply(Move(at=aside), say=Message("procedure.aside", sign=_name(sign)))
        if self._acted_in and self._retries < step.retry:
            self._acted_in, self._waiting_since, self._expected = 0, None, None
            self._retries += 1
            return await self._decide(frame)
        return await self._fall_back(step, sign, frame)

    def _find_aside(self, sign: Sign) -> Point | None:
        """Return a place apart from a sign that the pointer may cover; None if it does not."""
        place, pointer = sign.at and sign.at.moved(*self._finder.shift), self._find_pointer()
        if place is None or pointer is None or not _is_near(pointer, place):
            return None
        heights = (y for y in (place.bottom + ASIDE, place.top - ASIDE) if 0 < y < 1)
        return next((Point(x=pointer.x, y=y) for y in heights), None)

    def _find_pointer(self) -> Point | None:
        """Return where the last action, also one that was refused, left the pointer."""
        steps = reversed(self._task.steps)
        actions = (each for step in steps for each in reversed(step.parsed.actions))
        places = [*map(get_pointer, actions), *reversed(self._task.pointers)]
        return next(filter(None, places), None)

    async def _fall_back(self, step: Step, sign: Sign, frame: Frame) -> ParsedReply:
        layout = await self._finder.read(frame)
        place = layout.pixel(sign.at.middle) if sign.at else None
        seen = list_texts(layout, sign.text, place)
        shown = {"picture": base64.b64encode(sign.picture).decode()}  # by the page alone
        missing = Message("procedure.missing", sign=_name(sign), seen=seen, **shown)
        if await self._find_place(step, sign, frame):
            missing = Message("procedure.in_the_way", sign=_name(sign))
        elif (count := len(find_lines(sign, layout))) > 1:
            missing = Message("procedure.several", sign=_name(sign), count=count)
        elif line := find_longer_line(sign.text, layout):
            missing = Message("procedure.part_of_line", line=line, **shown)
        if step.otherwise == "stop":
            return self._reply(Fail(reason=self._with_number(missing)))
        if step.otherwise == "model":
            self.handed_over_in = self._task.steps[-1].number
            await self._model.begin(self._task)
            say = sentences(missing, Message("procedure.handed_over"))
            return self._reply(Wait(seconds=0), say=say, awaits=True)
        names = [each.name if each else "" for each in self._steps]
        if step.otherwise in names and self._jumps < MAX_JUMPS:
            self._jumps += 1
            self._go_to(names.index(step.otherwise))
            return await self._decide(frame)
        return self._ask_person(missing)

    def _ask_person(self, what: str, how: str = Message("procedure.ask")) -> ParsedReply:
        self._question = (self._with_number(what), Message("procedure.how"), how)
        return self._reply(Ask(question=sentences(*self._question)))

    def _reply(
        self, *actions: Action, say: str | None = None, label: str = "", awaits: bool = False
    ) -> ParsedReply:
        thought = "" if say is None else self._with_number(say)
        return ParsedReply(thought, actions, label=label, awaits=awaits)

    def _with_number(self, say: str) -> Message:
        """Add the step's number, counting skipped ones, so that the number is stable."""
        place = self.place  # for the page: it names the next row
        at = {**place, "number": self._number, "next": place["number"]}
        return Message("procedure.step", **at, say=say) if say else Message("procedure.place", **at)


def move_with(
    action: InputAction, sign: Sign, found: Area, then: tuple[int, int], now: tuple[int, int]
) -> InputAction:
    """Return the action with its places moved like its sign; a click without a place gets that of
    the sign. `then`, `now`: width and height of the screen in pixels.
    """
    if isinstance(action, Click) and action.at is None:
        return action.model_copy(update={"at": Point.clipped(*found.middle)})
    old = sign.at
    if old is None:
        return action
    scale = (found.bottom - found.top) * now[1] / ((old.bottom - old.top) * then[1])
    scale = 1.0 if SAME_SCALE[0] <= scale <= SAME_SCALE[1] else scale

    (x, y), (old_x, old_y) = found.middle, old.middle
    right, down = scale * then[0] / now[0], scale * then[1] / now[1]

    def move(at: Point) -> Point:
        return Point.clipped(x + (at.x - old_x) * right, y + (at.y - old_y) * down)

    if isinstance(action, Drag):
        return action.model_copy(update={"path": tuple(map(move, action.path))})
    at = get_pointer(action, start=True)
    return action.model_copy(update={"at": move(at)}) if at else action


def _label(sign: Sign, action: InputAction) -> str:
    """Return the text of the clicked target; "" if the sign is only near it."""
    at = get_pointer(action, start=True)
    return sign.text if at is None or sign.at is None or _is_near(at, sign.at) else ""


def _is_near(at: Point, place: Area) -> bool:
    around = place.grown(*LABEL_DISTANCE)
    return around.left <= at.x <= around.right and around.top <= at.y <= around.bottom


def _name(sign: Sign) -> str:
    return quote(sign.text) if sign.text else Message("procedure.picture")
