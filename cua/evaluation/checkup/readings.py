"""Which numbers a reply names as the place of a click, whatever they count.

A dialect reads its family's grammar; on a very wide scale it refuses no number, so what it reads
there are the raw ones. All dialects are tried: a model that answers in another one than it was
asked in, as many do that were trained on theirs, is understood too.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import NamedTuple

from ...dialects import registry
from ...dialects.coordinates import CoordinateSpace
from ...dialects.family import Family
from ...dialects.kvm import Kvm
from ...types import Click, FormatError, ParsedReply, Point, Reply

WIDE = CoordinateSpace(1_000_000, 1_000_000, "numbers", refuses_fractions=False)
_PAIR = re.compile(
    r"(?<![\d.])(-?\d{1,6}(?:\.\d{1,9})?)[ \t]*[, \t][ \t]*(-?\d{1,6}(?:\.\d{1,9})?)"
)

Raw = tuple[float, float]
"""x and y as the reply has them."""


class Readings(NamedTuple):
    """`raw`: per reply the numbers of its click, None where it names none.

    `understood`: the dialects, but for the one in force, whose grammar most of the replies follow.
    """

    raw: list[Raw | None]
    understood: list[str]


def family(name: str) -> Family:
    """Raises `CuaError` for an unknown name."""
    made = registry.create(name)
    assert isinstance(made, Family)
    return made


def find_click(turn: ParsedReply) -> Point | None:
    """Return the place of the first click in a reply."""
    places = [action.at for action in turn.actions if isinstance(action, Click) and action.at]
    return places[0] if places else None


def readings(replies: Sequence[Reply], dialect: str) -> Readings:
    """Takes a while, as it loads every dialect: to be called in a thread."""
    read = {name: [_wide(name, reply) for reply in replies] for name, _, _ in registry.names()}
    order = [dialect, *(name for name in read if name != dialect)]
    raw = [
        next((read[name][n] for name in order if read[name][n]), None) or _bare(reply.text)
        for n, reply in enumerate(replies)
    ]
    most = 0.75 * len(replies)
    return Readings(raw, [name for name in order[1:] if len(list(filter(None, read[name]))) > most])


def _wide(name: str, reply: Reply) -> Raw | None:
    dialect = copy.copy(family(name))
    if not isinstance(dialect, Kvm):  # whose lines are fractions whatever one tells it
        dialect.scale = WIDE
    try:
        at = find_click(dialect.parse(reply, (1, 1)))
    except FormatError:
        return None
    full = dialect.scale or WIDE
    return (at.x * full.width, at.y * full.height) if at else None


def _bare(text: str) -> Raw | None:
    """The last pair of numbers, for a reply that no dialect takes."""
    found = _PAIR.findall(text[-2000:])
    return (float(found[-1][0]), float(found[-1][1])) if found else None
