"""What the loop told the model with the newest screenshot, as far as a scripted model heeds it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..types import Message

_UNDONE = re.compile(r"^not ", re.MULTILINE)
_IDLE = re.compile(r"nothing (?:visible )?(?:has )?changed|only the clock")
_STUCK = re.compile(r"repeat|the same (?:action|screen)|going in circles")
_DOUBTED = re.compile(r"is (?:it|the task) (?:really )?done|say done again|not (?:yet )?done")
_REFUSED = re.compile(r"refused|did not allow|not allowed")


class Told:
    """The words of the newest turn, and what they come to."""

    def __init__(self, messages: Sequence[Message]) -> None:
        parts = messages[-1].parts if messages[-1].role == "user" else ()
        words = "\n".join(part for part in parts if isinstance(part, str)).lower()
        self.undone = bool(_UNDONE.search(words))
        """Nothing of the reply was carried out."""
        self.refused = bool(_REFUSED.search(words))
        """The person did not want it."""
        self.idle = bool(_IDLE.search(words))
        """It was carried out and changed nothing."""
        self.stuck = bool(_STUCK.search(words))
        self.doubted = bool(_DOUBTED.search(words))
        """The task is perhaps not done, although the model said so."""
