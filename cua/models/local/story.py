"""Where the work stands, read from the chat alone.

Nothing is remembered between two calls, so pause, resume and corrections need no code: the plan is
the task and what the person said since, and the place in it is what the last reply began with, as
in `# [2/5] click "Network": ...`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...types import Frame, Message, ModelError
from .instructions import Instruction, picked
from .language import Choice, answer, understand
from .phrases import NotUnderstood

HELPS = ", but first: "
"""In a reply that does something else before its instruction."""
PERSON = "The person says: "
_MARK = re.compile(r"# \[(\d+)/\d+\] ")
_NOTE = re.compile(r"^You were interrupted.*$", re.MULTILINE)
_UNDONE = ("before anything of it was done", "nothing of it was done")
_LEFT = re.compile(r"(\d+) of its \d+ characters were typed")


@dataclass(frozen=True)
class Own:
    """An earlier reply, and the screen that it answered, if it is still sent.

    `helps`: it only cleared the way for its instruction.
    """

    text: str
    frame: Frame | None
    helps: bool = False

    @property
    def commands(self) -> list[str]:
        return [line for line in self.text.splitlines() if line and line[0] not in "#$"]

    def rule(self, goal: str) -> str:
        """The name of the rule that acted for this goal, "" if none did."""
        match = re.match(rf"# \[\d+/\d+\] {re.escape(goal)}: ([^.]+)\. ", self.text)
        return match[1] if match else ""


@dataclass
class Story:
    """`own` are the replies for instruction `at` since the person last said something.

    `told` is what came of the last reply, `puzzle` what the person said that is not understood.
    """

    frame: Frame
    plan: list[Instruction] = field(default_factory=list)
    at: int = 0
    own: list[Own] = field(default_factory=list)
    all: list[Own] = field(default_factory=list)
    told: str = ""
    puzzle: str = ""

    @property
    def typed(self) -> int | None:
        """How many characters were typed before the last reply was interrupted."""
        match = _LEFT.search(self.told)
        return int(match[1]) if match else None

    @property
    def refused(self) -> str:
        """Why the hands could not do what the last reply said, such as a key that is not there."""
        return " ".join(self.told.split()) if self.told.startswith("Not ") else ""


def read(messages: Sequence[Message]) -> Story:
    """Raises `ModelError` if there is no screenshot to answer."""
    frames = [part for m in messages for part in m.parts if isinstance(part, Frame)]
    if not frames:
        raise ModelError("There is no screenshot to look at.")
    story, shown = Story(frames[-1]), None
    begun = False
    for message in messages:
        texts = [part for part in message.parts if isinstance(part, str)]
        if message.role == "assistant":
            _replied(story, Own("\n".join(texts), shown))
            shown = None
        elif message.role == "user":
            shown = next((p for p in message.parts if isinstance(p, Frame)), shown)
            if texts and not begun:
                begun = True
                _begin(story, texts.pop(0))
            _hear(story, texts)
    if story.own and any(words in story.told for words in _UNDONE):
        story.own.pop()
        story.all.pop()
    return story


def _begin(story: Story, text: str) -> None:
    task, *later = text.split(PERSON)
    try:
        story.plan = understand(_NOTE.sub("", task))
    except NotUnderstood as error:
        story.puzzle = str(error)
    for words in later:
        _person(story, words)


def _hear(story: Story, texts: list[str]) -> None:
    """The first text says what came of the last reply; a placeholder for a picture may follow."""
    for number, text in enumerate(texts):
        told, *said = text.split(PERSON)
        if number == 0:
            story.told = told
        for words in said:
            _person(story, words)


def _person(story: Story, words: str) -> None:
    """What the person wants is done first; an answer helps with the instruction in hand."""
    story.own, story.puzzle = [], ""
    try:
        wanted = answer(words)
    except NotUnderstood as error:
        story.puzzle = str(error)
        return
    current = story.plan[story.at] if story.at < len(story.plan) else None
    if isinstance(wanted, list):
        story.plan[story.at : story.at] = wanted
    elif not current:
        story.puzzle = words.strip()
    elif isinstance(wanted, Choice):
        story.plan[story.at] = picked(current, wanted.which)
    elif wanted == "skip":
        del story.plan[story.at]


def _replied(story: Story, own: Own) -> None:
    mark = _MARK.match(own.text)
    if not mark:
        story.all.append(own)
        return
    at = min(max(0, int(mark[1]) - 1), len(story.plan))
    if at < len(story.plan):
        own = replace(own, helps=own.text.startswith(mark[0] + told(story.plan[at]) + HELPS))
    story.all.append(own)
    story.own = [*story.own, own] if at == story.at else [own]
    story.at = at
    if own.commands[-1:] == ["Done"]:
        story.at, story.own = len(story.plan), []  # what the person says now comes after it


def told(wanted: Instruction) -> str:
    """An instruction as replies name it, on one line."""
    return " ".join(wanted.words.split())
