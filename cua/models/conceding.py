"""Going on in another way where a server refuses the first: models differ in what they take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from cua.types import ModelError, Reply


async def conceding(
    ask: Callable[[], Awaitable[Reply]], concede: Callable[[ModelError], bool]
) -> Reply:
    """`concede` tells whether there is another way, and has taken it when it says so."""
    while True:
        try:
            return await ask()
        except ModelError as error:
            if not concede(error):
                raise
