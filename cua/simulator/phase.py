"""What shows on the screen at one time: firmware, the desktop, or nothing more."""

from __future__ import annotations

from typing import Any

from .paint import Painter
from .usbhost import Event


class Phase:
    """`name` is the phase in /state; `pointer` says whether a mouse cursor is drawn."""

    name = ""
    pointer = False

    def handle(self, event: Event) -> bool:
        """Return whether it has to be drawn again."""
        raise NotImplementedError

    def hovered(self, x: int, y: int) -> object:
        """Return what the pointer is on; it is drawn again when that changes."""
        del x, y
        return None

    def draw(self, p: Painter) -> None:
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """Return the state of what is shown, for checkers."""
        return {}
