"""The data of a task and its steps: screenshot, reply, actions, outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .actions import Action, Area, Ask, Done, Fail, Point
from .errors import ModelError

Role = Literal["system", "user", "assistant"]
PERSON_PREFIX = "The person says: "
"""Prefix of a person's words in a message to the model."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the screen as the KVM sent it.

    `jpeg` is as received unless a smaller one was requested; `width` and `height` are pixels,
    `seq` counts frames since the program started, `at` is `time.monotonic()` at its arrival.
    `moving_areas` still changed when it was taken; empty: the screen was stable.
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
    """The name of an image file that the person attached; "" for a screenshot."""

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
    """A model's reply. Token counts are 0 where the server does not report them.

    `seconds` until the whole reply, `first` until its first piece (0: unknown). `parsed`: the
    parsed reply, where the model's client provides it. `is_scripted`: no model was asked, so
    it does not count as a round, and no model verifies that the task is done.
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
    """The provider's question that the person must confirm before anything is executed."""
    label: str = ""
    """The text on the target of its click, if the model read it itself."""
    awaits: bool = False
    """Whether it only waits until it looks again; `thought` says for what."""
    plan_item: int = 0
    """The number of the plan's item that it names; 0: none."""


@dataclass(frozen=True, slots=True)
class ScreenChange:
    """The changes of the screen after a step's actions; the largest area first."""

    kind: Literal["resized", "unchanged", "by_itself", "pointer", "moved", "clock", "changed"]
    areas: tuple[Area, ...]
    words: str

    @property
    def is_response(self) -> bool:
        """Whether the change may be the computer's response to the actions."""
        return self.kind in ("resized", "changed")

    @property
    def is_without_effect(self) -> bool:
        """Whether the actions seem to have done nothing; a move of the pointer has moved it."""
        return not self.is_response and self.kind != "moved"


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
    """The result of a reply: `kind` for code, `message` for the model and people, `setting` for
    what fixes it, if a setting does. `reason`: the person's, if they refused it with one.
    """

    kind: OutcomeKind
    message: str
    setting: str = ""
    reason: str = ""

    @property
    def ok(self) -> bool:
        return self.kind in ("executed", "ended", "user_spoke")

    @property
    def is_handed_back(self) -> bool:
        """Whether the model's *done* was rejected."""
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
    """The parsed reply; it has no actions before the reply is understood."""
    actions_started: int = 0
    progress: str = ""
    """The part of the last started action that was carried out, in words."""
    allowed: Action | None = None
    """The last of its actions that the person approved when asked."""
    label: str = ""
    """The text on the target of its last action; "" if none was recognised."""
    outcome: Outcome | None = None
    zoomed: Frame | None = None
    """The enlarged part of the screen that the previous reply asked for."""
    before: Frame | None = None
    """The screen just before the first action; it may have changed since `frame`."""
    change: ScreenChange | None = None
    """The change of the screen; None until the next screenshot."""
    notes: tuple[str, ...] = ()
    """Notes of the reply, kept when the step leaves the history."""
    user_words: tuple[str, ...] = ()
    """The person's messages in `feedback`."""
    interrupted: bool = False
    """Whether the run was interrupted in the previous step or after it."""
    by_hand: bool = False
    """Whether the person used the keyboard or mouse since the previous step."""
    references: tuple[Frame, ...] = ()
    """The images that the person attached to the step's messages."""

    @property
    def started_actions(self) -> tuple[Action, ...]:
        return self.parsed.actions[: self.actions_started]

    @property
    def is_refused(self) -> bool:
        """Whether one of its actions was refused."""
        return self.outcome is not None and self.outcome.kind == "refused"

    @property
    def screenshots(self) -> int:
        """The number of screenshots that the model got with the step."""
        return 2 if self.zoomed else 1


@dataclass(frozen=True, slots=True)
class OutOfBudget:
    """A reached limit, such as "20 model replies (MAX_ROUNDS)"; `summary`: last words, outcome."""

    limit: str
    summary: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action must not be executed; `message` says why, with the person's `reason`, if any."""

    message: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalTimeout:
    """A question about an action was not answered in time."""

    message: str


Ending = Done | Fail | Ask | OutOfBudget | ApprovalTimeout
"""The result of a run that was not stopped."""


@dataclass(slots=True)
class Dropped:
    """Counts, notes, messages and images of the steps that were dropped from the history."""

    steps: int = 0
    screenshots: int = 0
    size: tuple[int, int] | None = None
    """Width and height of the task's first screenshot."""
    notes: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    references: list[Frame] = field(default_factory=list)
    leaves_out: bool = False
    """See `Task.leaves_out`."""


@dataclass(slots=True)
class Plan:
    """The items of a task's plan in words; used once the person has approved it."""

    items: tuple[str, ...] = ()
    approved: bool = False
    proposal: int = 0
    """The number of the event that asks the person to approve them; 0: none does."""
    current: int = 0
    """The number of the item that the model works on, from 1; 0: it has named none yet."""


@dataclass(slots=True)
class RunState:
    """Counters of a run, which begin anew with the next run of the task."""

    first_step: int = 0
    """Index of the first step since the run began or the person's last message."""
    format_errors: int = 0
    """The number of successive replies that could not be parsed."""


@dataclass(slots=True)
class Usage:
    """What a task has used of its budget; after a reached limit a resume grants another one."""

    is_renewed: bool = False
    """Whether an earlier one is used up."""
    is_unmeasured: bool = False
    """Whether the person knows that a limit cannot be measured."""
    is_warned: bool = False
    """Whether the model knows that a limit is near."""
    rounds: int = 0
    """The number of model replies."""
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0

    def count_tokens(self, answer: Reply | ModelError) -> None:
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out


@dataclass(slots=True)
class Task:
    """The person's goal, and the steps so far. The session owns it."""

    goal: str
    steps: list[Step] = field(default_factory=list)
    inbox: list[str] = field(default_factory=list)
    """The person's messages that are sent with the next screenshot."""
    references: list[Frame] = field(default_factory=list)
    """The images that the person attached to the goal."""
    inbox_references: list[Frame] = field(default_factory=list)
    """The images that the person attached to those messages."""
    by_hand: str = ""
    """The person's manual actions since the last step, in words; sent with the messages."""
    omitted_steps: int = 0
    """The number of first `steps` that requests leave out to stay within the limit."""
    dropped: Dropped = field(default_factory=Dropped)
    run: RunState = field(default_factory=RunState)
    used: Usage = field(default_factory=Usage)
    max_images: int = 1000
    """Maximum number of images in a request; the server may report a lower one."""
    plan: Plan | None = None
    pointers: tuple[Point, ...] = ()
    """The last known places of the pointer before the task."""

    @property
    def all_references(self) -> list[Frame]:
        """Every image that the person attached; requests contain all of them."""
        later = (frame for step in self.steps for frame in step.references)
        return [*self.references, *self.dropped.references, *later]

    @property
    def leaves_out(self) -> bool:
        """Whether the person refused an action, and has allowed none since."""
        answered = (step for step in reversed(self.steps) if step.allowed or step.is_refused)
        return next((step.is_refused for step in answered), self.dropped.leaves_out)

    @property
    def needed_setting(self) -> str:
        """The setting that the step before the last one lacked; "" if it lacked none."""
        outcome = self.steps[-2].outcome if len(self.steps) > 1 else None
        return outcome.setting if outcome else ""

    @property
    def steps_since_user(self) -> list[Step]:
        """The steps since the run began or the person's last message."""
        return self.steps[self.run.first_step :]
