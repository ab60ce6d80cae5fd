"""Routes of the named secrets: values come in, only names go out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, FastAPI

from ..safety.secrets import SecretStore
from ..types import Busy


def add(app: FastAPI, secret_store: SecretStore, holder: Any) -> None:
    """Add the routes. `holder`: dependency that admits the page that holds the session."""

    @app.get("/api/secrets", dependencies=[holder])
    async def secrets() -> dict[str, Any]:
        return {"secrets": secret_store.names()}

    @app.post("/api/secrets", dependencies=[holder])
    async def keep(
        name: Annotated[str, Body(max_length=60)],
        value: Annotated[str, Body(max_length=1000)],
        withhold: Annotated[bool, Body()] = False,
    ) -> dict[str, Any]:
        try:
            secret_store.keep(name, value, withhold=withhold)
        except ValueError as error:
            raise Busy(error.args[0]) from None
        return {"secrets": secret_store.names()}

    @app.post("/api/secrets/forget", dependencies=[holder])
    async def forget(name: Annotated[str, Body(embed=True, max_length=60)]) -> dict[str, Any]:
        secret_store.forget(name)
        return {"secrets": secret_store.names()}
