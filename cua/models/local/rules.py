"""The form in which goals are written: rules that look at the screen, the furthest step first.

At each look the first rule whose conditions hold acts. So a step that was undone is done again, one
that is not needed is left out, and a disturbance costs nothing but a look.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .instructions import Click, Goal, Instruction, Rest, Scroll, picked
from .matching import plain
from .moves import start
from .outcomes import put_aside
from .scene import Achieved, Act, Move, Question, Scene, glance, times
from .story import told

_BUSY = 8
"""Waits after which nobody believes "Loading" any more."""
Condition = Callable[[Scene], bool]


@dataclass(frozen=True)
class Proof:
    """The goal is reached if this holds; `seen` says what proves it."""

    seen: str
    when: tuple[Condition, ...]


@dataclass(frozen=True)
class Rule:
    """`name` says in plain words what `do` is for; it needs its target to be on the screen.

    `limit` is how many times it is tried before the person is asked.
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
    scene = replace(scene, goal=told(goal))
    if aside := put_aside(scene):
        return aside
    if _is_loading(scene):
        return Act("The computer says that it is busy, so I wait.", ("sleep 1.5",), helps=True)
    for rule in recipe:
        if all(condition(scene) for condition in rule.when) and (move := _apply(rule, scene)):
            return move
    return _at_a_loss(goal, scene)


def _is_loading(scene: Scene) -> bool:
    lines = (plain(seen.text) for seen in scene.look.lines)
    return times(list(scene.own), "sleep") < _BUSY and any(
        line in ("loading", "opening", "pleasewait") for line in lines
    )


def _apply(rule: Proof | Rule | Ask, scene: Scene) -> Move | None:
    if isinstance(rule, Proof):
        return Achieved(rule.seen)
    if isinstance(rule, Ask):
        return Question(rule.question)
    if sum(own.rule(scene.goal) == rule.name for own in scene.own) >= rule.limit:
        return None
    wanted = _firmly(rule, scene)
    move = start(wanted, scene.next())
    if isinstance(move, Question):  # of several that look the same, a goal needs any
        move = start(picked(wanted, 1), scene.next())
    if not isinstance(move, Act):
        return None
    return _hold_on(rule, scene) or Act(f"{rule.name}. {move.say}", move.commands)


def _hold_on(rule: Rule, scene: Scene) -> Act | None:
    """What was done just now is not done again before the reason is looked for and some time."""
    just_now = scene.own and scene.own[-1].rule(scene.goal) == rule.name
    if not just_now or isinstance(rule.do, (Rest, Scroll)):
        return None
    if not scene.changed and (aside := put_aside(scene, boldly=True)):
        return aside
    return Act(f"To {rule.name} has not worked yet, so I wait.", ("sleep 1",), helps=True)


def _firmly(rule: Rule, scene: Scene) -> Instruction:
    """Two clicks where one did not open it."""
    if isinstance(rule.do, Click) and rule.do.count == 0 and scene.last_rule == rule.name:
        return replace(rule.do, count=1 if scene.changed else 2)
    return rule.do


def _at_a_loss(goal: Goal, scene: Scene) -> Move:
    """Nothing fits: something covers the way, or is still loading, or only the person knows."""
    if aside := put_aside(scene, boldly=True):
        return aside
    if times(list(scene.own[-2:]), "sleep") < 2:
        return Act("I see nothing yet that brings me further, so I wait.", ("sleep 2",), helps=True)
    return Question(
        f"I do not know how to go on with: {goal.words}. I see: {glance(scene.look)}. "
        "What should I do?"
    )
