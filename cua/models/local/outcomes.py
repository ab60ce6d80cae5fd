"""What to look for once something was done for an instruction, and what to do without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .instructions import Clear, Click, Instruction, Press, Target, Write
from .locate import clickable, locate, obstacle
from .matching import within
from .moves import enter, entry, start
from .ocr import Seen
from .scene import Achieved, Act, Move, Question, Scene, click, times

_TRIES = 3
_ASIDE = "is in the way"
_HIDDEN = " •*●·."
"""What a field of secrets shows."""


def verify(wanted: Instruction, scene: Scene) -> Move:
    return _OUTCOMES.get(type(wanted), _carried_out)(wanted, scene)


def put_aside(scene: Scene, boldly: bool = False, spare: Seen | None = None) -> Act | None:
    """Closes a dialog in the way; see `locate.obstacle`."""
    button = obstacle(scene.look, boldly, spare)
    if button is None or sum(_ASIDE in own.text for own in scene.own) >= _TRIES:
        return None
    say = f'A dialog is in the way; I click its "{button.text}".'
    return Act(say, (click(scene.look, button),), helps=True)


def _clicked(wanted: Click, scene: Scene) -> Move:
    if scene.changed:
        return Achieved(f"{scene.result}.")
    found = clickable(scene, wanted.target, opening=wanted.count == 0)
    if not isinstance(found, Seen) or times(scene.tries, "mouse") >= _TRIES:
        return _unchanged(wanted)
    if not wanted.target.at and (aside := put_aside(scene, boldly=True, spare=found)):
        return aside
    if scene.clicked and not found.box.holds(scene.clicked):
        return Act(
            "It has moved, so I click it again.",
            (click(scene.look, found, wanted.count or 1, wanted.button),),
        )
    return _open_firmly(found, scene) if wanted.count == 0 else _unchanged(wanted)


def _open_firmly(found: Seen, scene: Scene) -> Move:
    """Two clicks where one did nothing, some time where two did not yet."""
    last = scene.tries[-1].commands[-1]
    if last.startswith("mouse") and last[-1] == "3":
        return Act("Nothing opened yet, so I wait a moment.", ("sleep 2",))
    twice = click(scene.look, found, 2)
    return Act("Nothing opened, so I double-click it.", (twice,))


def _unchanged(wanted: Click) -> Move:
    """A click may change nothing that can be read; opening may not."""
    if wanted.count == 0:
        return Question(f"I tried to {wanted.words} and nothing changed. What should I do?")
    return Achieved("done; nothing that I can read changed.")


def _written(wanted: Write, scene: Scene) -> Move:
    area = field_text(scene, wanted.into) if wanted.into else list(scene.look.lines)
    if area is not None and (within(area, wanted.text) or _is_secret(area)):
        return Achieved(f'I can read "{wanted.text}" there.')
    again = _again_in_field(wanted, scene) if wanted.into else _again_at_cursor(wanted, scene)
    if again is not None:
        return again
    if not times(scene.tries, "sleep"):
        return Act("I cannot read the text yet, so I look again.", ("sleep 1",))
    return Question(f'I typed "{wanted.text}" but cannot see it on the screen. What should I do?')


def _again_in_field(wanted: Write, scene: Scene) -> Move | None:
    if times(scene.tries, "typestr") >= _TRIES:
        return None
    move = start(wanted, scene)
    return (
        replace(move, say=f"It is not in the field. {move.say}") if isinstance(move, Act) else move
    )


def _again_at_cursor(wanted: Write, scene: Scene) -> Move | None:
    """The rest of what was interrupted; or something took the keys, or the field has no cursor."""
    if scene.typed is not None and scene.typed < len(wanted.text):
        rest = wanted.text[scene.typed :]
        return Act("I was interrupted while typing and type the rest.", (f"typestr {rest}",))
    if aside := put_aside(scene, boldly=True):
        return aside
    if not isinstance(scene.previous, Click) or times(scene.tries, "typestr") > 1:
        return None
    if scene.previous.target.at:
        return None  # what is there may be no field, and all of it would be replaced
    move = enter(scene, scene.previous.target, wanted.text)
    return replace(move, say=f"It did not arrive. {move.say}") if isinstance(move, Act) else move


def _is_secret(area: Sequence[Seen]) -> bool:
    text = "".join(seen.text for seen in area)
    return bool(text) and not text.strip(_HIDDEN)


def field_text(scene: Scene, label: Target) -> list[Seen] | None:
    """What stands in the field of that label; None if the label cannot be seen."""
    found = locate(scene, label)
    if not isinstance(found, Seen):
        return None
    return scene.look.inside(entry(scene.look, found))


def _pressed(wanted: Press, scene: Scene) -> Move:
    sent = sum(own.commands.count(f"keyboard {wanted.keys}") for own in scene.tries)
    if sent < wanted.times:
        count = min(3, wanted.times - sent)
        return Act("I press the keys again.", (f"keyboard {wanted.keys}",) * count)
    return _carried_out(wanted, scene)


def _cleared(wanted: Clear, scene: Scene) -> Move:
    text = field_text(scene, wanted.into) if wanted.into else None
    if text and len(scene.tries) < _TRIES and not scene.changed:
        again = start(wanted, scene)
        if isinstance(again, Act):
            return again
    return _carried_out(wanted, scene)


def _carried_out(wanted: Instruction, scene: Scene) -> Move:
    del wanted
    return Achieved(f"done; {scene.result}." if scene.changed else "done.")


_OUTCOMES: dict[type, Callable[[Any, Scene], Move]] = {
    Click: _clicked,
    Write: _written,
    Press: _pressed,
    Clear: _cleared,
}
