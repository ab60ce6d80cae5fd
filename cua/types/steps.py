"""What flows through a step: the look, the reply, what it means and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .actions import Action, Area, Ask, Done, Fail

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the screen as the KVM sent it.

    `jpeg` is untouched unless a smaller one was asked for; `width` and `height` are pixels,
    `seq` counts frames since the program started, `at` is `time.monotonic()` at its arrival.
    `restless` are the places that still moved when it was taken; none: the screen was at rest.
    """

    jpeg: bytes = field(repr=False)
    width: int
    height: int
    seq: int
    at: float
    restless: tuple[Area, ...] = ()
    area: Area | None = None
    """The part of the screen that it shows; None: all of it."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat; the provider turns its frames into its own image parts.

    A `ToolCall` stands only in what the assistant said; the next turn is what came of it.
    """

    role: Role
    parts: tuple[str | Frame | ToolCall, ...]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function call that the server has already taken out of the model's text."""

    name: str
    arguments: dict[str, object]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said. Token counts are 0 where the server does not tell.

    `seconds` until it was whole, `first` until its first piece (0: not known).
    """

    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    seconds: float = 0.0
    first: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply as its dialect understands it: the model's words, then its actions in order.

    `notes`: what it wants to keep when the history becomes too long.
    """

    thought: str
    actions: tuple[Action, ...]
    notes: tuple[str, ...] = ()
    caution: str = ""
    """What the model's maker wants a person to confirm before any of it is done."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a step changed on the screen: the places, the largest first, and in words.

    `none`: nothing that could be an answer of the computer.
    """

    areas: tuple[Area, ...]
    words: str
    none: bool


@dataclass(slots=True)
class Step:
    """One look, one reply and what came of it. `outcome` is told to the model with the next look.

    It stands in the history before anything is done, so that an interruption finds it there: then
    `outcome` is still empty, and `begun` counts the actions that were begun.
    """

    number: int
    told: str
    frame: Frame
    reply: Reply | None = None
    turn: Turn | None = None
    begun: int = 0
    progress: str = ""
    """How far the action got that was begun last; the hands may have done other things since."""
    allowed: Action | None = None
    """The last of its actions that the person was asked about and said yes to."""
    outcome: str = ""
    closer: Frame | None = None
    """A part of the screen that the model wanted to see enlarged."""
    before: Frame | None = None
    """The screen just before the first action; while the model thought it may have changed."""
    effect: Effect | None = None
    """Known with the look after it."""

    @property
    def done(self) -> tuple[Action, ...]:
        """The actions that were begun."""
        return self.turn.actions[: self.begun] if self.turn else ()


@dataclass(frozen=True, slots=True)
class OutOfBudget:
    """The model did not come to an end within a limit, such as "20 rounds (MAX_ROUNDS)".

    `summary`: what it said last of what is done and what is not.
    """

    limit: str
    summary: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action is not to be carried out; `told` says why, to the model."""

    told: str


@dataclass(frozen=True, slots=True)
class Lapsed:
    """Nobody answered whether an action may be carried out."""

    told: str


Ending = Done | Fail | Ask | OutOfBudget | Lapsed
"""How a run ends by itself."""


@dataclass(slots=True)
class Task:
    """What the person wants, and all that has happened for it. Belongs to the session."""

    goal: str
    steps: list[Step] = field(default_factory=list)
    inbox: list[str] = field(default_factory=list)
    """Words for the model that go with the next screenshot."""
    by_hand: str = ""
    """What the person did at the controls meanwhile; goes with them."""
    stretch: int = 0
    """How many of the steps were over when the person last had a say."""
    read: int = 0
    """Tokens that models have read for it, and written."""
    written: int = 0
    misread: int = 0
    """Replies in a row that could not be understood."""
    forgotten: int = 0
    """Steps that are no longer told, because the model's server cannot take that much."""
    most_images: int = 1000
    """How many screenshots the model's server takes at most, as far as it has told."""
