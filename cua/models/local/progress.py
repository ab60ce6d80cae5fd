"""Read the progress of the work from the chat.

There is no state between two calls, so pause, resume and corrections need no code: the plan is the
task and the person's texts since, and the position is what the last reply begins with, as in
`# [2/5] click "Network": ...`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...messages import Message
from ...types import ChatMessage, Frame, ModelError
from .instructions import Instruction, picked
from .language import Choice, answer, understand
from .phrases import NotUnderstood

ASIDE_PREFIX = ", but first: "
"""In a reply that does something else before its instruction."""
PERSON = "The person says: "
_MARK = re.compile(r"# \[(\d+)/\d+\] ")
_NOTE = re.compile(r"^You were interrupted.*$", re.MULTILINE)
NOT_EXECUTED = ("before anything of it was done", "nothing of it was done")
_LEFT = re.compile(r"(\d+) of its \d+ characters were typed")


@dataclass(frozen=True)
class OwnReply:
    """An earlier reply, and the screenshot that it answered, if that is still sent.

    `helps`: it only prepared its instruction, such as by closing a dialog.
    """

    text: str
    frame: Frame | None
    helps: bool = False

    @property
    def commands(self) -> list[str]:
        return [line for line in self.text.splitlines() if line and line[0] not in "#$"]

    def rule(self, goal: str) -> str:
        """The name of the rule that acted for this goal, or ""."""
        match = re.match(rf"# \[\d+/\d+\] {re.escape(goal)}: ([^.]+)\. ", self.text)
        return match[1] if match else ""


@dataclass
class Progress:
    """`own` are the replies for instruction `at` since the person's last text.

    `feedback` is the outcome of the last reply, `not_understood` the person's text that is not.
    """

    frame: Frame
    plan: list[Instruction] = field(default_factory=list)
    at: int = 0
    own: list[OwnReply] = field(default_factory=list)
    all: list[OwnReply] = field(default_factory=list)
    feedback: str = ""
    not_understood: str = ""

    @property
    def typed(self) -> int | None:
        """How many characters were typed before the last reply was interrupted."""
        match = _LEFT.search(self.feedback)
        return int(match[1]) if match else None

    @property
    def refused(self) -> str:
        """Why the last reply could not be executed, such as a key that does not exist."""
        return " ".join(self.feedback.split()) if self.feedback.startswith("Not ") else ""


def read(messages: Sequence[ChatMessage]) -> Progress:
    """Raise `ModelError` if there is no screenshot to answer."""
    frames = [part for m in messages for part in m.parts if isinstance(part, Frame)]
    if not frames:
        raise ModelError(Message("model.local.no_screenshot"))
    progress, shown = Progress(frames[-1]), None
    started = False
    for message in messages:
        texts = [part for part in message.parts if isinstance(part, str)]
        if message.role == "assistant":
            _add_reply(progress, OwnReply("\n".join(texts), shown))
            shown = None
        elif message.role == "user":
            shown = next((p for p in message.parts if isinstance(p, Frame)), shown)
            if texts and not started:
                started = True
                _add_task(progress, texts.pop(0))
            _add_texts(progress, texts)
    if progress.own and any(words in progress.feedback for words in NOT_EXECUTED):
        progress.own.pop()
        progress.all.pop()
    return progress


def _add_task(progress: Progress, text: str) -> None:
    task, *later = text.split(PERSON)
    try:
        progress.plan = understand(_NOTE.sub("", task))
    except NotUnderstood as error:
        progress.not_understood = str(error)
    for words in later:
        _add_person_text(progress, words)


def _add_texts(progress: Progress, texts: list[str]) -> None:
    """The first text is the outcome of the last reply; a placeholder for a picture may follow."""
    for number, text in enumerate(texts):
        feedback, *said = text.split(PERSON)
        if number == 0:
            progress.feedback = feedback
        for words in said:
            _add_person_text(progress, words)


def _add_person_text(progress: Progress, words: str) -> None:
    """A new instruction is done first; an answer helps with the current one."""
    progress.own, progress.not_understood = [], ""
    try:
        wanted = answer(words)
    except NotUnderstood as error:
        progress.not_understood = str(error)
        return
    current = progress.plan[progress.at] if progress.at < len(progress.plan) else None
    if isinstance(wanted, list):
        progress.plan[progress.at : progress.at] = wanted
    elif not current:
        progress.not_understood = words.strip()
    elif isinstance(wanted, Choice):
        progress.plan[progress.at] = picked(current, wanted.which)
    elif wanted == "skip":
        del progress.plan[progress.at]


def _add_reply(progress: Progress, own: OwnReply) -> None:
    mark = _MARK.match(own.text)
    if not mark:
        progress.all.append(own)
        return
    at = min(max(0, int(mark[1]) - 1), len(progress.plan))
    if at < len(progress.plan):
        own = replace(
            own,
            helps=own.text.startswith(mark[0] + name_instruction(progress.plan[at]) + ASIDE_PREFIX),
        )
    progress.all.append(own)
    progress.own = [*progress.own, own] if at == progress.at else [own]
    progress.at = at
    if own.commands[-1:] == ["Done"]:
        progress.at, progress.own = (
            len(progress.plan),
            [],
        )  # the person's next text comes after it


def name_instruction(wanted: Instruction) -> str:
    """The name of an instruction in replies, on one line."""
    return " ".join(wanted.words.split())
