"""Scenarios of a corpus: sequences of actions, and the ways in which the same may be typed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cua.safety.rules import RiskRules, ScreenEvidence
from cua.types import Click, Drag, InputAction, Keypress, ManualAction, Point, Power, Type

FOLDER = Path(__file__).parent
_MIDDLE = Point(x=0.5, y=0.5)


class Scenario(NamedTuple):
    """`text` is the line of the corpus."""

    text: str
    steps: tuple[tuple[InputAction, ScreenEvidence], ...]


_IN_A_SHELL = r"(?!write|request|drop|delete|truncate|update)(?:sudo )?[a-z]{2,12} "
"""Routers and databases know no quotes and escapes in the name of a command."""
Typing = Callable[[str, random.Random], list[ManualAction]]
"""A way to type a text."""


def corpus(name: str) -> list[Scenario]:
    """The scenarios of `<name>.txt`."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return [read_scenario(line) for line in lines if line.strip() and not line.startswith("#")]


@cache
def asked(scenario: Scenario) -> str:
    """The rule that would ask somewhere in the scenario, "" if none."""
    rules = RiskRules()
    for action, seen in scenario.steps:
        risk = rules.find_risk(action, seen)
        if risk:
            return risk.rule
        rules.note(action)
    return ""


def variants(scenario: Scenario, *, spelled: bool) -> Iterator[Scenario]:
    """The same, typed in other ways. `spelled`: also in ways that only a shell understands."""
    chance = random.Random(scenario.text)
    typed = [action.text for action, _ in scenario.steps if isinstance(action, Type)]
    if not typed:
        return
    for how in (_split, _keys, _corrected, _entered):
        yield _changed(scenario, how, chance)
    if spelled and len(typed) == 1 and re.match(_IN_A_SHELL, typed[0]):
        for how in (_quoted, _escaped):
            yield _changed(scenario, how, chance)


def read_scenario(line: str) -> Scenario:
    return Scenario(line, tuple(_step(part) for part in line.split(" ⇒ ")))


def _step(part: str) -> tuple[InputAction, ScreenEvidence]:
    """Read a step: an action, `¦=` what stands under the pointer, `¦` on the screen, `¦>` said."""
    part, _, said = part.partition(" ¦> ")
    part, _, screen = part.partition(" ¦ ")
    part, _, label = part.partition(" ¦= ")
    kind, _, rest = part.strip("\n").partition(" ")
    seen = ScreenEvidence(screen=screen, thought=said, label=label)
    if kind == "click":
        return Click(at=_MIDDLE, button="right" if rest == "right" else "left"), seen
    if kind == "double_click":
        return Click(at=_MIDDLE, count=2), seen
    if kind == "drag":
        return Drag(path=(_MIDDLE, Point(x=0.9, y=0.9))), seen
    if kind == "power":
        return Power(button="power"), seen
    if kind == "key":
        chord, _, count = rest.strip().partition("*")
        return Keypress(keys=tuple(chord.split("+")), count=int(count or 1)), seen
    return Type(text=rest.replace("⏎", "\n").replace("⇥", "\t")), seen


def _changed(scenario: Scenario, how: Typing, chance: random.Random) -> Scenario:
    steps: list[tuple[InputAction, ScreenEvidence]] = []
    for action, seen in scenario.steps:
        found = how(action.text, chance) if isinstance(action, Type) else [action]
        steps += [(each, seen) for each in found]
    return Scenario(f"{scenario.text}  ({getattr(how, '__name__', '').strip('_')})", tuple(steps))


def _split(text: str, chance: random.Random) -> list[ManualAction]:
    """In pieces, one after another."""
    cuts = sorted(chance.sample(range(1, len(text)), min(4, len(text) - 1)))
    return [Type(text=text[a:b]) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _keys(text: str, chance: random.Random) -> list[ManualAction]:
    """Partly by single keys."""
    found: list[ManualAction] = []
    for piece in re.findall(r"[a-z]|[^a-z]+", text):
        single = len(piece) == 1 and piece.isalpha() and chance.random() < 0.6
        found.append(Keypress(keys=(piece,)) if single else Type(text=piece))
    return found


def _corrected(text: str, chance: random.Random) -> list[ManualAction]:
    """With a slip that Backspace takes away."""
    at = chance.randrange(len(text.rstrip("\n")) or 1)
    slip = chance.choice(["x", "qq", "the"])
    return [
        Type(text=text[:at] + slip),
        Keypress(keys=("BACKSPACE",), count=len(slip)),
        Type(text=text[at:]),
    ]


def _entered(text: str, _: random.Random) -> list[ManualAction]:
    """With Enter as a key."""
    lines = re.split(r"(\n)", text)
    return [
        Keypress(keys=("ENTER",)) if line == "\n" else Type(text=line) for line in lines if line
    ]


def _head(text: str) -> tuple[int, int]:
    match = re.match(r"(?:sudo )?([a-z]+)", text)
    assert match is not None
    return match.span(1)


def _quoted(text: str, chance: random.Random) -> list[ManualAction]:
    """With the command's name in quotes, in part."""
    start, end = _head(text)
    at = chance.randrange(start + 1, end)
    return [Type(text=f'{text[:start]}"{text[start:at]}"{text[at:]}')]


def _escaped(text: str, chance: random.Random) -> list[ManualAction]:
    """With a backslash in the command's name."""
    start, end = _head(text)
    at = chance.randrange(start + 1, end)
    return [Type(text=f"{text[:at]}\\{text[at:]}")]
