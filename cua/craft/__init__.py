"""What makes the loop good at its work: each habit is a small file, and each can be switched off.

Habits look at the history of a task and at pictures, and say what they found; the loop decides
what to do with it. Off, the loop is the bare one, against which `eval` measures what each brings.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Craft:
    """Which habits the loop has."""

    rest: bool = True
    """Looks at a screen at rest; off: half a second after the last report, whatever it shows."""
    effects: bool = True
    """Tells the model what its action changed on the screen."""
    fresh_eyes: bool = True
    """Does not click where the screen has changed since the model saw it."""
    unstick: bool = True
    """Nudges a model that repeats itself without effect, then asks the person."""
    check_done: bool = True
    """Looks at the final screen once more; what speaks plainly against a Done hands it back."""
    ask_again: bool = False
    """Hands the first Done back in any case, for the model to check each part of the task."""
    second_opinion: bool = False
    """Asks the model in a fresh context whether it is done; it can only object."""
    stale: bool = True
    """Stops a row of actions where one changed what the next was aimed at."""
    zoom: bool = True
    """Lets the model look closer at a part of the screen."""
    memory: bool = True
    """Keeps what the model notes when a server has no room for earlier steps."""
    wake: bool = True
    """Wakes a computer whose screen is off."""


BARE = Craft(**{field.name: False for field in fields(Craft)})
"""None of them."""
