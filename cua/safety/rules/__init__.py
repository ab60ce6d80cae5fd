"""Fixed rules that decide which actions need the user's approval.

They examine an action together with what was typed before it, and the words on the screen if known.
They are best effort: actions that they do not recognise are allowed. Pure: the same actions always
get the same verdicts.
"""

from .dialogs import NOTHING, ScreenEvidence, as_click, may_confirm
from .risk_rules import Risk, RiskRules
