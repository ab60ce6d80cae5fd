"""Whether an action has to be asked about first: fixed rules outside the model, and why.

They look at what an action would do together with what was typed before it, and at the words on the
screen where these are known. They are a seat belt and no boundary: what they do not know passes.
Pure: the same actions always get the same verdicts.
"""

from .dialogs import answers, as_click
from .judge import Judge, Risk, Seen

__all__ = ["Judge", "Risk", "Seen", "answers", "as_click"]
