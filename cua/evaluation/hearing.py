"""What the loop told the model with the newest screenshot, as far as a scripted model heeds it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..types import Message

_UNDONE = re.compile(r"^(?:not (?:carried out|understood)|held back|stopped)", re.MULTILINE)
_IDLE = re.compile(r"nothing (?:visible )?changed|only a small spot")
_STUCK = re.compile(r"you have done this|have changed nothing")
_DOUBTED = re.compile(r"handed back|does not count")
_REFUSED = re.compile(r"the person refused")


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
        """So did what was tried before."""
        self.doubted = bool(_DOUBTED.search(words))
        """The model said that all is done, and was asked to look again."""
