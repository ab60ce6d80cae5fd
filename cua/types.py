"""The vocabulary that every room speaks, and the protocols by which the rooms know each other.

Places on the screen are fractions of its width and height, 0..1 from the top left. A dialect
converts its own coordinates once on the way in, `hid.strokes` converts once on the way out; nothing
between can have a scaling bug.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

Button = Literal["left", "right", "middle"]
Role = Literal["system", "user", "assistant"]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


# --- errors: the only exceptions that cross rooms; each message says what to do next -------------


class CuaError(Exception):
    """Something that is shown to the person in words."""


class FormatError(CuaError):
    """The model's reply cannot be understood; the text teaches the model its format."""


class ActionError(CuaError):
    """The action cannot be carried out as asked (a key that does not exist); told to the model."""


class ModelError(CuaError):
    """The model server failed or refused."""


class ModelLimit(ModelError):
    """The request was too large for the server; `max_images` where it says how many it takes."""

    def __init__(self, message: str, max_images: int | None = None) -> None:
        super().__init__(message)
        self.max_images = max_images


class ScreenError(CuaError):
    """There is no usable picture of the screen."""


class NoSignal(ScreenError):
    """The computer sends no picture: it is off or asleep, or its cable is out."""


class DeviceError(CuaError):
    """The keyboard and mouse endpoints do not take reports."""


class Busy(CuaError):
    """The command does not fit what is going on now."""


# --- actions -------------------------------------------------------------------------------------


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Point(_Frozen):
    """A place on the screen, in fractions of its width and height."""

    x: Fraction
    y: Fraction


class Area(_Frozen):
    """A part of the screen, in fractions of its width and height."""

    left: Fraction
    top: Fraction
    right: Fraction
    bottom: Fraction


class Move(_Frozen):
    kind: Literal["move"] = "move"
    at: Point


class Click(_Frozen):
    """`at` None: where the pointer is. `keys`: modifiers held meanwhile."""

    kind: Literal["click"] = "click"
    at: Point | None = None
    button: Button = "left"
    count: int = Field(default=1, ge=1, le=3)
    keys: tuple[str, ...] = ()


class Drag(_Frozen):
    """Press at the first point, move through the others, let go at the last.

    A path of one point starts where the pointer is.
    """

    kind: Literal["drag"] = "drag"
    path: tuple[Point, ...] = Field(min_length=1, max_length=100)
    button: Button = "left"


class Scroll(_Frozen):
    """Wheel notches; `dy` > 0 shows what is further down, `dx` > 0 what is further right."""

    kind: Literal["scroll"] = "scroll"
    at: Point | None = None
    dx: int = Field(default=0, ge=-100, le=100)
    dy: int = Field(default=0, ge=-100, le=100)


class Type(_Frozen):
    """Text to type as it is; a newline is Enter, a tab is Tab."""

    kind: Literal["type"] = "type"
    text: str = Field(min_length=1, max_length=10_000)


class Keypress(_Frozen):
    """Keys pressed together, `count` times over; names are those of `hid.keymap`."""

    kind: Literal["keypress"] = "keypress"
    keys: tuple[str, ...] = Field(min_length=1, max_length=8)
    count: int = Field(default=1, ge=1, le=200)


class Wait(_Frozen):
    kind: Literal["wait"] = "wait"
    seconds: float = Field(ge=0, le=60, allow_inf_nan=False)


Press = Literal["power", "hold_power", "reset"]
"""A button of the computer's case: a short press, one of several seconds, and the reset."""


class Power(_Frozen):
    """Press a button of the computer's case. Never carried out without a person's yes."""

    kind: Literal["power"] = "power"
    button: Press


class Zoom(_Frozen):
    """Look closer at a part of the screen; nothing is touched."""

    kind: Literal["zoom"] = "zoom"
    area: Area


class Done(_Frozen):
    """The model says that the task is done; `answer` is what it wants to tell the person."""

    kind: Literal["done"] = "done"
    answer: str = ""


class Fail(_Frozen):
    """The model says that the task cannot be done."""

    kind: Literal["fail"] = "fail"
    reason: str = ""


class Ask(_Frozen):
    """The model wants to know something from the person."""

    kind: Literal["ask"] = "ask"
    question: str


Manual = Move | Click | Drag | Scroll | Type | Keypress | Wait
"""What hands can do."""
Deed = Manual | Power
"""What is done to the computer."""
Action = Annotated[Deed | Zoom | Done | Fail | Ask, Field(discriminator="kind")]
"""All that a model can say to do."""


# --- what flows through a step -------------------------------------------------------------------


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


# --- the protocols by which the loop knows the rooms ----------------------------------------------


class Screen(Protocol):
    async def still(self, since: float, quiet: float, patience: float) -> Frame:
        """A frame that arrived after `since` (monotonic) of a screen unchanged for `quiet` seconds.

        A screen that never rests is waited for until `patience` seconds after `since`; then its
        newest frame has to do, which says where it moves. With 0 nobody looks whether it rests.
        Raises `ScreenError` when no fresh frame comes, `NoSignal` where the computer sends none.
        """

    async def closer(self, area: Area) -> Frame:
        """A part of the screen that `still` has returned last, enlarged as far as that helps."""


class Model(Protocol):
    async def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """One request. Cancelling it ends the request on the wire. Raises `ModelError`.

        `schema`: JSON schema that the reply should fit, where the server can see to it.
        """

    async def aclose(self) -> None:
        """Give back connections and processes."""


class Dialect(Protocol):
    """One model family: pure text in, text out."""

    name: str
    schema: dict[str, Any] | None
    """JSON schema of a whole reply, for servers that can hold a model to it."""
    sampling: Mapping[str, float]
    """What the family recommends, as request fields."""

    def image_size(self, width: int, height: int) -> tuple[int, int]:
        """The size in pixels in which a screenshot of this size has to be sent."""

    def messages(self, prompt: str, task: Task, keep: int) -> list[Message]:
        """The whole request; the last step of `task` is the one that waits for its reply.

        `prompt` is the system prompt, `keep` how many screenshots may be sent at most.
        """

    def parse(self, reply: Reply, sent: tuple[int, int]) -> Turn:
        """`sent` is width and height in pixels of the screenshot that the reply answers.

        Raises `FormatError`; never anything else.
        """


class Hands(Protocol):
    @property
    def touched(self) -> float:
        """`time.monotonic()` of the last report."""

    @property
    def progress(self) -> str:
        """How far the last action got, in words, for the case that it was interrupted."""

    def check(self, action: Deed) -> None:
        """Raises `ActionError` if the action cannot be carried out."""

    async def perform(self, action: Deed) -> None:
        """Carry out one action; on every way out all keys and buttons are up.

        Raises `ActionError` before the first report, `DeviceError` when reports are not taken.
        """


class Gate(Protocol):
    async def admit(self, step: Step, action: Deed) -> Refusal | Lapsed | None:
        """Waits for the person where the action has to be asked about; None: carry it out."""
