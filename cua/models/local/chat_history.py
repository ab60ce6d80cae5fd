"""Read from the chat how far the task is.

There is no state between two calls, so pause, resume and corrections need no code: the plan is the
task and the person's texts since, and the position is the mark of the last reply, as `[2/5]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...messages import Message
from ...types import PERSON_PREFIX, ChatMessage, Frame, ModelError
from ..provider import frames
from .instructions import Instruction, with_pick
from .language import parse_answer, parse_task, says
from .phrases import NotUnderstood

NOT_EXECUTED = ("before anything of it was done", "nothing of it was done")
_MARK = re.compile(r"# \[(\d+)/\d+(?: (\w+))?\] ")
_INTERRUPTION = re.compile(r"^You were interrupted.*$", re.MULTILINE)
_TYPED_CHARS = re.compile(r"(\d+) of its \d+ characters were typed")


@dataclass(frozen=True)
class OwnReply:
    """An earlier reply, and the screenshot that it answered, if that is still sent.

    `preparation`: what it did before its instruction, such as closing a dialog.
    """

    text: str
    frame: Frame | None
    preparation: str = ""

    @property
    def commands(self) -> list[str]:
        return [line for line in self.text.splitlines() if line and line[0] not in "#$"]

    @property
    def asks(self) -> bool:
        return "\n$ " in self.text


@dataclass
class ChatHistory:
    """`own`: the replies for instruction `at` since the person's last text.

    `feedback`: the outcome of the last reply; `not_understood`: the person's text that is not;
    `place`: the slice of the plan for the person's next text, if that is known.
    """

    frame: Frame
    plan: list[Instruction] = field(default_factory=list)
    at: int = 0
    own: list[OwnReply] = field(default_factory=list)
    all: list[OwnReply] = field(default_factory=list)
    feedback: str = ""
    not_understood: str = ""
    place: slice | None = None

    @property
    def typed(self) -> int | None:
        """How many characters were typed before the last reply was interrupted."""
        match = _TYPED_CHARS.search(self.feedback)
        return int(match[1]) if match else None

    @property
    def refused(self) -> bool:
        """Whether the last reply was not executed: refused, or a key that does not exist."""
        return self.feedback.startswith("Not carried out")

    def add_task(self, text: str) -> None:
        task, *later = text.split(PERSON_PREFIX)
        try:
            self.plan = parse_task(_INTERRUPTION.sub("", task))
        except NotUnderstood as error:
            self.not_understood = str(error)
        for words in later:
            self._add_person_text(words)

    def add_feedback(self, texts: list[str]) -> None:
        """The first text is the last outcome; a placeholder for a picture may follow."""
        for number, text in enumerate(texts):
            feedback, *later = text.split(PERSON_PREFIX)
            if number == 0:
                self.feedback = feedback
            for words in later:
                self._add_person_text(words)

    def _add_person_text(self, text: str) -> None:
        """New instructions get their place in the plan; an answer helps with the current one."""
        words = _INTERRUPTION.sub("", text)
        first, place = self.place is None, self.place or self._find_place(words)
        self.place, self.not_understood = place, ""
        try:
            answer = parse_answer(words)
            if not isinstance(answer, list) and self.at >= len(self.plan):
                raise NotUnderstood(words.strip())
        except NotUnderstood as error:
            self.not_understood = str(error)
            return
        if isinstance(answer, list):
            self.plan[place] = answer
            self.place = slice(place.start + len(answer), place.start + len(answer))
        elif first or place.start == self.at < place.stop:
            self._apply_answer(answer)
            self.place = slice(len(self.plan), len(self.plan))
        if place.start == self.at:
            self.own = []

    def _apply_answer(self, answer: int | str) -> None:
        if isinstance(answer, int):
            self.plan[self.at] = with_pick(self.plan[self.at], answer)
        elif answer == "skip":
            del self.plan[self.at]

    def _find_place(self, words: str) -> slice:
        """Return which instructions these words replace.

        An answer to a question, and "instead": the current one. After an interruption: none, but
        they are done before it. Otherwise they come after all that is planned.
        """
        end = len(self.plan)
        if (self.all and self.all[-1].asks) or says("instead", words):
            return slice(self.at, min(self.at + 1, end))
        interrupted = "You were interrupted" in self.feedback and not says("then", words)
        return slice(self.at, self.at) if interrupted else slice(end, end)

    def add_reply(self, text: str, frame: Frame | None) -> None:
        mark = _MARK.match(text)
        own = OwnReply(text, frame, (mark[2] or "") if mark else "")
        self.all.append(own)
        if not self.not_understood:
            self.place = None
        if not mark:
            return
        at = min(max(0, int(mark[1]) - 1), len(self.plan))
        self.own = [*self.own, own] if at == self.at else [own]
        self.at = at
        if own.asks:
            self.own = []
        elif own.commands[-1:] == ["Done"]:  # the person's next text comes after it
            self.at, self.own = len(self.plan), []


def read_chat(messages: Sequence[ChatMessage]) -> ChatHistory:
    """Raise `ModelError` if there is no screenshot to answer."""
    screenshots = [frame for message in messages for frame in frames(message)]
    if not screenshots:
        raise ModelError(Message("model.local.no_screenshot"))
    history, shown, started = ChatHistory(screenshots[-1]), None, False
    for message in messages:
        texts = [part for part in message.parts if isinstance(part, str)]
        if message.role == "assistant":
            history.add_reply("\n".join(texts), shown)
            shown = None
        elif message.role == "user":
            shown = next(iter(frames(message)), shown)
            if texts and not started:
                started = True
                history.add_task(texts.pop(0))
            history.add_feedback(texts)
    if history.own and any(words in history.feedback for words in NOT_EXECUTED):
        history.own.pop()
        history.all.pop()
    return history
