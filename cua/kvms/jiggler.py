"""A KVM's mouse jiggler: it moves the pointer every few seconds, in the middle of a drag too."""

from __future__ import annotations

from collections.abc import Callable

from ..messages import Message


class Jiggler:
    """State of the jiggler; calls `say` each time that it is switched on."""

    def __init__(self, say: Callable[[str, str], None]) -> None:
        self._say = say
        self._on = False

    def update(self, kvm: str, on: object) -> None:
        """Take the state that a KVM reports; anything but a bool is ignored."""
        if isinstance(on, bool) and on is not self._on:
            self._on = on
            if on:
                self._say("warning", Message("kvm.jiggler", kvm=kvm))
