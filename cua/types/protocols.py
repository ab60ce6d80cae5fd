"""The protocols by which the loop knows the rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from .actions import Area, Button, Deed, Point
from .steps import Frame, Lapsed, Message, Refusal, Reply, Step, Task, Turn


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

    async def pull(self, button: Button, way: AsyncIterator[Point]) -> None:
        """Hold a button from the first place of `way` to its last; then, and on every way out, it
        is up. Asks for the next place when it is at the last one; what is said of the same place
        again renews the hold, which has to happen every tenth of a second.

        Raises `DeviceError`, and what `way` raises.
        """


class Gate(Protocol):
    async def admit(self, step: Step, action: Deed) -> Refusal | Lapsed | None:
        """Waits for the person where the action has to be asked about; None: carry it out."""
