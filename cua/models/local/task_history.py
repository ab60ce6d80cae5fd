"""Read the progress of a task from its steps.

There is no state between two calls, so pause, resume and corrections need no code: the plan is the
goal and the person's texts since, and the position is the mark of the last reply, as `[2/5]`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...messages import Message
from ...types import Frame, Outcome, Step, Task
from ...types.actions import NAMED_SECRET
from .instructions import (
    Check,
    Click,
    Drag,
    Instruction,
    Output,
    Scroll,
    Send,
    Target,
    Write,
    with_pick,
)
from .language import (
    count_instructions,
    declines,
    find_words,
    is_order,
    parse_answer,
    parse_task,
    parse_value,
    says,
)
from .phrases import NotUnderstood, find_names, press

_TYPE = "typestr "
FRONT = "front"
"""Mark of a reply that brings the window of the plan to the front, or asks for that."""
UNREAD = "unread"
"""Mark of a question whether a text is there that was typed and cannot be read."""
_REFUSED = ("refused", "failed", "not_possible")
_CLICK = re.compile(r"mouse \S+ \S+ [1-3]$|drag ")
_MARK = re.compile(r"# \[(\d+)/\d+(?: (\w+))?\] ")


@dataclass(frozen=True)
class OwnReply:
    """An earlier reply, and the screenshot that it answered, if still kept.

    `preparation`: see `Act`. `rest`: what an interruption left undone of its commands, of a text
    the characters that were not typed; of a secret these are not known. `is_refused`: before any
    of it was done.
    """

    text: str
    frame: Frame | None
    preparation: str = ""
    rest: tuple[str, ...] = ()
    interrupted: bool = False
    is_refused: bool = False

    @property
    def commands(self) -> list[str]:
        return [line for line in self.text.splitlines() if line and line[0] not in "#$"]

    @property
    def asks(self) -> bool:
        return "\n$ " in self.text

    @property
    def is_secret_cut_off(self) -> bool:
        """Whether it was interrupted while it typed a secret, so that its rest is not known."""
        begun = self.commands[: len(self.commands) - len(self.rest)]
        return self.interrupted and bool(NAMED_SECRET.search("".join(begun[-1:])))

    @property
    def chooses_window(self) -> bool:
        """Whether it clicks for the plan, after which the window there is in front."""
        clicks = any(_CLICK.match(command) for command in self.commands)
        return clicks and self.preparation in ("", "double", FRONT)


@dataclass
class TaskHistory:
    """`own`: the replies for instruction `at` since the person's last text.

    `last`: the step of the last reply; `follows_refusal`: that reply asks because an action was
    refused, or once more after an answer to that; `by_hand`: the person went on without an answer
    to it; `front_unknown`: the person has acted by hand since the plan's last click, so another
    window may be in front; `left_out`: the instructions that were refused, or that a dialog asked
    about, and are skipped; None for one of a dropped step; `misunderstood`: the person's text that
    was not understood, and `not_understood`: which part of it; `answer`: the person's answer, which
    may name a visible button, to a question about the instruction `answered`; `place`: the slice of
    the plan for the person's next text, if known; `deferred`: what the person wrote during the run,
    and its index in the plan; `lines`: the lines of the goal that follow one that was not
    understood; `replaced`: the words of the `goal` in whose place the reason of the last refusal
    was carried out.
    """

    goal: str = ""
    plan: list[Instruction] = field(default_factory=list)
    at: int = 0
    own: list[OwnReply] = field(default_factory=list)
    all: list[OwnReply] = field(default_factory=list)
    last: Step | None = None
    follows_refusal: bool = False
    by_hand: bool = False
    front_unknown: bool = False
    left_out: list[Instruction | None] = field(default_factory=list)
    not_understood: str = ""
    misunderstood: str = ""
    answer: str = ""
    answered: Instruction | None = None
    place: slice | None = None
    deferred: tuple[str, int] = ("", 0)
    lines: list[str] = field(default_factory=list)
    replaced: str = ""

    @property
    def refused(self) -> Outcome | None:
        """The last outcome if an action was refused or could not be executed."""
        outcome = self.last.outcome if self.last else None
        return outcome if outcome and outcome.kind in _REFUSED else None

    @property
    def asked(self) -> bool:
        return bool(self.all) and self.all[-1].asks

    @property
    def asks_for_front(self) -> bool:
        return self.asked and self.all[-1].preparation == FRONT

    @property
    def asks_for_typed(self) -> bool:
        return self.asked and self.all[-1].preparation == UNREAD

    @property
    def choice(self) -> Click | None:
        """The current click, with the target that the person named in answer to a question."""
        wanted = self.plan[self.at] if self.at < len(self.plan) else None
        if self.answer and self.not_understood and isinstance(wanted, Click):
            return replace(wanted, target=Target(find_names(self.answer)))
        return None

    @property
    def result_check(self) -> Check | None:
        """The current check, if a question asks what to do about the dialog that hinders it.

        Only checks follow it, so whether the dialog is accepted decides whether all was done.
        """
        match self.plan[self.at : self.at + 2] if self.asked else []:
            case [Check(shown=False) as wanted] | [Check(shown=False) as wanted, Check()]:
                return wanted
        return None

    @property
    def refuses(self) -> bool:
        """Whether the answer refuses, or names what to do instead of what was refused."""
        return declines(self.answer) or (self.follows_refusal and bool(self.not_understood))

    @property
    def was_stopped(self) -> bool:
        """Whether the person stopped the last reply before its first action, as at an approval."""
        return self.last is not None and not (self.last.outcome or self.last.actions_started)

    @property
    def current_words(self) -> str:
        """The words of the goal for the current instruction, if these stand for it alone."""
        current = self.plan[self.at : self.at + 1]
        return find_words(self.goal, current[0]) if current else ""

    def add_goal(self, text: str) -> None:
        """Read the goal. Each further line may be a correction, as in a task that is run again."""
        self.goal = text
        try:
            self.plan = parse_task(text)
        except NotUnderstood as error:
            self.lines = [line for line in text.splitlines() if line.strip()]
            if not any(map(count_instructions, self.lines)):
                self.lines, self.not_understood = [], str(error)
            self._add_lines()

    def _add_lines(self) -> None:
        while self.lines and not self.not_understood:
            self._add_text(self.lines.pop(0))

    def add_person_text(self, words: str, *, interrupted: bool = False) -> None:
        """Add new instructions to the plan, or apply an answer; then add the lines that waited."""
        self._add_text(words, interrupted=interrupted)
        self._add_lines()

    def _add_text(self, words: str, *, interrupted: bool = False) -> None:
        refused = self.follows_refusal and (not self.place or self.not_understood)
        anew = self._awaits_words or refused or not (self.place or self.asked)
        corrects = bool(anew) and says("instead", words)
        known = None if corrects else self.place
        first, place = known is None, known or self._find_place(words, interrupted)
        self.place, self.not_understood, self.answer = place, "", ""
        self.answered = next(iter(self.plan[self.at : self.at + 1]), None)
        try:
            answer, place = self._understand(words, place, corrects=corrects)
        except NotUnderstood as error:
            self.not_understood, self.misunderstood = str(error), words
            self.answer = words if self.asked and self._is_current(place) else ""
            return
        place = self._leave_out(place, answer)
        answer = self._note_answer(answer, words)
        current = self.plan[self.at : self.at + 1]
        if isinstance(answer, list):
            place = self._leave_rest(place)
            defers = first and self.all and not (interrupted or says("then", words))
            self.deferred = (words, place.start) if defers else self.deferred
            if place.start == self.at:
                place, answer = self._continue_goal(place, answer)
                self._replace_texts(answer)
            self.plan[place] = answer
            self.place = slice(place.start + len(answer), place.start + len(answer))
        elif self.at < len(self.plan) and (first or self._is_current(place)):
            self._apply_answer(answer, place)
            self.place = slice(len(self.plan), len(self.plan))
        if self.plan[self.at : self.at + 1] != current:
            self.own = []

    def take_reason(self, reason: str) -> None:
        """Take the reason of a refusal as what to do instead, unless it only explains it."""
        if is_order(reason):
            self.replaced = self.current_words
            self.follows_refusal, self.own = True, []
            self.add_person_text(reason)
            self.follows_refusal, self.last = False, None

    def _note_answer(
        self, answer: list[Instruction] | int | str, words: str
    ) -> list[Instruction] | int | str:
        """Keep the words that may name a button; return what they mean for the plan."""
        if answer == "continue" and self.asks_for_typed:
            return "skip"  # the text is there
        if answer in ("continue", "again") and self.asked:
            self.answer = words
            self.front_unknown &= not self.asks_for_front
        if answer != "decline":
            return answer
        self.answer = words
        return "skip"

    def _understand(
        self, words: str, place: slice, *, corrects: bool
    ) -> tuple[list[Instruction] | int | str, slice]:
        """Return the instructions or answer, and their place. Raises `NotUnderstood`."""
        if (self.follows_refusal or self.result_check) and declines(words):
            return "decline", place
        try:
            answer = parse_answer(words)
            if not (isinstance(answer, list) or self.plan[self.at :] or self.lines):
                raise NotUnderstood(words.strip())
        except NotUnderstood:
            if found := self.with_value(parse_value(words)):
                return found, slice(self.at, len(self.plan))
            raise
        current = self.plan[self.at : self.at + 1] if self.follows_refusal else []
        match current, answer:
            case [Write() as old], [Write() as new]:  # the keys behind it are for any text
                kept = self.plan[self.at + 1 : place.stop]
                return [new, *(_replace_text(each, old.text, new.text) for each in kept)], place
        if corrects and isinstance(answer, list):
            return self._find_text(answer, place)
        return answer, place

    def with_value(self, value: str) -> list[Instruction]:
        """Return the plan with `value` instead of the only typed text of the same shape."""
        typed = {each.text for each in self.plan if isinstance(each, Write)}
        alike = [text for text in typed if _shape(text) == _shape(value)]
        if len(alike) != 1:
            return []
        return [_replace_text(each, alike[0], value) for each in self.plan]

    def _leave_out(self, place: slice, answer: list[Instruction] | int | str) -> slice:
        """Return the place, with the checks after it if the answer leaves out what they check."""
        if isinstance(answer, list):  # it may be done after all
            self.left_out = [each for each in self.left_out if each not in answer]
        check = self.result_check
        if self._is_current(place) and _declines(answer) and (check or self.follows_refusal):
            self.left_out.append(self.plan[self.at])
            return slice(self.at, self._find_end(Check)) if check else place
        return place

    def _is_current(self, place: slice) -> bool:
        """Whether it begins with the current instruction."""
        return bool(place.start == self.at < place.stop)

    def _apply_answer(self, answer: int | str, place: slice) -> None:
        if isinstance(answer, int):
            self.plan[self.at] = with_pick(self.plan[self.at], answer)
        elif answer in ("continue", "again"):
            self.plan[self.at] = _without_typed(self.plan[self.at])
        elif answer == "skip":
            end = place.stop if self._is_current(place) else self._find_end()
            del self.plan[self.at : end]

    @property
    def _awaits_words(self) -> bool:
        """Whether words that the person sent during the run were not understood.

        Such a question is not about the current instruction.
        """
        begun = any(each.commands for each in self.all)
        is_current = self.place is not None and self._is_current(self.place)
        return begun and bool(self.not_understood) and not is_current

    def _find_place(self, words: str, interrupted: bool) -> slice:
        """Return the slice of the plan that these words replace.

        An answer to a question, the reason of a refusal, and "instead": the current instruction.
        After an interruption, also at an approval: the empty slice before it. Otherwise the end.
        """
        end = len(self.plan)
        at_once = interrupted and not says("then", words)
        if self.asked or self.follows_refusal or says("instead", words):
            return slice(self.at, min(self._find_end(), end))
        return slice(self.at, self.at) if at_once else slice(end, end)

    @property
    def _is_carried_out(self) -> bool:
        """Whether all was done of the current instruction, with an effect or without."""
        if not self.own or self.own[-1].preparation or self.refused:
            return False
        match self.plan[self.at]:
            case Send(commands=commands):
                return not find_unsent(commands, self.own)
            case Click() | Write() | Drag() | Scroll(target=None):
                return not (self.own[-1].rest or self.own[-1].is_secret_cut_off)
        return False

    def _leave_rest(self, place: slice) -> slice:
        """Leave of the current instruction what is not done, if `place` is the one before it."""
        if place != slice(self.at, self.at):
            return place
        if self._is_carried_out:
            self.at, self.own = self.at + 1, []
        match self.plan[self.at : self.at + 1] if self.own else []:
            case [Send(commands=sent) as wanted] if _TYPE not in "".join(sent):  # else anew
                self.plan[self.at] = replace(wanted, commands=find_unsent(sent, self.own))
            case [Write(text, None) as wanted] if rest := self.own[-1].rest:
                typed = text.removesuffix(rest[-1].removeprefix(_TYPE))
                self.plan[self.at] = replace(wanted, typed=typed)
            case [Write(text, None) as wanted] if self.own[-1].is_secret_cut_off:
                self.plan[self.at] = replace(wanted, typed=text)
        return slice(self.at, self.at)

    def _find_text(
        self, answer: list[Instruction], place: slice
    ) -> tuple[list[Instruction], slice]:
        """Return what is to be done if `answer` is a text instead of another, and its place.

        What was typed last is taken back, else the next text is replaced. If more was done since
        the last text, the person is asked.
        """
        new, texts = answer[0], [i for i, each in enumerate(self.plan) if isinstance(each, Write)]
        if not isinstance(new, Write) or not texts:
            return answer, place
        at = self._typed_at if not new.target else None
        if at is not None:
            end = place.stop if self.follows_refusal else max(self.at, at + 1)
            return [*self._take_back(at, new), *answer[1:]], slice(self.at, end)
        if self.follows_refusal:
            return answer, place
        if later := [i for i in texts if i >= self.at]:
            return answer, slice(later[0], later[0] + 1)
        if new.target:
            return answer, place
        [*_, old] = (each.text for each in self.plan if isinstance(each, Write))
        return [replace(new, instead=old), *answer[1:]], slice(self.at, self.at)

    @property
    def _typed_at(self) -> int | None:
        """The index of the text that was typed last, if it is the last thing that was done."""
        begun = any(command.startswith(_TYPE) for each in self.own for command in each.commands)
        at = self.at if begun else self.at - 1
        if at < 0 or not isinstance(wanted := self.plan[at], Write):
            return None
        sent = (line for each in self.all if not each.is_refused for line in each.commands)
        done = [line for line in sent if not line.startswith("sleep ")]
        is_last = begun or self.at == len(self.plan) or done[-1:] == [_TYPE + wanted.text]
        return at if is_last else None

    def _take_back(self, at: int, new: Write) -> list[Instruction]:
        """Return what types `new` instead of the text `at`, which was typed last.

        The person is asked if it is not known what of it is where, as of a secret.
        """
        old = self.plan[at]
        assert isinstance(old, Write)
        if self.front_unknown or old.typed or NAMED_SECRET.search(old.text):
            return [replace(new, instead=old.text)]
        rest = "".join(each.removeprefix(_TYPE) for each in self.own[-1].rest) if self.own else ""
        return [press("BACKSPACE", len(old.text.removesuffix(rest))), new]

    def _find_end(self, *kinds: type[Instruction]) -> int:
        """Return the index after the current instruction and those of some kinds that follow it.

        If it was refused, these are all that cannot stand alone.
        """
        kinds = (Send, Output, Check) if self.follows_refusal or self.was_stopped else kinds
        follows = itertools.takewhile(
            lambda each: isinstance(each, kinds), self.plan[self.at + 1 :]
        )
        return self.at + 1 + len(list(follows))

    def _replace_texts(self, answer: list[Instruction]) -> None:
        """Let what is left of the plan keep the texts that `answer` types into fields of it."""
        new = {_field_name(each): each for each in answer}
        for old in [*self.plan]:
            now = new.get(_field_name(old))
            if isinstance(old, Write) and isinstance(now, Write) and old.target and old.text:
                rest = self.plan[self.at :]
                self.plan[self.at :] = [_replace_text(each, old.text, now.text) for each in rest]

    def _continue_goal(
        self, place: slice, wanted: list[Instruction]
    ) -> tuple[slice, list[Instruction]]:
        """If `wanted` is the goal with other values, return the rest of both, else the input."""
        kinds = [type(each) for each in wanted]
        for start in range(self.at, max(self.at - len(kinds), -1), -1):
            planned = self.plan[start : start + len(kinds)]
            if len(kinds) > 1 and planned[:1] == wanted[:1] and [*map(type, planned)] == kinds:
                rest = wanted[_redo_from(planned, wanted, self.at - start) :]
                return slice(self.at, start + len(kinds)), rest
        return place, wanted

    def add_reply(self, text: str, step: Step) -> None:
        mark = _MARK.match(text)
        frame = step.frame if step.frame.jpeg else None
        preparation = (mark[2] or "") if mark else ""
        refused = step.is_refused and not step.actions_started
        own = OwnReply(text, frame, preparation, _find_rest(step), not step.outcome, refused)
        self.all.append(own)
        kind = self.refused and self.refused.kind
        asks_again = self.follows_refusal and bool(self.not_understood)
        self.follows_refusal = own.asks and (kind == "refused" or asks_again)
        if not own.asks:  # it clicked what those words name
            if own.preparation != "answer" and (choice := self.choice):
                self.plan[self.at] = choice
            self.not_understood = ""
        self.answer, self.deferred = "", ("", 0)
        if not self.not_understood:
            self.place = None
        if not mark:
            return
        at = min(max(0, int(mark[1]) - 1), len(self.plan))
        earlier = self.own if at == self.at else []
        self.at, self.own = at, [*earlier, own]
        if own.preparation == FRONT:  # it does nothing of the instruction
            self.own = earlier
        elif own.asks:  # a question about words alone changes nothing
            self.own = self.own[:-1] if self.not_understood and not self.refused else []
        elif own.commands[-1:] == ["Done"]:  # the person's next text comes after it
            self.at, self.own = len(self.plan), []


def find_unsent(commands: tuple[str, ...], own: Sequence[OwnReply]) -> tuple[str, ...]:
    """Return those commands of a `Send` that its replies have not done yet; all if a secret was
    cut off, as Ctrl+L replaces an address.
    """
    if own and own[-1].is_secret_cut_off:
        return commands
    begun = sum(len(each.commands) - len(each.rest) for each in own if not each.preparation)
    rest = own[-1].rest if own else ()
    return rest + commands[begun + len(rest) :]


def _without_typed(instruction: Instruction) -> Instruction:
    if isinstance(instruction, Write) and (instruction.typed or instruction.instead):
        return Write(instruction.text.removeprefix(instruction.typed) or instruction.text)
    return instruction


def _declines(answer: list[Instruction] | int | str) -> bool:
    """Whether an answer leaves out what it is asked about, also by Cancel or Escape."""
    if not isinstance(answer, list):
        return answer in ("skip", "decline")
    return all(map(_is_cancel, answer))


def _is_cancel(wanted: Instruction) -> bool:
    if isinstance(wanted, Click):
        return any(map(declines, wanted.target.names))
    return isinstance(wanted, Send) and {*wanted.commands} == {"keyboard ESC"}


def _replace_text(instruction: Instruction, old: str, new: str) -> Instruction:
    changed: dict[str, Any] = {name: new for name, each in vars(instruction).items() if each == old}
    return replace(instruction, **changed)


def _field_name(instruction: Instruction) -> str:
    """Return the label of the field that is filled in; "" for none."""
    target = instruction.target if isinstance(instruction, Write) else None
    return "".join(target.names[:1]).casefold() if target else ""


def _shape(text: str) -> str:
    """Return the kind of a text: equal for two addresses, or for two words."""
    return re.sub(r"[^\W\d]+", "a", re.sub(r"\d+", "0", text))


def _redo_from(planned: list[Instruction], wanted: list[Instruction], done: int) -> int:
    """Return the index in `wanted` to continue from, after `done` instructions of `planned`.

    The content of a field that is still open is replaced; else all is done again.
    """
    changed = next((at for at in range(done) if planned[at] != wanted[at]), done)
    field, is_open = wanted[changed], any(not isinstance(each, Check) for each in wanted[done:])
    in_field = is_open and isinstance(field, Write) and field.target is not None
    return changed if changed == done or in_field else 0


def read_task(task: Task) -> TaskHistory:
    history = TaskHistory()
    history.add_goal(task.goal)
    for text in task.dropped.said:
        history.add_person_text(text)
    history.left_out = [None] * task.dropped.leaves_out
    for step in task.steps:
        history.by_hand = history.asked and not step.user_words
        history.front_unknown |= step.by_hand
        if history.asks_for_front and not step.user_words:  # the person brought it to the front
            history.front_unknown = False
        if (history.follows_refusal or history.asks_for_typed) and not step.user_words:
            history.add_person_text("skip")  # it was done by hand, or something else was
        for text in step.user_words:
            history.add_person_text(text, interrupted=step.interrupted)
        if step.reply:
            history.add_reply(step.reply.text, step)
            history.last = step
            _follow_outcome(history, step)
            history.take_reason(step.outcome.reason if step.outcome else "")
    return history


def find_order(task: Task, history: TaskHistory) -> dict[str, Any]:
    """Return the log data of the reason of a refusal that the next reply carries out, if any."""
    [outcome] = [step.outcome for step in task.steps[-2:-1]] or [None]
    if not (outcome and is_order(outcome.reason)):
        return {}
    about = {"queued": False, "reason": True}  # it is shown with the refusal
    return {"text": outcome.reason, "replaces": history.replaced, **about}


def _follow_outcome(history: TaskHistory, step: Step) -> None:
    """Forget a reply of which nothing was done, and know the window that it clicked in."""
    last = history.all[-1]
    if step.outcome and step.outcome.kind == "executed" and last.chooses_window:
        history.front_unknown = False
    if (history.own or last.preparation == FRONT) and _did_nothing(step):
        history.all.pop()
        history.own = [each for each in history.own if each is not last]


def find_meaning(words: str, goal: str) -> dict[str, Any]:
    """Return the log data of a task that follows the finished task `goal`.

    Words that are not a task may give another value for that one, as "use 1.1.1.1 instead".
    """
    own, last, value = TaskHistory(), TaskHistory(), parse_value(words)
    own.add_goal(words)
    last.add_goal(goal)
    wanted = last.with_value(value) if own.not_understood else []
    for old, new in zip(last.plan, wanted, strict=False):
        if isinstance(old, Write) and old != new:
            own.add_goal(meaning := goal.replace(old.text, value))
            if own.plan == wanted:
                return {"text": meaning, "said": words, "instead": [old.text, value]}
    return {"text": words}


def _find_rest(step: Step) -> tuple[str, ...]:
    """Return the commands that an interruption left undone; what was begun counts as done."""
    if step.outcome or not step.reply:
        return ()
    commands = OwnReply(step.reply.text, None).commands
    started, progress = commands[: step.actions_started], step.progress
    left = commands[step.actions_started :]
    if not started or not isinstance(progress, Message):
        return tuple(left)
    if progress.key == "progress.none":
        return (started[-1], *left)
    text = started[-1].removeprefix(_TYPE)
    if progress.key == "progress.typed" and (rest := text[int(str(progress.values["typed"])) :]):
        return (_TYPE + rest, *left)
    return tuple(left)


def _did_nothing(step: Step) -> bool:
    """Whether a step was held back, or interrupted before its first action."""
    if step.outcome or not step.reply:
        return step.outcome is not None and step.outcome.kind == "stale"
    return [*_find_rest(step)] == OwnReply(step.reply.text, None).commands
