"""The base of all that the screen can show: firmware, the desktop, a notice."""

from __future__ import annotations

from typing import Any

from .paint import Painter
from .usbhost import Event


class Phase:
    """`name` is the phase in /state; `pointer` says whether a mouse cursor is drawn."""

    name = ""
    pointer = False

    def handle(self, _event: Event) -> bool:
        """Return whether the screen has to be drawn again."""
        return False

    def hovered(self, _x: int, _y: int) -> object:
        """Return what is at the pointer; the screen is drawn again when that changes."""
        return None

    def draw(self, p: Painter) -> None:
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """Return the state of what is shown, for checkers."""
        return {}
