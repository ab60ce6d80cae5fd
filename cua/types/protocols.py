"""The protocols by which the loop knows the rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from .actions import Area, Button, InputAction, Point
from .steps import ApprovalTimeout, ChatMessage, Frame, ParsedReply, Refusal, Reply, Step, Task


class Screen(Protocol):
    async def take_screenshot(self, since: float, quiet_s: float, timeout_s: float) -> Frame:
        """Return a frame from after `since` (monotonic), unchanged for `quiet_s` seconds.

        While the screen keeps changing, waits until `timeout_s` seconds after `since`, then returns
        the newest frame with its `moving_areas`. 0: do not wait for the screen to stop changing.
        Raises `ScreenError` when no fresh frame comes, `NoSignal` if the computer sends none.
        """

    async def zoom(self, area: Area) -> Frame:
        """Return a part of the last screenshot, enlarged as far as that helps."""


class Model(Protocol):
    async def prepare(self) -> None:
        """Import and set up what `complete` needs, so that its request leaves at once."""

    async def complete(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None = None
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

    def messages(self, prompt: str, task: Task, keep: int) -> list[ChatMessage]:
        """The whole request; the last step of `task` is the one that waits for its reply.

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
        """How far the last action got, in words, for the case that it was interrupted."""

    def check(self, action: InputAction) -> None:
        """Raises `ActionError` if the action cannot be carried out."""

    async def perform(self, action: InputAction) -> None:
        """Carry out one action; on every way out all keys and buttons are up.

        Raises `ActionError` before the first report, `DeviceError` when reports are not taken.
        """

    async def hold_button(self, button: Button, way: AsyncIterator[Point]) -> None:
        """Hold a button down while the pointer follows `way`; release it on every way out.

        Asks for the next place on arrival. Repeating a place renews the hold, which is required
        every 0.1 s. Raises `DeviceError`, and what `way` raises.
        """


class Gate(Protocol):
    async def admit(self, step: Step, action: InputAction) -> Refusal | ApprovalTimeout | None:
        """Waits for the person where the action has to be asked about; None: carry it out."""
