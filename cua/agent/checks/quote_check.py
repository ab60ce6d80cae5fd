"""Looks for text on the final screen that the model claims to see there.

Only quotations in a sentence about seeing count, and only if half of their letters in a row are
nowhere on the screen, since OCR misreads single letters. Without OCR (the packages of the Local
operator) nothing is compared, which is logged.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from difflib import SequenceMatcher

from ...events.log import EventLog
from ...messages import Message
from ...types import Frame, Inputs, Outcome, Screen, Task
from .check import Check
from .completion import get_answer
from .stable_screenshot import take_stable

Read = Callable[[Frame], Awaitable[str | None]]
"""Reads all text of a frame; None if that is not possible."""

_QUOTE = re.compile(r"[\"“「『«`]([^\"“”「」『』«»`\n]{3,80})[\"”」』»`]")
_END = re.compile(r"[.!?。！？\n](?=\s|$)|[。！？\n]")
_SEEN = re.compile(
    r"\b(?:shows?|showing|shown|see|sees|seen|visible|reads?|says?|displays?|displayed|appears?)\b"
    r"|显示|看到|看见|出现|可见|写着"
)
_GONE = re.compile(
    r"\b(?:no|not|never|without|gone|longer|closed|deleted|removed|disappeared|was|were|before)\b"
    r"|n't|不|没|消失|关闭|删"
)


class QuoteCheck(Check):
    """Rejects a claim, once since the person last had a say."""

    def __init__(self, screen: Screen, inputs: Inputs, log: EventLog, read: Read | None) -> None:
        self._screen, self._inputs, self._log, self._read = screen, inputs, log, read

    async def before_done(self, task: Task) -> Outcome | None:
        step = task.steps[-1]
        texts = find_quotes(f"{step.parsed.thought}\n{get_answer(step)}")
        outcomes = [each.outcome for each in task.steps_since_user if each.outcome]
        if not texts or self._read is None or any(each.kind == "unreadable" for each in outcomes):
            return None
        screen = await self._read(await take_stable(self._screen, self._inputs))
        if screen is None:
            self._log.note("info", Message("agent.not_compared"))
            return None
        missing = await asyncio.to_thread(lambda: list(find_missing(texts, screen)))
        quotes = "; ".join(f'"{text}"' for text in missing)
        message = Message("agent.unreadable", texts=quotes)
        return Outcome("unreadable", message) if missing else None


def find_quotes(words: str) -> list[str]:
    """Return the quotations that are claimed to be on the screen."""
    quotes = list(_QUOTE.finditer(words))
    blank = _QUOTE.sub(lambda match: "~" * len(match[0]), words)
    ends = [0, *(match.end() for match in _END.finditer(blank)), len(words)]
    found = []
    for quote in quotes:
        begin = max(end for end in ends if end <= quote.start())
        sentence = blank[begin : min(end for end in ends if end >= quote.end())].casefold()
        if _SEEN.search(sentence) and not _GONE.search(sentence):
            found.append(quote[1].strip())
    return found


def find_missing(texts: list[str], screen: str) -> Iterator[str]:
    """Yield those of which not even half can be read in a row."""
    letters = _normalise(screen)
    for text in texts:
        wanted = _normalise(text)
        matcher = SequenceMatcher(None, wanted, letters, autojunk=False)
        if wanted and matcher.find_longest_match().size * 2 < len(wanted):
            yield text


def _normalise(text: str) -> str:
    """Remove what OCR confuses: capitals, spaces, signs."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())
