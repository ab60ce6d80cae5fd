"""Read the text around an action's target, for approval.

A model may say "I click OK" over a button that reads "Delete". OCR takes a process of 500 MB, so
this needs the packages of the Local operator and a setting; otherwise approval has only the model's
own words. A reading that exceeds its time limit is discarded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..extras import missing_modules
from ..screen.image import encode_jpeg
from ..timeouts import within
from ..types import (
    Area,
    Click,
    Drag,
    Frame,
    InputAction,
    Keypress,
    KvmAction,
    ModelError,
    Point,
    Type,
)
from .rules import NOTHING, ScreenEvidence, as_click, may_confirm

if TYPE_CHECKING:
    from ..screen.ocr.client import OcrClient

READ_TIMEOUT_S = 2.0
WIDTH, HEIGHT = 0.44, 0.44
"""Width and height of the part that is read, as proportions of the screen: most dialogs fit."""
MIDDLE = Point(x=0.5, y=0.5)
"""Usual place of dialogs that keys answer."""


class TargetText:
    """Reads text with `ocr` while `wanted()` is true."""

    def __init__(
        self, ocr: OcrClient, wanted: Callable[[], bool], timeout_s: float = READ_TIMEOUT_S
    ) -> None:
        self._ocr, self._wanted, self._timeout_s = ocr, wanted, timeout_s

    def start(self) -> None:
        """Start the OCR process ahead of the first click; closing the OCR ends it."""
        if not self._ocr.is_loaded and self._can_read():
            self._starting = asyncio.ensure_future(self._read(_blank_frame(), MIDDLE))

    async def read(self, frame: Frame, action: InputAction) -> ScreenEvidence:
        """Read around the action's target; empty if OCR is unavailable or too slow."""
        at = _find_target(action)
        if at is None or not self._can_read():
            return NOTHING
        try:
            async with within(self._timeout_s):
                found = await self._read(frame, at)
        except asyncio.TimeoutError:
            return NOTHING
        return found._replace(label="") if isinstance(action, (Keypress, Type)) else found

    async def stop_if_unused(self) -> None:
        """End the OCR process if it is no longer wanted; it takes 500 MB."""
        if not self._wanted():
            await self._ocr.stop()

    def _can_read(self) -> bool:
        return self._wanted() and not missing_modules("local")

    async def _read(self, frame: Frame, at: Point) -> ScreenEvidence:
        from ..screen.ocr.labels import find_label

        try:
            look = await self._ocr.read(frame, _around(at))
        except (ModelError, OSError):
            return NOTHING
        label = find_label(look, look.pixel((at.x, at.y)))
        return ScreenEvidence("\n".join(look.words()), label=label)


def _find_target(action: InputAction) -> Point | None:
    if isinstance(action, KvmAction):
        return None
    action = as_click(action)
    if isinstance(action, Drag):
        return action.path[-1]
    if isinstance(action, Click):
        return action.at if may_confirm(action) else None
    return MIDDLE if isinstance(action, Keypress) or may_confirm(action) else None


def _around(at: Point) -> Area:
    left = min(max(0.0, at.x - WIDTH / 2), 1 - WIDTH)
    top = min(max(0.0, at.y - HEIGHT * 0.65), 1 - HEIGHT)  # a question is above its buttons
    return Area(left=left, top=top, right=left + WIDTH, bottom=top + HEIGHT)


def _blank_frame() -> Frame:
    from PIL import Image

    return Frame(encode_jpeg(Image.new("RGB", (160, 90), "white"), 75), 160, 90, 0, 0.0)
