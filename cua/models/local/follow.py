"""Follows one instruction: begins it, looks for its effect, or looks for its target.

What cannot be found is looked for in the ways a person would try (put a dialog aside, wait, look in
the menu, scroll) before the person is asked.
"""

from __future__ import annotations

from .instructions import Await, Check, Clear, Click, Instruction, Scroll, Write
from .locate import clickable, is_icon, launcher
from .moves import roll, start
from .ocr import Seen
from .outcomes import put_aside, verify
from .scene import Act, Move, Question, Scene, click, glance, times

_TRIES = 3


def attempt(wanted: Instruction, scene: Scene) -> Move:
    """The next move for an instruction, whatever was done for it so far."""
    looks_again = isinstance(wanted, (Scroll, Await, Check))
    if scene.tries and not scene.own[-1].helps and not looks_again:
        return verify(wanted, scene)
    move = start(wanted, scene)
    return move if move is not None else _missing(wanted, scene)


def _missing(wanted: Instruction, scene: Scene) -> Move:
    sought = _sought(wanted)
    for way in (_open_previous, _put_aside, _wait, _menu, _scroll):
        if move := way(wanted, scene):
            return Act(f"I cannot see {sought}. {move.say}", move.commands, helps=True)
    return Question(
        f"I cannot see {sought} on the screen. I see: {glance(scene.look)}. What should I do?"
    )


def _sought(wanted: Instruction) -> str:
    if isinstance(wanted, Click):
        return wanted.target.words
    if isinstance(wanted, (Write, Clear)) and wanted.into:
        return wanted.into.words
    return f"what I need to {wanted.words}"


def _open_previous(wanted: Instruction, scene: Scene) -> Act | None:
    """A click that changed nothing may have been meant as a double click."""
    del wanted
    before = scene.previous
    if scene.own or scene.changed or not isinstance(before, Click) or before.count != 1:
        return None
    found = clickable(scene, before.target, opening=True)
    if not isinstance(found, Seen) or not is_icon(scene.look, found):
        return None
    say = f'One click on "{found.text}" opened nothing, so I double-click it.'
    return Act(say, (click(scene.look, found, 2),))


def _put_aside(wanted: Instruction, scene: Scene) -> Act | None:
    del wanted
    return put_aside(scene, boldly=True)


def _wait(wanted: Instruction, scene: Scene) -> Act | None:
    del wanted
    return None if times(scene.helps, "sleep") else Act("I wait a moment.", ("sleep 1.5",))


def _menu(wanted: Instruction, scene: Scene) -> Act | None:
    """Programs without an icon in sight are in the start menu."""
    button = launcher(scene.look)
    tried = any("I look in the menu" in own.text for own in scene.own)
    if tried or button is None or not isinstance(wanted, Click) or wanted.count != 0:
        return None
    return Act(f'I look in the menu under "{button.text}".', (click(scene.look, button),))


def _scroll(wanted: Instruction, scene: Scene) -> Act | None:
    del wanted
    scrolled = sum("I scroll" in own.text for own in scene.own)
    if scrolled >= _TRIES or (scrolled and not scene.changed):
        return None
    return roll(scene)
