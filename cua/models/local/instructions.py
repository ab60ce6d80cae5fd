"""Instructions as data. `words` describes each for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from ...messages import Message

Where = Literal["next to", "under", "above"]
MAX_LISTED_TEXTS = 3


def quote(text: str) -> Message:
    """Return a text of the screen or the person as a message, which is not translated."""
    return Message("local.quoted", text=text)


def list_first(texts: Iterable[str]) -> list[str] | Message:
    """Return the first few different texts, quoted; a message that says so if there are more."""
    found = [quote(text) for text in dict.fromkeys(texts)]
    first = found[:MAX_LISTED_TEXTS]
    return Message("local.among_others", texts=first) if len(found) > len(first) else [*first]


@dataclass(frozen=True)
class Target:
    """A target on the screen by its text; earlier names are preferred.

    `near`: another label; `where`: the target's position relative to it. `pick`: which one of
    several is meant, in reading order; 0: unknown. `at`: instead of a name, the position that the
    person pointed at, in percent from the left and the top. `window`: the title of the window that
    it is in, unless it is an icon; "": anywhere.
    """

    names: tuple[str, ...]
    near: str = ""
    where: Where = "next to"
    pick: int = 0
    at: tuple[float, float] | None = None
    window: str = ""

    @property
    def words(self) -> str:
        if self.at:
            x, y = self.at
            return Message("local.target.place", x=f"{x:g}", y=f"{y:g}")
        named = quote(self.names[0])
        if self.pick:
            named = Message("local.target.number", target=named, number=self.pick)
        if not self.near:
            return named
        where = Message(f"local.where.{self.where.replace(' ', '_')}")
        return Message("local.target.near", target=named, where=where, near=self.near)


@dataclass(frozen=True)
class Click:
    """`count` 0: open the target, by one click or two. `unless`: a text that needs no click."""

    target: Target
    count: int = 1
    button: Literal["left", "right"] = "left"
    unless: str = ""

    @property
    def words(self) -> str:
        target = self.target.words
        if self.button == "right":
            return Message("local.right_click", target=target)
        if self.count == 2:
            return Message("local.double_click", target=target)
        return Message("local.click" if self.count else "local.open", target=target)


@dataclass(frozen=True)
class Write:
    """Type at the cursor, or replace the content of the field with the label `target`.

    `typed`: its beginning that was typed before a pause; what followed stands behind it now. With
    a secret it is the whole text, as it is not known how much of it was typed. `instead`: a text
    that it is to replace, which cannot be taken back here.
    """

    text: str
    target: Target | None = None
    typed: str = ""
    instead: str = ""

    @property
    def words(self) -> str:
        if self.target and not self.text:
            return Message("local.clear", field=self.target.words)
        if self.target:
            return Message("local.type_into", text=self.text, field=self.target.words)
        return Message("local.type", text=self.text)


@dataclass(frozen=True)
class Send:
    """Send commands in KVM lines, a few with each reply: keys, or a wait."""

    words: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Scroll:
    """Scroll once, or until `target` is visible."""

    down: bool = True
    target: Target | None = None

    @property
    def words(self) -> str:
        way = Message("local.scroll_down" if self.down else "local.scroll_up")
        if self.target:
            return Message("local.scroll_until", way=way, target=self.target.words)
        return way


@dataclass(frozen=True)
class Check:
    """Check that a text is `shown`, or `wait` for it. `window`: as in `Target`."""

    text: str
    shown: bool = True
    wait: bool = False
    window: str = ""

    @property
    def words(self) -> str:
        if self.wait:
            return Message("local.await", text=self.text)
        return Message("local.check" if self.shown else "local.check_not", text=self.text)


@dataclass(frozen=True)
class Output:
    """Read the output of a command in a terminal."""

    command: str

    @property
    def words(self) -> str:
        return Message("local.read_output", command=self.command)


@dataclass(frozen=True)
class Drag:
    start: Target
    end: Target

    @property
    def words(self) -> str:
        return Message("local.drag", start=self.start.words, end=self.end.words)


Instruction = Click | Write | Send | Scroll | Check | Output | Drag


def with_pick(instruction: Instruction, pick: int) -> Instruction:
    """Return the instruction for number `pick` of several equal targets."""
    if isinstance(instruction, (Click, Write)) and instruction.target:
        return replace(instruction, target=replace(instruction.target, pick=pick))
    return instruction
