"""Selects the checks of the loop; `eval` measures each against a loop without any."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ...events.log import EventLog
from ...types import Inputs, Model, Screen
from .changed_target import ChangedTarget
from .check import Check
from .completion import Completion
from .loop_detection import LoopDetection
from .model_notes import ModelNotes
from .pointer_check import PointerCheck
from .quote_check import QuoteCheck, Read
from .screen_changes import ScreenChanges
from .stable_screenshot import StableScreenshot
from .stale_screen import StaleScreen
from .verifier import Verifier
from .wake import Wake
from .zooming import Zooming


@dataclass(frozen=True)
class CheckOptions:
    """Which checks are on, by the name of their class; `ask_again` is an option of `Completion`."""

    stable_screenshot: bool = True
    """Takes screenshots of a stable screen; off: half a second after the last report."""
    screen_changes: bool = True
    """Tells the model if its action changed nothing on the screen; also switches `PointerCheck`."""
    stale_screen: bool = True
    """Does not click where the screen has changed since the model saw it."""
    loop_detection: bool = True
    """Nudges a model that repeats itself without effect, then asks the person."""
    completion: bool = True
    """Rejects a Done that the final screen contradicts; also switches `QuoteCheck`."""
    ask_again: bool = False
    """Rejects the first Done in any case, for the model to check each part of the task."""
    verifier: bool = False
    """Asks the model in a fresh context whether it is done; it can only object."""
    changed_target: bool = True
    """Stops a reply of several actions where one changed the target of the next."""
    zooming: bool = True
    """Shows the model a part of the screen enlarged."""
    model_notes: bool = True
    """Keeps what the model notes when a server has no room for earlier steps."""
    wake: bool = True
    """Wakes a computer whose screen is off."""


def make_checks(
    options: CheckOptions,
    screen: Screen,
    inputs: Inputs,
    model: Model,
    log: EventLog,
    *,
    other_mouse: Callable[[], Awaitable[bool]] | None = None,
    read: Read | None = None,
) -> list[Check]:
    """`other_mouse`: see `PointerCheck`; `read`: see `QuoteCheck`, which needs it."""
    measure = options.screen_changes or options.loop_detection
    checks: tuple[tuple[bool, Check], ...] = (
        (options.wake, Wake(screen, inputs, log, stable=options.stable_screenshot)),
        (options.stable_screenshot, StableScreenshot(screen, inputs)),
        (measure, ScreenChanges(screen, log, report=options.screen_changes)),
        (options.screen_changes, PointerCheck(other_mouse)),
        (options.loop_detection, LoopDetection()),
        (options.zooming, Zooming(screen)),
        (options.model_notes, ModelNotes()),
        (options.stale_screen, StaleScreen(screen)),
        (options.changed_target, ChangedTarget(screen, inputs)),
        (options.completion, Completion(screen, inputs, ask_again=options.ask_again)),
        (options.completion, QuoteCheck(screen, inputs, log, read)),
        (options.verifier, Verifier(screen, inputs, model)),
    )
    return [check for is_on, check in checks if is_on]
