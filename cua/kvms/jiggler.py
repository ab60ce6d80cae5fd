"""A KVM's mouse jiggler: it moves the pointer every few seconds, in the middle of a drag too."""

from __future__ import annotations

from collections.abc import Callable

ON = (
    "The mouse jiggler of {} is on: it moves the pointer while the agent uses it. Switch it off on "
    "the KVM's own page."
)


class Jiggler:
    """What a KVM tells of it; `say` is told each time that it turns out to be on."""

    def __init__(self, say: Callable[[str, str], None]) -> None:
        self._say = say
        self._on = False

    def told(self, name: str, on: object) -> None:
        """Anything but a yes or a no is no news."""
        if isinstance(on, bool) and on is not self._on:
            self._on = on
            if on:
                self._say("warning", ON.format(name))
