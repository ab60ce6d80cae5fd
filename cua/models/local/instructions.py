"""What the operator can be told to do, as data. `words` says it back in plain words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Pick = int | Literal["left", "right", "top", "bottom"]
"""One of several that look the same: the n-th in reading order, or by its side."""


Where = Literal["next to", "under", "above"]


@dataclass(frozen=True)
class Target:
    """Something on the screen by what is written on it; earlier names are preferred.

    `near` is another label that it stands `where` of. Or, without a name, the place `at` that the
    person pointed at, in percent from the left and the top.
    """

    names: tuple[str, ...]
    near: str = ""
    where: Where = "next to"
    pick: Pick | None = None
    at: tuple[float, float] | None = None

    @property
    def words(self) -> str:
        if self.at:
            x, y = self.at
            return f"the place {x:g} % from the left and {y:g} % from the top"
        named = f'"{self.names[0]}"'
        if isinstance(self.pick, str):
            named += f" (the {self.pick} one)"
        elif self.pick is not None:
            named += f" (number {self.pick})"
        return f'{named} {self.where} "{self.near}"' if self.near else named


@dataclass(frozen=True)
class Click:
    """`count` 0: opens it, by one click or two, as turns out to be right."""

    target: Target
    count: int = 1
    button: Literal["left", "right"] = "left"

    @property
    def words(self) -> str:
        if self.button == "right":
            return f"right-click {self.target.words}"
        return ("open {}", "click {}", "double-click {}")[self.count].format(self.target.words)


@dataclass(frozen=True)
class Write:
    """Types where the cursor is, or `into` a field by its label, replacing what is there.

    `below`: into the large area under a window's title.
    """

    text: str
    into: Target | None = None
    below: bool = False

    @property
    def words(self) -> str:
        return f'type "{self.text}"' + (f" into {self.into.words}" if self.into else "")


@dataclass(frozen=True)
class Visit:
    """Goes to an address in the browser that is open; words are searched for."""

    address: str

    @property
    def words(self) -> str:
        return f"go to {self.address}"


@dataclass(frozen=True)
class Press:
    keys: str
    times: int = 1

    @property
    def words(self) -> str:
        return f"press {self.keys}" + (f" {self.times} times" if self.times > 1 else "")


@dataclass(frozen=True)
class Scroll:
    """`until` something can be seen, or `times` over."""

    down: bool = True
    until: Target | None = None
    times: int = 1

    @property
    def words(self) -> str:
        way = "scroll down" if self.down else "scroll up"
        if self.until:
            return f"{way} until {self.until.words}"
        return f"{way} {self.times} times" if self.times > 1 else way


@dataclass(frozen=True)
class Await:
    target: Target

    @property
    def words(self) -> str:
        return f"wait for {self.target.words}"


@dataclass(frozen=True)
class Check:
    text: str
    shown: bool = True

    @property
    def words(self) -> str:
        is_so = 'check that "{}" is shown' if self.shown else 'check that "{}" is not shown'
        return is_so.format(self.text)


@dataclass(frozen=True)
class Clear:
    into: Target | None = None

    @property
    def words(self) -> str:
        return f"clear {self.into.words if self.into else 'the field'}"


@dataclass(frozen=True)
class Drag:
    start: Target
    end: Target

    @property
    def words(self) -> str:
        return f"drag {self.start.words} to {self.end.words}"


@dataclass(frozen=True)
class Rest:
    seconds: float

    @property
    def words(self) -> str:
        return f"wait {self.seconds:g} s"


@dataclass(frozen=True)
class Goal:
    """A goal of `recipes.py` and what it is about."""

    name: str
    values: tuple[str, ...]
    words: str


Instruction = Click | Write | Visit | Press | Scroll | Await | Check | Clear | Drag | Rest | Goal


def picked(
    instruction: Instruction, pick: int | Literal["left", "right", "top", "bottom"]
) -> Instruction:
    """The same with the one meant among equal targets."""
    if isinstance(instruction, Click):
        return replace(instruction, target=replace(instruction.target, pick=pick))
    if isinstance(instruction, (Write, Clear)) and instruction.into:
        return replace(instruction, into=replace(instruction.into, pick=pick))
    return instruction
