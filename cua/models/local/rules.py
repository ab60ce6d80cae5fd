"""Rules that reach a goal, the last step first.

For each screenshot the first rule whose conditions hold acts. So a step that was undone is
repeated, and one that is not needed is skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .context import Achieved, Act, Move, Question, RuleContext, list_texts, times
from .instructions import Click, Goal, Instruction, Rest, Scroll, picked
from .matching import plain
from .moves import start
from .outcomes import put_aside
from .progress import name_instruction

MAX_BUSY_WAITS = 8
"""Waits after which "Loading" on the screen is ignored."""
Condition = Callable[[RuleContext], bool]


@dataclass(frozen=True)
class Proof:
    """The goal is reached if `when` holds; `seen` says what proves it."""

    seen: str
    when: tuple[Condition, ...]


@dataclass(frozen=True)
class Rule:
    """`name` describes `do`, whose target has to be on the screen; tried `limit` times."""

    name: str
    do: Instruction
    when: tuple[Condition, ...] = ()
    limit: int = 3


@dataclass(frozen=True)
class Ask:
    question: str
    when: tuple[Condition, ...]


Recipe = tuple[Proof | Rule | Ask, ...]


def pursue(goal: Goal, recipe: Recipe, context: RuleContext) -> Move:
    """The next move towards a goal."""
    context = replace(context, goal=name_instruction(goal))
    if aside := put_aside(context):
        return aside
    if _is_loading(context):
        return Act("The computer says that it is busy, so I wait.", ("sleep 1.5",), helps=True)
    for rule in recipe:
        if all(condition(context) for condition in rule.when) and (move := _apply(rule, context)):
            return move
    return _ask_for_help(goal, context)


def _is_loading(context: RuleContext) -> bool:
    lines = (plain(seen.text) for seen in context.look.lines)
    return times(list(context.own), "sleep") < MAX_BUSY_WAITS and any(
        line in ("loading", "opening", "pleasewait") for line in lines
    )


def _apply(rule: Proof | Rule | Ask, context: RuleContext) -> Move | None:
    if isinstance(rule, Proof):
        return Achieved(rule.seen)
    if isinstance(rule, Ask):
        return Question(rule.question)
    if sum(own.rule(context.goal) == rule.name for own in context.own) >= rule.limit:
        return None
    wanted = _with_double_click(rule, context)
    move = start(wanted, context.next())
    if isinstance(move, Question):  # of several that look the same, a goal needs any
        move = start(picked(wanted, 1), context.next())
    if not isinstance(move, Act):
        return None
    return _wait_before_repeat(rule, context) or Act(f"{rule.name}. {move.say}", move.commands)


def _wait_before_repeat(rule: Rule, context: RuleContext) -> Act | None:
    """Before repeating the last step, close a dialog in the way, or wait."""
    just_now = context.own and context.own[-1].rule(context.goal) == rule.name
    if not just_now or isinstance(rule.do, (Rest, Scroll)):
        return None
    if not context.changed and (aside := put_aside(context, boldly=True)):
        return aside
    return Act(f"To {rule.name} has not worked yet, so I wait.", ("sleep 1",), helps=True)


def _with_double_click(rule: Rule, context: RuleContext) -> Instruction:
    """Double-click if a click did not open it."""
    if isinstance(rule.do, Click) and rule.do.count == 0 and context.last_rule == rule.name:
        return replace(rule.do, count=1 if context.changed else 2)
    return rule.do


def _ask_for_help(goal: Goal, context: RuleContext) -> Move:
    """No rule matches: close a dialog, wait, or ask the person."""
    if aside := put_aside(context, boldly=True):
        return aside
    if times(list(context.own[-2:]), "sleep") < 2:
        return Act("I see nothing yet that brings me further, so I wait.", ("sleep 2",), helps=True)
    return Question(
        f"I do not know how to go on with: {goal.words}. I see: {list_texts(context.look)}. "
        "What should I do?"
    )
