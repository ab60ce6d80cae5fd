"""How each instruction is carried out: a first move, and what to look for after it.

A click, a text or a key is sent once; then the next screenshot says whether it worked. What cannot
be found is looked for (a dialog put aside, a moment waited, the page scrolled) before the person
is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .instructions import (
    Await,
    Check,
    Clear,
    Click,
    Drag,
    Instruction,
    Press,
    Rest,
    Scroll,
    Target,
    Visit,
    Write,
)
from .locate import clickable, is_icon, launcher, locate, obstacle
from .matching import field_of, news, shown, within
from .ocr import Box, Look, Seen
from .scene import DOWN, UP, Achieved, Act, Move, Question, Scene, click, place, where

_PATIENCE = (1, 2, 4, 8, 15, 30)
"""Seconds between the looks while something is waited for."""
_SCROLLS = 40
"""Looks after which scrolling is given up."""
_HIDDEN = " •*●·."
"""What a field of secrets shows."""


def start(wanted: Instruction, scene: Scene) -> Move | None:
    """The first move for an instruction; None if its target is not on the screen."""
    return _START[type(wanted)](wanted, scene)


def verify(wanted: Instruction, scene: Scene) -> Move:
    """The next move once something was done for it."""
    return _VERIFY[type(wanted)](wanted, scene)


def attempt(wanted: Instruction, scene: Scene) -> Move:
    """The next move for an instruction, whatever was done for it so far."""
    if _acted(wanted, scene):
        return verify(wanted, scene)
    move = start(wanted, scene)
    return move if move is not None else missing(wanted, scene)


def _acted(wanted: Instruction, scene: Scene) -> bool:
    if isinstance(wanted, (Scroll, Await, Check)):
        return False  # these look again each time
    command = {Write: "typestr", Visit: "typestr", Press: "keyboard", Clear: "keyboard", Rest: "sleep"}
    if isinstance(wanted, Click):
        return any(_aimed(own) for own in scene.own)
    return bool(scene.did(command.get(type(wanted), "drag")))


def _aimed(own: Any) -> bool:
    return any(line.startswith("mouse") and line[-1] in "123" for line in own.commands) and (
        "in the way" not in own.text
    )


# --- the first move --------------------------------------------------------------------------------


def _click(wanted: Click, scene: Scene) -> Move | None:
    found = clickable(scene, wanted.target, opening=wanted.count == 0)
    if not isinstance(found, Seen):
        return found
    count = wanted.count or (2 if is_icon(scene.look, found) else 1)
    how = "double-click" if count == 2 else f"{wanted.button}-click".replace("left-", "")
    say = f'I see "{found.text}" {where(scene.look, found)} and {how} it.'
    return Act(say, (click(scene.look, found, count, wanted.button),))


def _write(wanted: Write, scene: Scene) -> Move | None:
    if wanted.into is None:
        return Act(
            "The cursor is where the text belongs, so I type it.", (f"typestr {wanted.text}",)
        )
    return enter(scene, wanted.into, wanted.text, wanted.below)


def enter(scene: Scene, label: Target, text: str, below: bool = False) -> Move | None:
    """Replaces what is in the field of that label."""
    found = locate(scene, label)
    if not isinstance(found, Seen):
        return found
    at = page_under(scene.look, found) if below else entry(scene.look, found)
    say = f'I see "{found.text}" {where(scene.look, found)} and fill in what belongs to it.'
    finish = f"typestr {text}" if text else "keyboard DELETE"
    return Act(say, (click(scene.look, at), "keyboard CTRL+A", finish))


def entry(look: Look, label: Seen) -> Box:
    """Its field, or the place right of it where fields without an edge are."""
    if field := field_of(look, label):
        return field
    box = label.box
    return Box(box.right, box.top, box.right + 4 * box.height, box.bottom)


def page_under(look: Look, title: Seen) -> Box:
    """The large area of a window, by its title."""
    x, y = title.box.middle
    below = [b for b in look.boxes if b.top > y and b.left <= x < b.right]
    return max(below, key=lambda box: box.area, default=entry(look, title))


def _visit(wanted: Visit, scene: Scene) -> Move:
    del scene
    way = ("keyboard CTRL+L", f"typestr {wanted.address}", "keyboard ENTER")
    return Act("I enter it in the address bar.", way)


def _press(wanted: Press, scene: Scene) -> Move:
    del scene
    count = min(wanted.times, 3)
    return Act("I press the keys.", (f"keyboard {wanted.keys}",) * count)


def _scroll(wanted: Scroll, scene: Scene) -> Move:
    if wanted.until is None:
        done = scene.did("mouse")
        if done >= wanted.times:
            return Achieved(f"Scrolled {done} times.")
    else:
        found = locate(scene, wanted.until)
        if isinstance(found, Seen):
            return Achieved(f'"{found.text}" is {where(scene.look, found)}.')
        if scene.did("mouse") > _SCROLLS or (scene.did("mouse") and not scene.changed):
            return Question(
                f"I scrolled to the end and cannot see {wanted.until.words}. What should I do?"
            )
    return roll(scene, wanted.down)


def roll(scene: Scene, down: bool = True) -> Act:
    """Turns the wheel over the window that was used last."""
    look = scene.look
    window = look.window_at(scene.clicked or (look.width // 2, look.height // 2))
    way = "down" if down else "up"
    return Act(f"I scroll {way}.", (f"mouse {place(look, window)} {DOWN if down else UP}",))


def _await(wanted: Await, scene: Scene) -> Move:
    found = locate(scene, wanted.target)
    if isinstance(found, (Seen, Question)):
        text = found.text if isinstance(found, Seen) else wanted.target.names[0]
        return Achieved(f'"{text}" is there.')
    waited = scene.did("sleep")
    if waited >= len(_PATIENCE):
        return Question(
            f"I waited {sum(_PATIENCE)} s and cannot see {wanted.target.words}. What should I do?"
        )
    return Act(
        f"I cannot see {wanted.target.words} yet, so I wait.", (f"sleep {_PATIENCE[waited]}",)
    )


def _check(wanted: Check, scene: Scene) -> Move:
    if shown(scene.look, wanted.text) == wanted.shown:
        return Achieved(f'"{wanted.text}" is {"" if wanted.shown else "not "}shown.')
    if not scene.did("sleep"):
        return Act(f'"{wanted.text}" is not as expected yet, so I look again.', ("sleep 1",))
    found = "I cannot see" if wanted.shown else "I still see"
    return Question(f'{found} "{wanted.text}". I see: {glance(scene.look)}. What should I do?')


def _clear(wanted: Clear, scene: Scene) -> Move | None:
    if wanted.into:
        return enter(scene, wanted.into, "")
    return Act("I clear the field that has the cursor.", ("keyboard CTRL+A", "keyboard DELETE"))


def _drag(wanted: Drag, scene: Scene) -> Move | None:
    start_at, end_at = locate(scene, wanted.start), locate(scene, wanted.end)
    for found in (start_at, end_at):
        if not isinstance(found, Seen):
            return found
    assert isinstance(start_at, Seen)
    assert isinstance(end_at, Seen)
    way = f"drag {place(scene.look, start_at)} {place(scene.look, end_at)}"
    return Act(f'I drag "{start_at.text}" to "{end_at.text}".', (way,))


def _rest(wanted: Rest, scene: Scene) -> Move:
    del scene
    return Act("I wait.", (f"sleep {wanted.seconds:g}",))


# --- what to look for after it ---------------------------------------------------------------------


def _clicked(wanted: Click, scene: Scene) -> Move:
    if scene.changed:
        return Achieved(f"{_result(scene)} after I did {wanted.words}.")
    found = clickable(scene, wanted.target, opening=wanted.count == 0)
    tries = sum(_aimed(own) for own in scene.own)
    if isinstance(found, Seen) and tries < 3:
        if scene.clicked and not found.box.holds(scene.clicked):
            move = _click(wanted, scene)
            if isinstance(move, Act):
                return Act(f"It has moved. {move.say}", move.commands)
        if wanted.count == 0 and tries == 1:
            again = click(scene.look, found, 2)
            return Act("One click opened nothing, so I double-click it.", (again,))
    if wanted.count == 0 and not scene.did("sleep"):
        return Act("Nothing opened yet, so I wait a moment.", ("sleep 2",))
    if wanted.count == 0:
        return Question(f"I tried to {wanted.words} and nothing changed. What should I do?")
    return Achieved(f"I did {wanted.words}; nothing that I can read changed.")


def _result(scene: Scene) -> str:
    """What became visible, in a few words."""
    fresh = news(scene.before, scene.look) if scene.before else []
    if not fresh:
        return "The screen changed"
    return "I now see " + ", ".join(f'"{text}"' for text in fresh[:3])


def _written(wanted: Write, scene: Scene) -> Move:
    area = field_text(scene, wanted.into) if wanted.into else list(scene.look.lines)
    if area is None or within(area, wanted.text) or _is_secret(area):
        if area is not None:
            return Achieved(f'I can read "{wanted.text}" there.')
    if scene.typed is not None and wanted.into is None:
        rest = wanted.text[scene.typed :]
        return Act("I was interrupted while typing and type the rest.", (f"typestr {rest}",))
    tries = scene.did("typestr")
    if wanted.into is not None and tries < 3:
        move = enter(scene, wanted.into, wanted.text)
        if isinstance(move, Act):
            return Act(f"The text is not in the field. {move.say}", move.commands)
    if wanted.into is None and tries < 2 and isinstance(scene.previous, Click):
        move = enter(scene, scene.previous.target, wanted.text)
        if isinstance(move, Act):
            return Act(f"The text did not arrive. {move.say}", move.commands)
    if not scene.did("sleep"):
        return Act("I cannot read the text yet, so I look again.", ("sleep 1",))
    return Question(f'I typed "{wanted.text}" but cannot see it on the screen. What should I do?')


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
    sent = sum(own.commands.count(f"keyboard {wanted.keys}") for own in scene.own)
    if sent < wanted.times:
        count = min(3, wanted.times - sent)
        return Act("I press the keys again.", (f"keyboard {wanted.keys}",) * count)
    return Achieved(f"{_result(scene)} after {wanted.words}." if scene.changed else "Pressed.")


def _cleared(wanted: Clear, scene: Scene) -> Move:
    text = field_text(scene, wanted.into) if wanted.into else None
    if text and scene.did("keyboard") < 2 and not scene.changed:
        return start(wanted, scene) or Achieved("Cleared.")
    return Achieved("The field is cleared.")


def _carried_out(wanted: Instruction, scene: Scene) -> Move:
    return Achieved(f"{_result(scene)} after I did {wanted.words}.")


# --- what is not there -----------------------------------------------------------------------------


def missing(wanted: Instruction, scene: Scene) -> Move:
    """Looks for what cannot be seen; asks when nothing is left to try."""
    for way in (_put_aside, _open_previous, _wait_once, _launcher, _scroll_for):
        if move := way(wanted, scene):
            return move
    return Question(
        f"I cannot see {_sought(wanted)} on the screen. I see: {glance(scene.look)}. "
        "What should I do?"
    )


def _sought(wanted: Instruction) -> str:
    if isinstance(wanted, Click):
        return wanted.target.words
    if isinstance(wanted, (Write, Clear)) and wanted.into:
        return wanted.into.words
    return f"what I need to {wanted.words}"


def _put_aside(wanted: Instruction, scene: Scene) -> Move | None:
    del wanted
    return put_aside(scene, boldly=True)


def put_aside(scene: Scene, boldly: bool) -> Act | None:
    """Closes a dialog in the way; `boldly` also by buttons that may mean something."""
    button = obstacle(scene.look, boldly)
    tried = [own for own in scene.own if "in the way" in own.text]
    if button is None or len(tried) >= 3:
        return None
    say = f'A dialog is in the way; I click its "{button.text}".'
    return Act(say, (click(scene.look, button),))


def _open_previous(wanted: Instruction, scene: Scene) -> Move | None:
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


def _wait_once(wanted: Instruction, scene: Scene) -> Move | None:
    if scene.did("sleep"):
        return None
    return Act(f"I cannot see {_sought(wanted)} yet, so I wait a moment.", ("sleep 1.5",))


def _launcher(wanted: Instruction, scene: Scene) -> Move | None:
    if not isinstance(wanted, Click) or wanted.count != 0:
        return None
    button = launcher(scene.look)
    if button is None or any("look in the menu" in own.text for own in scene.own):
        return None
    return Act(
        f'I cannot see {_sought(wanted)}, so I look in the menu under "{button.text}".',
        (click(scene.look, button),),
    )


def _scroll_for(wanted: Instruction, scene: Scene) -> Move | None:
    scrolled = [own for own in scene.own if "I scroll" in own.text]
    if len(scrolled) >= 3 or (scrolled and not scene.changed):
        return None
    move = roll(scene)
    return Act(f"I cannot see {_sought(wanted)}. {move.say}", move.commands)


def glance(look: Look) -> str:
    """A few of the words on the screen, for a question."""
    texts = [f'"{seen.text}"' for seen in look.lines if len(seen.text) > 2][:12]
    return ", ".join(texts) or "nothing that I can read"


_Start = Callable[[Any, Scene], "Move | None"]
_START: dict[type, _Start] = {
    Click: _click, Write: _write, Press: _press, Scroll: _scroll, Await: _await, Check: _check,
    Clear: _clear, Drag: _drag, Rest: _rest, Visit: _visit,
}  # fmt: skip
_VERIFY: dict[type, Callable[[Any, Scene], Move]] = {
    Click: _clicked, Write: _written, Press: _pressed, Clear: _cleared, Drag: _carried_out,
    Rest: _carried_out, Visit: _carried_out,
}  # fmt: skip
