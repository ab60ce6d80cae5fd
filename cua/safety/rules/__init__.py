"""Fixed rules that decide which actions need the user's approval.

They examine an action together with what was typed before it, and the words on the screen if known.
They are best effort: actions that they do not recognise are allowed. Pure: the same actions always
get the same verdicts.
"""

from .dialogs import NOTHING, Seen, answers, as_click
from .judge import Judge, Risk

__all__ = ["NOTHING", "Judge", "Risk", "Seen", "answers", "as_click"]
