"""The data of a step: screenshot, reply, actions, outcome; and of a task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .actions import Action, Area, Ask, Done, Fail, Point

Role = Literal["system", "user", "assistant"]
PERSON_PREFIX = "The person says: "
"""Before what a person said, in a message to the model."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the screen as the KVM sent it.

    `jpeg` is untouched unless a smaller one was asked for; `width` and `height` are pixels,
    `seq` counts frames since the program started, `at` is `time.monotonic()` at its arrival.
    `moving_areas` are the places that still moved when it was taken; none: the screen was stable.
    An empty `jpeg` was dropped from the history.
    """

    jpeg: bytes = field(repr=False)
    width: int
    height: int
    seq: int
    at: float
    moving_areas: tuple[Area, ...] = ()
    area: Area | None = None
    """The part of the screen that it shows; None: all of it."""
    name: str = ""
    """Of an image file that the person attached; "": it is a screenshot."""

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a request; the provider converts the frames into its own image parts.

    Only messages of the assistant contain a `ToolCall`; the next message is its result.
    """

    role: Role
    parts: tuple[str | Frame | ToolCall, ...]

    @property
    def screenshots(self) -> list[Frame]:
        return [part for part in self.parts if isinstance(part, Frame) and not part.name]

    @property
    def calls(self) -> list[ToolCall]:
        return [part for part in self.parts if isinstance(part, ToolCall)]

    @property
    def texts_and_calls(self) -> list[str | ToolCall]:
        return [part for part in self.parts if not isinstance(part, Frame)]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function call that the server has already separated from the model's text."""

    name: str
    arguments: dict[str, object]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said. Token counts are 0 where the server does not tell.

    `seconds` until it was whole, `first` until its first piece (0: not known). `parsed`: what it
    means, where the model knows that better than its dialect. `is_scripted`: no model was asked, so
    that it is no round, and no model is asked whether it is done.
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
    parsed: ParsedReply | None = None
    is_scripted: bool = False


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The model's words, and its actions in order. `notes` are kept when the history is cut."""

    thought: str
    actions: tuple[Action, ...]
    notes: tuple[str, ...] = ()
    caution: str = ""
    """What the model's provider wants the person to confirm before anything is executed."""
    label: str = ""
    """The text on the target of its click, if the model read it itself."""


@dataclass(frozen=True, slots=True)
class ScreenChange:
    """What a step changed on the screen; the largest area first."""

    kind: Literal["resized", "unchanged", "by_itself", "pointer", "clock", "changed"]
    areas: tuple[Area, ...]
    words: str

    @property
    def is_response(self) -> bool:
        """Whether it may be the computer's response to the actions."""
        return self.kind in ("resized", "changed")


OutcomeKind = Literal[
    "executed",
    "ended",
    "user_spoke",
    "not_understood",
    "not_possible",
    "refused",
    "failed",
    "stale",
    "target_changed",
    "repeated",
    "unproven",
    "objected",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a reply: `kind` for code, `message` for the model and people."""

    kind: OutcomeKind
    message: str

    @property
    def ok(self) -> bool:
        return self.kind in ("executed", "ended")

    @property
    def is_handed_back(self) -> bool:
        """Whether a claim to be done was rejected."""
        return self.kind in ("unproven", "objected")


@dataclass(slots=True)
class Step:
    """A screenshot, the reply to it and its outcome.

    It joins the history before any action starts. After an interruption `outcome` is None, and
    `actions_started` counts the actions that were started.
    """

    number: int
    feedback: str
    """The text that the model gets with the screenshot."""
    frame: Frame
    reply: Reply | None = None
    parsed: ParsedReply = ParsedReply("", ())
    """Without actions as long as the reply was not understood."""
    actions_started: int = 0
    progress: str = ""
    """How far the action that was started last got."""
    allowed: Action | None = None
    """The last of its actions that the person was asked about and approved."""
    label: str = ""
    """The text that was read on the target of its last action; "" if none was read."""
    outcome: Outcome | None = None
    zoomed: Frame | None = None
    """The part of the screen that the reply before it wanted to see enlarged."""
    before: Frame | None = None
    """The screen just before the first action; it may have changed since `frame`."""
    change: ScreenChange | None = None
    """Known with the next screenshot."""
    notes: tuple[str, ...] = ()
    """Notes of the reply, kept when the step leaves the history."""
    user_words: tuple[str, ...] = ()
    """What the person says in `feedback`."""
    interrupted: bool = False
    """Whether the step before it, or an earlier try of this one, was interrupted."""
    references: tuple[Frame, ...] = ()
    """The images that the person attached to it."""

    @property
    def started_actions(self) -> tuple[Action, ...]:
        return self.parsed.actions[: self.actions_started]

    @property
    def screenshots(self) -> int:
        """The number of screenshots that the model got with it."""
        return 2 if self.zoomed else 1


@dataclass(frozen=True, slots=True)
class OutOfBudget:
    """A limit was reached, such as "20 model replies (MAX_ROUNDS)". `summary`: the last words."""

    limit: str
    summary: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action must not be executed; `message` says why."""

    message: str


@dataclass(frozen=True, slots=True)
class ApprovalTimeout:
    """A question about an action was not answered in time."""

    message: str


Ending = Done | Fail | Ask | OutOfBudget | ApprovalTimeout
"""How a run ends by itself."""


@dataclass(slots=True)
class Dropped:
    """Kept of the steps that were dropped from a task's history."""

    steps: int = 0
    screenshots: int = 0
    size: tuple[int, int] | None = None
    """Width and height of the task's first screenshot."""
    notes: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    references: list[Frame] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """The items of a task's plan in words; it is followed once the person has approved it."""

    items: tuple[str, ...] = ()
    approved: bool = False
    current: int = 0
    """The number of the item that the model works on; 0: it has named none yet."""


@dataclass(slots=True)
class RunState:
    """Counters of the runs that work on a task."""

    first_step: int = 0
    """Index of the first step since the person last had a say."""
    rounds: int = 0
    """Replies of a model."""
    tokens_in: int = 0
    tokens_out: int = 0
    format_errors: int = 0
    """Replies in a row that could not be parsed."""
    max_images: int = 1000
    """Images that a request may have, as far as the server has reported."""

    def count_tokens(self, reply: Reply) -> None:
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out


@dataclass(slots=True)
class Task:
    """The person's goal, and the steps so far. The session owns it."""

    goal: str
    steps: list[Step] = field(default_factory=list)
    inbox: list[str] = field(default_factory=list)
    """The person's messages that go with the next screenshot."""
    references: list[Frame] = field(default_factory=list)
    """The images that the person attached to the goal."""
    inbox_references: list[Frame] = field(default_factory=list)
    """The images that the person attached to the inbox."""
    by_hand: str = ""
    """What the person did by hand meanwhile; goes with them."""
    omitted_steps: int = 0
    """The number of `steps`, from the first one, that requests leave out as too long."""
    dropped: Dropped = field(default_factory=Dropped)
    run: RunState = field(default_factory=RunState)
    plan: Plan | None = None
    pointers: tuple[Point, ...] = ()
    """Where the pointer was last before the task, as far as is known."""

    @property
    def all_references(self) -> list[Frame]:
        """Every image that the person attached; requests contain all of them."""
        later = (frame for step in self.steps for frame in step.references)
        return [*self.references, *self.dropped.references, *later]

    @property
    def steps_since_user(self) -> list[Step]:
        """The steps since the person last had a say."""
        return self.steps[self.run.first_step :]
