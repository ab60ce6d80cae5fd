"""The page's way to the helm: the person's own hands, in fractions of the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Body, FastAPI

from .helm import Helm
from .types import Button, Manual, Point

OneAction = Annotated[Manual, Body(embed=True, discriminator="kind")]
Turn = Annotated[int, Body()]
"""At the controls, as `/api/take-over` gave it: a stop ends it. Until the first one it is 0."""


def add(app: FastAPI, helm: Helm, holder: Any, check: Callable[[], None]) -> None:
    """`holder` is the dependency that lets in only the page that holds the session; `check` raises
    `Busy` where no key may go down, whoever presses it.
    """

    @app.post("/api/take-over", dependencies=[holder])
    async def take() -> dict[str, int]:
        """The agent has paused, or stays stopped, when this answers."""
        check()
        return {"turn": await helm.take()}

    @app.post("/api/hands", dependencies=[holder])
    async def act(action: OneAction, turn: Turn = 0) -> dict[str, str]:
        """One action of the person's own."""
        await helm.do(action, check, turn)
        return {}

    @app.post("/api/hold", dependencies=[holder])
    async def hold(at: Point, button: Annotated[Button, Body()], turn: Turn = 0) -> dict[str, int]:
        """A button goes down and stays so while the page says where the finger is."""
        return {"hold": await helm.hold(at, button, check, turn)}

    @app.post("/api/hold/on", dependencies=[holder])
    async def follow(
        hold: Annotated[int, Body()], at: Point, over: Annotated[bool, Body()] = False
    ) -> dict[str, str]:
        await helm.follow(hold, at, over=over, check=check)
        return {}
