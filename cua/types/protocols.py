"""The interfaces between the loop and the other packages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Protocol

from .actions import Area, Button, InputAction, Point
from .steps import ApprovalTimeout, ChatMessage, Frame, ParsedReply, Refusal, Reply, Step, Task

Schema = Mapping[str, Any] | None
"""JSON schema of a whole reply, for servers that can enforce it."""
SentSize = Callable[[int, int], tuple[int, int]]
"""Width and height in pixels of a screenshot -> the size in which it is sent to the model."""


class Screen(Protocol):
    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        """Return a frame from after `since` (monotonic), unchanged for `stable_s` seconds.

        While the screen keeps changing, waits until `timeout_s` seconds after `since`, then returns
        the newest frame with its `moving_areas`. 0: do not wait for the screen to stop changing.
        Raises `ScreenError` when no fresh frame comes, `NoSignal` if the computer sends none.
        """

    async def zoom(self, area: Area) -> Frame:
        """Return a part of the last screenshot, enlarged as far as that helps."""


class Model(Protocol):
    async def begin(self, task: Task) -> None:
        """Take the task of the requests that follow, and import what `complete` needs for them."""

    async def complete(self, messages: Sequence[ChatMessage], schema: Schema = None) -> Reply:
        """Send one request; cancelling ends it on the wire. Raises `ModelError`."""

    async def aclose(self) -> None:
        """Close connections and end processes."""


class Dialect(Protocol):
    """One model family: pure text in, text out."""

    name: str
    schema: Schema
    sampling: Mapping[str, float]
    """Recommended sampling parameters, as request fields."""

    def sent_size(self, width: int, height: int) -> tuple[int, int]:
        """Return the size in pixels in which a screenshot of this size has to be sent."""

    def messages(self, prompt: str, task: Task, keep: int) -> list[ChatMessage]:
        """Return the whole request; the last step of `task` waits for its reply.

        `prompt` is the system prompt, `keep` how many screenshots may be sent at most.
        """

    def parse(self, reply: Reply, sent: tuple[int, int]) -> ParsedReply:
        """`sent` is width and height in pixels of the screenshot that the reply answers.

        Raises `FormatError`; never anything else.
        """


class Inputs(Protocol):
    @property
    def last_report_at(self) -> float:
        """`time.monotonic()` of the last report."""

    @property
    def progress(self) -> str:
        """How far the last action got, in words, in case it was interrupted."""

    def check(self, action: InputAction) -> None:
        """Raise `ActionError` if the action cannot be executed."""

    async def perform(self, action: InputAction) -> None:
        """Execute one action; on every way out all keys and buttons are released.

        Raises `ActionError` before the first report, `DeviceError` when reports are not taken.
        """

    async def hold_button(self, button: Button, path: AsyncIterator[Point]) -> None:
        """Hold a button down while the pointer follows `path`; release it on every way out.

        Asks for the next place on arrival. Repeating a place renews the hold, which lasts 0.25 s.
        Raises `DeviceError`, and what `path` raises.
        """


class ApprovalGate(Protocol):
    async def admit(self, step: Step, action: InputAction) -> Refusal | ApprovalTimeout | None:
        """Wait for the person if the action needs approval. None: execute it."""
