"""The interfaces of the agent's loop to other packages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Protocol

from .actions import Area, Button, InputAction, Point
from .steps import ApprovalTimeout, ChatMessage, Frame, ParsedReply, Refusal, Reply, Step, Task

Schema = Mapping[str, Any] | None
"""The JSON schema of a whole reply, for servers that can enforce it; None: there is none."""
SentSize = Callable[[int, int], tuple[int, int]]
"""Width and height in pixels of a screenshot -> the size in which it is sent to the model."""


class Screen(Protocol):
    async def take_screenshot(self, since: float, stable_s: float, timeout_s: float) -> Frame:
        """Return a frame from after `since` (monotonic), unchanged for `stable_s` seconds.

        If the screen keeps changing, returns the newest frame with its `moving_areas` `timeout_s`
        seconds after `since`; 0: do not wait for a stable screen.
        Raises `ScreenError` when no fresh frame comes, `NoSignal` if the computer sends none.
        """

    async def zoom(self, area: Area) -> Frame:
        """Return a part of the last screenshot, enlarged at most to the size of the whole."""


class Model(Protocol):
    async def begin(self, task: Task) -> None:
        """Set the task of the next requests; import the packages that `complete` needs."""

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
        """Return the size in pixels to which a screenshot of this size is scaled for the model."""

    def messages(self, prompt: str, task: Task, keep: int) -> list[ChatMessage]:
        """Return the whole request; the last step of `task` has no reply yet.

        `prompt` is the system prompt, `keep` the maximum number of screenshots.
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
        """The part of the last action that was carried out, in words."""

    def check(self, action: InputAction) -> None:
        """Raise `ActionError` if the action cannot be executed."""

    async def perform(self, action: InputAction) -> None:
        """Execute one action, then release all keys and buttons, also after an error or a cancel.

        Raises `ActionError` before the first report, `DeviceError` if reports are not accepted.
        """

    async def hold_button(self, button: Button, path: AsyncIterator[Point]) -> None:
        """Press a button while the pointer follows `path`, then release it in every case.

        Requests the next place once the pointer is there. The button is released after 0.25 s
        without a place, which may be the same again. Raises `DeviceError` and errors of `path`.
        """


class ApprovalGate(Protocol):
    @property
    def waited_s(self) -> float:
        """Seconds that questions to the person have been open so far."""

    async def admit(self, step: Step, action: InputAction) -> Refusal | ApprovalTimeout | None:
        """Wait for the person's answer if the action needs approval. None: execute the action."""
