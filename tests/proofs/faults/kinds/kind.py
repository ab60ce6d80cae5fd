"""What a kind of fault consists of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from ..testbed import Testbed

InputAction = Callable[[Testbed], Awaitable[None] | None]
Setup = Callable[[Testbed], AbstractContextManager[None]]


def do_nothing(_: Testbed) -> None:
    pass


def set_up_nothing(_: Testbed) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True)
class Kind:
    """`lasts_s` None: until a request to the model has met it.

    `before_task`: it can be there when the task is sent. `setup` is entered before the service
    starts. `restarts`: the service has to be started again.
    """

    name: str
    begin: InputAction
    end: InputAction = do_nothing
    lasts_s: float | None = 1.0
    before_task: bool = True
    setup: Setup = set_up_nothing
    restarts: bool = False


async def perform(deed: InputAction, testbed: Testbed) -> None:
    done = deed(testbed)
    if done is not None:
        await done
