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
from .screen_changes import ScreenChanges
from .stale_screen import StaleScreen
from .step_screenshot import StepScreenshot
from .verifier import Verifier
from .zooming import Zooming


@dataclass(frozen=True)
class CheckOptions:
    """The checks that are on, by the name of their module; else the options of a check."""

    stable_screenshot: bool = True
    """Option of `step_screenshot`, which is always on; so is `wake`."""
    screen_changes: bool = True
    """Also switches `pointer_check` on or off."""
    stale_screen: bool = True
    loop_detection: bool = True
    completion: bool = True
    ask_again: bool = False
    """Option of `completion`: reject the first Done in any case."""
    verifier: bool = False
    changed_target: bool = True
    zooming: bool = True
    model_notes: bool = True
    wake: bool = True


def make_checks(
    options: CheckOptions,
    screen: Screen,
    inputs: Inputs,
    model: Model,
    log: EventLog,
    *,
    other_mouse: Callable[[], Awaitable[bool]] | None = None,
) -> list[Check]:
    """`other_mouse`: see `PointerCheck`."""
    stable = options.stable_screenshot
    measure = options.screen_changes or options.loop_detection
    checks: tuple[tuple[bool, Check], ...] = (
        (True, StepScreenshot(screen, inputs, log, stable=stable, wake=options.wake)),
        (measure, ScreenChanges(log, report=options.screen_changes)),
        (options.screen_changes, PointerCheck(other_mouse)),
        (options.loop_detection, LoopDetection()),
        (options.zooming, Zooming(screen)),
        (options.model_notes, ModelNotes()),
        (options.stale_screen, StaleScreen(screen)),
        (options.changed_target, ChangedTarget(screen, inputs)),
        (options.completion, Completion(screen, inputs, ask_again=options.ask_again)),
        (options.verifier, Verifier(screen, inputs, model)),
    )
    return [check for is_on, check in checks if is_on]
