"""Routes of manual control and of pasting; positions are fractions of the screen."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Header

from ..agent.manual_control import ManualControl
from ..messages import to_json
from ..types import Button, InputAction, Point, Type

OneAction = Annotated[InputAction, Body(embed=True, discriminator="kind")]
TurnNumber = Annotated[int, Body()]
"""The number that `/api/take-over` returned, 0 without one; a stop invalidates it."""
Page = Annotated[str, Header(alias="X-CUA-Page", max_length=40)]
"""The ID of the page that sends the request, so that events can name it."""
MAX_PASTE_CHARS = 10_000


def add(app: APIRouter, manual_control: ManualControl) -> None:
    @app.post("/api/take-over")
    async def take_over(
        stays: Annotated[bool, Body(embed=True)] = False, page: Page = ""
    ) -> dict[str, int]:
        """Return when the agent has paused; a stopped one stays stopped.

        `stays`: the page is in control until it hands back, and not for one action.
        """
        return {"turn": await manual_control.take_over(page if stays else "")}

    @app.post("/api/hand-back")
    async def hand_back(page: Page = "") -> dict[str, int]:
        """Wait for the page's last action; return the number of characters and actions by hand."""
        return {"done": manual_control.hand_back(page)}

    @app.post("/api/manual-action")
    async def perform(action: OneAction, turn: TurnNumber = 0) -> None:
        await manual_control.perform(action, turn)

    @app.post("/api/hold-button")
    async def hold_button(
        at: Point, button: Annotated[Button, Body()], turn: TurnNumber = 0
    ) -> dict[str, int]:
        """Press a button for as long as the page sends the finger's position."""
        return {"hold": await manual_control.press_button(at, button, turn)}

    @app.post("/api/hold-button/move")
    async def move_held(
        hold: Annotated[int, Body()], at: Point, over: Annotated[bool, Body()] = False
    ) -> None:
        await manual_control.move_held(hold, at, release=over)

    @app.post("/api/paste/begin")
    async def begin() -> dict[str, int]:
        return {"turn": await manual_control.begin_paste()}

    @app.post("/api/paste")
    async def type_text(
        text: Annotated[str, Body(min_length=1, max_length=MAX_PASTE_CHARS)],
        turn: TurnNumber = 0,
        skip_missing: Annotated[bool, Body()] = False,
        confirmed: Annotated[str, Body(max_length=64)] = "",
    ) -> dict[str, Any]:
        """Type a text, or return what the person has to decide first."""
        pasted = await manual_control.paste(
            Type(text=text), turn, skip_missing=skip_missing, confirmed=confirmed
        )
        found: dict[str, Any] = to_json(vars(pasted))
        return found
