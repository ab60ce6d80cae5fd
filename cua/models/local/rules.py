"""The form in which goals are written: rules that look at the screen, the furthest step first.

At each look the first rule whose conditions hold acts. So a step that was undone is done again, one
that is not needed is left out, and a disturbance costs nothing but a look.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from .follow import field_text, glance, put_aside, start
from .instructions import Click, Goal, Instruction, Rest, Target
from .locate import locate
from .matching import field_of, find, plain, shown, within
from .ocr import Seen
from .scene import Achieved, Act, Move, Question, Scene

Condition = Callable[[Scene], bool]


@dataclass(frozen=True)
class Proof:
    """The goal is reached if this holds; `seen` says what proves it."""

    seen: str
    when: tuple[Condition, ...]


@dataclass(frozen=True)
class Rule:
    """`name` says in plain words what `do` is for. Needs its target to be on the screen.

    `limit` is how many times it may be tried before the person is asked.
    """

    name: str
    do: Instruction
    when: tuple[Condition, ...] = ()
    limit: int = 3


@dataclass(frozen=True)
class Ask:
    question: str
    when: tuple[Condition, ...]


Recipe = tuple[Proof | Rule | Ask, ...]


def pursue(goal: Goal, recipe: Recipe, scene: Scene) -> Move:
    """The next move towards a goal."""
    if aside := put_aside(scene, boldly=False):
        return aside
    for rule in recipe:
        if all(condition(scene) for condition in rule.when) and (move := _apply(rule, scene)):
            return move
    return _at_a_loss(goal, scene)


def _apply(rule: Proof | Rule | Ask, scene: Scene) -> Move | None:
    if isinstance(rule, Proof):
        return Achieved(rule.seen)
    if isinstance(rule, Ask):
        return Question(rule.question)
    if times(scene, rule.name) >= rule.limit:
        return None
    move = start(_firmly(rule, scene), scene)
    if isinstance(move, Act):
        return Act(f"{rule.name}. {move.say}", move.commands)
    return move


def _firmly(rule: Rule, scene: Scene) -> Instruction:
    """Two clicks where one did not open it."""
    if isinstance(rule.do, Click) and rule.do.count == 0 and now(rule.name)(scene):
        return replace(rule.do, count=1 if scene.changed else 2)
    return rule.do


def _at_a_loss(goal: Goal, scene: Scene) -> Move:
    """Nothing fits: something covers the way, or is still loading, or only the person knows."""
    if aside := put_aside(scene, boldly=True):
        return aside
    if sum(own.did("sleep") for own in scene.own[-3:]) < 2:
        move = start(Rest(2), scene)
        if isinstance(move, Act):
            return Act("I see nothing yet that brings me further.", move.commands)
    return Question(
        f"I do not know how to go on with: {goal.words}. I see: {glance(scene.look)}. "
        "What should I do?"
    )


_TITLE = re.compile(r"\S\s*[-–—]\s*\S")


def _begins(title: str, name: str) -> bool:
    """The title is of that file or of that program."""
    head, _, tail = title.partition(" - ") if " - " in title else title.partition("-")
    marked = head.startswith("*") == name.startswith("*")
    return (marked and plain(head).startswith(plain(name))) or plain(tail) == plain(name)


# --- conditions ------------------------------------------------------------------------------------


def times(scene: Scene, rule: str) -> int:
    return sum(f": {rule}. " in own.text for own in scene.own)


def did(rule: str, since: str = "") -> Condition:
    """That rule acted, and that later than rule `since` last did."""

    def holds(scene: Scene) -> bool:
        last = {
            name: max(
                (n for n, own in enumerate(scene.own) if f": {name}. " in own.text), default=-1
            )
            for name in (rule, since or rule)
        }
        return last[rule] >= 0 and (not since or last[rule] > last[since] >= 0)

    return holds


def now(rule: str) -> Condition:
    """That rule acted last."""
    return lambda scene: bool(scene.own) and f": {rule}. " in scene.own[-1].text


def titled(*names: str) -> Condition:
    """A window's title names it: "note.txt - Notepad", with what stands before it as told."""

    def holds(scene: Scene) -> bool:
        titles = [seen.text.strip() for seen in scene.look.lines if _TITLE.search(seen.text)]
        return any(_begins(title, name) for title in titles for name in names)

    return holds


def no(condition: Condition) -> Condition:
    return lambda scene: not condition(scene)


def either(*conditions: Condition) -> Condition:
    return lambda scene: any(condition(scene) for condition in conditions)


def sees(*names: str) -> Condition:
    """A label on the screen."""
    return lambda scene: bool(find(scene.look, names))


def says(*texts: str) -> Condition:
    """One of these texts anywhere, over the ends of lines too."""
    return lambda scene: any(shown(scene.look, text) for text in texts)


def matches(pattern: str) -> Condition:
    """A line with this in it (regular expression, capitals do not matter)."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda scene: any(compiled.search(seen.text) for seen in scene.look.lines)


def editable(label: Target) -> Condition:
    """The label has a field with an edge."""

    def holds(scene: Scene) -> bool:
        found = locate(scene, label)
        return isinstance(found, Seen) and field_of(scene.look, found) is not None

    return holds


def contains(label: Target, text: str) -> Condition:
    """The field of the label holds exactly that."""

    def holds(scene: Scene) -> bool:
        lines = field_text(scene, label)
        return bool(lines) and within(lines, text) and not within(lines, text + text)

    return holds


def nothing_to_read(scene: Scene) -> bool:
    """A dark screen, or one that says no more than that there is no signal."""
    return not any(len(seen.text) > 3 for seen in scene.look.lines)
