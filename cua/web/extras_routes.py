"""Routes that list the optional packages and install them while the service runs."""

from __future__ import annotations

from typing import Any, Protocol

from fastapi import FastAPI, HTTPException

from ..extras import MODULES
from ..messages import Message


class Extras(Protocol):
    def offers(self) -> dict[str, dict[str, Any]]:
        """By extra: sizes in bytes, whether it is installed, and the state of its installation."""

    def start(self, extra: str) -> None:
        """Start its installation, unless it is already running."""


def add(app: FastAPI, extras: Extras, holder: Any) -> None:
    """Add the routes. `holder`: dependency that admits the page that holds the session."""

    @app.get("/api/extras", dependencies=[holder])
    def offers() -> dict[str, dict[str, Any]]:
        return extras.offers()

    @app.post("/api/extras/{extra}", dependencies=[holder])
    def install(extra: str) -> dict[str, dict[str, Any]]:
        if extra not in MODULES:
            raise HTTPException(404, Message("session.no_such_extra"))
        extras.start(extra)
        return extras.offers()
