"""What a sequence of reports means to the USB host of the simulated computer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cua.simulator.usbhost import (
    MODIFIERS,
    Event,
    KeyDown,
    KeyUp,
    Moved,
    Pressed,
    Released,
    UsbHost,
)


@dataclass
class DecodedInput:
    """What a sequence of reports meant; `down` is what it left pressed.

    A modifier is among the `chords` only if nothing else was pressed while it was held.
    """

    text: str = ""
    chords: list[str] = field(default_factory=list)
    presses: list[Pressed] = field(default_factory=list)
    releases: list[Released] = field(default_factory=list)
    path: list[tuple[int, int]] = field(default_factory=list)
    wheel: int = 0
    down: list[str] = field(default_factory=list)
    _lone: str = ""


def decode(
    reports: Iterable[tuple[int, bytes]], size: tuple[int, int] = (1280, 720), gap: float = 0.001
) -> DecodedInput:
    """Reads (device, report) pairs that follow each other `gap` seconds apart."""
    host, decoded = UsbHost(*size), DecodedInput()
    for number, (device, data) in enumerate(reports):
        for event in host.report(device, data, number * gap):
            _record(decoded, event)
    decoded.text = "".join(host.typed)
    decoded.down = host.keyboard.held + host.pointer.held
    return decoded


def _record(decoded: DecodedInput, event: Event) -> None:
    if isinstance(event, KeyDown):
        _record_key(decoded, event)
    elif isinstance(event, KeyUp):
        decoded.chords += [decoded._lone] if event.key in MODIFIERS and decoded._lone else []
        decoded._lone = ""
    elif isinstance(event, Pressed):
        decoded.presses.append(event)
    elif isinstance(event, Released):
        decoded.releases.append(event)
    elif isinstance(event, Moved):
        decoded.path.append((event.x, event.y))
    else:
        decoded.wheel += event.notches


def _record_key(decoded: DecodedInput, event: KeyDown) -> None:
    if event.key in MODIFIERS:
        decoded._lone = event.chord
    else:
        decoded.chords.append(event.chord)
        decoded._lone = ""
