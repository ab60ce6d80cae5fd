"""The page's way to the named secrets: they come in, and only their names go out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, FastAPI

from .types import Busy
from .vault import Vault


def add(app: FastAPI, vault: Vault, holder: Any) -> None:
    """`holder` is the dependency that lets in only the page that holds the session."""

    @app.get("/api/secrets", dependencies=[holder])
    async def secrets() -> dict[str, Any]:
        return {"secrets": vault.names()}

    @app.post("/api/secrets", dependencies=[holder])
    async def keep(
        name: Annotated[str, Body(max_length=60)],
        value: Annotated[str, Body(max_length=1000)],
        withhold: Annotated[bool, Body()] = False,
    ) -> dict[str, Any]:
        try:
            vault.keep(name, value, withhold=withhold)
        except ValueError as error:
            raise Busy(str(error)) from None
        return {"secrets": vault.names()}

    @app.post("/api/secrets/forget", dependencies=[holder])
    async def forget(name: Annotated[str, Body(embed=True, max_length=60)]) -> dict[str, Any]:
        vault.forget(name)
        return {"secrets": vault.names()}
