"""The current model client."""

from __future__ import annotations

import asyncio

from ..events.log import EventLog
from ..screen.ocr.client import OcrClient
from ..settings import Settings
from ..types import Dialect, Model
from . import factory


class ModelCache:
    """Keeps one model client, with its connections, until another model is chosen.

    `ocr`: for the Local operator.
    """

    def __init__(self, log: EventLog, ocr: OcrClient) -> None:
        self._log, self._ocr = log, ocr
        self._model: tuple[tuple[str, ...], Model] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def get(self, values: Settings, dialect: Dialect) -> Model:
        """Return the client of the chosen model. Only one task at a time may use it."""
        choice = factory.model_key(values)
        if self._model is None or self._model[0] != choice:
            self.discard()
            self._model = (choice, factory.create_model(values, dialect, self._log, self._ocr))
        return self._model[1]

    def discard(self) -> None:
        """Close the client in the background. No task may be using it."""
        if self._model is not None:
            closing = asyncio.ensure_future(self._model[1].aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            self._model = None

    async def aclose(self) -> None:
        self.discard()
        if self._closing:
            await asyncio.wait(self._closing)
