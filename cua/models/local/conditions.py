"""What rules ask of a screen, and of what was done so far for their goal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...screen.ocr.layout import TextLine
from .context import RuleContext
from .instructions import Target
from .locate import locate
from .matching import alike, field_of, find, plain, ranked, shown
from .outcomes import field_text
from .rules import Condition

_CURSOR = " |Il"
"""What the cursor at the end of a text is read as."""
_TITLE = re.compile(r"\S\s*[-–—]\s*\S")


# --- the screen -----------------------------------------------------------------------------------


def sees(*names: str) -> Condition:
    """One of these labels."""
    return lambda context: bool(find(context.look, names))


def links(name: str) -> Condition:
    """The label stands somewhere else than in a title or a field."""
    return lambda context: any(
        not context.look.in_bar(seen) for group in ranked(context.look, [name]) for seen in group
    )


def says(*texts: str) -> Condition:
    """One of these texts anywhere, over the ends of lines too."""
    return lambda context: any(shown(context.look, text) for text in texts)


def matches(pattern: str) -> Condition:
    """A line with this in it (regular expression, capitals do not matter)."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda context: any(compiled.search(seen.text) for seen in context.look.lines)


def ends_with(text: str) -> Condition:
    """A line ends with it, but for what the cursor looks like."""
    ends = alike(text)
    return lambda context: any(
        alike(line).endswith(ends)
        for seen in context.look.lines
        for line in (seen.text, seen.text.rstrip(_CURSOR))
    )


def titled(*names: str) -> Condition:
    """A window's title names that file or that program: "note.txt - Notepad".

    A title with "*" (not saved) is another one than without.
    """

    def holds(context: RuleContext) -> bool:
        titles = [seen.text.strip() for seen in context.look.lines if _TITLE.search(seen.text)]
        return any(_is_of(title, name) for title in titles for name in names)

    return holds


def _is_of(title: str, name: str) -> bool:
    head, _, tail = title.rpartition(" - ") if " - " in title else title.rpartition("-")
    marked = head.startswith("*") == name.startswith("*")
    return (marked and plain(head).startswith(plain(name))) or plain(tail) == plain(name)


def editable(label: Target) -> Condition:
    """The label has a field with an edge."""

    def holds(context: RuleContext) -> bool:
        found = locate(context, label)
        return isinstance(found, TextLine) and field_of(context.look, found) is not None

    return holds


def contains(label: Target, text: str) -> Condition:
    """The field of the label holds exactly that."""

    def holds(context: RuleContext) -> bool:
        lines = field_text(context, label)
        said = "" if lines is None else "".join(seen.text for seen in lines)
        return alike(text) in (alike(said), alike(said.rstrip(_CURSOR)))

    return holds


def nothing_to_read(context: RuleContext) -> bool:
    """A dark screen."""
    return not any(len(seen.text) > 3 for seen in context.look.lines)


# --- what was done --------------------------------------------------------------------------------


def did(rule: str, since: Sequence[str] = ()) -> Condition:
    """That rule acted, and later than any of those others last did."""

    def holds(context: RuleContext) -> bool:
        last = {name: number for number, name in enumerate(context.rules)}
        return last.get(rule, -1) > max((last.get(name, -1) for name in since), default=-1)

    return holds


def now(rule: str) -> Condition:
    """That rule acted last."""
    return lambda context: context.last_rule == rule


def idle(rule: str) -> Condition:
    """That rule did not act yet, or just now without any effect."""
    return lambda context: (
        rule not in context.rules or (context.last_rule == rule and not context.changed)
    )


# --- joined ---------------------------------------------------------------------------------------


def no(condition: Condition) -> Condition:
    return lambda context: not condition(context)


def either(*conditions: Condition) -> Condition:
    return lambda context: any(condition(context) for condition in conditions)
