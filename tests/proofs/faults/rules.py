"""Rules for the reports that the computer received, and for the messages to the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cua.messages import Message
from cua.web.session_ownership import SILENT
from tests.support.devices import interpret

from .phases import Phase
from .stand_ins import Report

HARMLESS = {"space", "ctrl"}
"""Keys that are text, and the one that wakes a dark screen."""
ADVICE = re.compile(
    r"\?|\b(?:check|choose|close|connect|correct|delete|enter|give|go|look|log|make|open|plug|press|put|"
    r"reconnect|reload|resume|restart|run|remove|see|send|set|start|try|turn|unplug|use|wait|wake|word|write)\b",
    re.IGNORECASE,
)
OURS = re.compile(r"Traceback|\b\w+(?:Error|Exception)\b(?!: )|Internal error")
RESUMABLE = (Message("session.page_closed"), Message("session.page_hidden"), SILENT)
"""Why a run is paused: the page marks *Resume* then."""


def is_advice(sentence: str) -> bool:
    if any(each in sentence for each in RESUMABLE):
        return True
    return len(sentence) > 20 and bool(ADVICE.search(sentence)) and not OURS.search(sentence)


def find_unintended(reports: list[Report], phase: Phase) -> Iterator[str]:
    found = interpret(reports)
    if not phase.text.startswith(found.text):
        yield f"typed {found.text!r} in place of {phase.text!r}"
    clicks = [(press.x, press.y) for press in found.presses]
    if clicks != list(phase.clicks[: len(clicks)]):
        yield f"clicked {clicks} in place of {list(phase.clicks)}"
    chords = [chord for chord in found.chords if len(chord) > 1 and chord not in HARMLESS]
    if not _is_begun(chords, phase.chords) or found.wheel:
        yield f"pressed {chords} in place of {list(phase.chords)}; wheel {found.wheel}"
    if found.down:
        yield f"left down: {found.down}"


def _is_begun(chords: Sequence[str], planned: Sequence[str]) -> bool:
    """Whether these are the first of those; of the last one, its modifiers may be all."""
    return len(chords) <= len(planned) and all(
        plan == chord or (number == len(chords) and plan.startswith(f"{chord}+"))
        for number, (chord, plan) in enumerate(zip(chords, planned, strict=False), 1)
    )
