"""Text that a model says it sees on the final screen, looked for there.

Only what stands in quotation marks in a sentence about seeing counts, and only where half of its
letters in a row are nowhere on the screen: reading is never sure of single letters. Without a
reader (the packages of the Local operator) nothing is compared, and that is said.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from difflib import SequenceMatcher

from ..types import Frame, Task
from .finish import BACK, claimed

Read = Callable[[Frame], Awaitable[str | None]]
"""All words of a picture; None where nobody can read it."""

UNREAD = "it says that this can be seen, but it cannot be read on the final screen:"
NOT_COMPARED = (
    "What the model says it sees was not compared with the screen, which nothing reads here: that "
    "takes pip install '.[local]', and Settings that let it read."
)
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


def seen(words: str) -> list[str]:
    """The texts that are said to be on the screen."""
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


def missing(texts: list[str], screen: str) -> Iterator[str]:
    """Those of which not even half can be read in a row."""
    letters = _plain(screen)
    for text in texts:
        wanted = _plain(text)
        matcher = SequenceMatcher(None, wanted, letters, autojunk=False)
        if wanted and matcher.find_longest_match().size * 2 < len(wanted):
            yield text


async def objection(task: Task, now: Frame, read: Read) -> tuple[str, str]:
    """Why the last step's Done does not count yet, once in a stretch; and what to tell the person.

    Both are mostly "" .
    """
    steps = task.steps[task.stretch :]
    thought = steps[-1].turn.thought if steps[-1].turn else ""
    texts = seen(f"{thought}\n{claimed(steps[-1])}")
    if not texts or any(UNREAD in step.outcome for step in steps):
        return "", ""
    screen = await read(now)
    if screen is None:
        return "", NOT_COMPARED
    gone = await asyncio.to_thread(lambda: list(missing(texts, screen)))
    words = "; ".join(f'"{text}"' for text in gone)
    return (f"{BACK} {UNREAD} {words}. Look at the new screenshot again." if gone else ""), ""


def _plain(text: str) -> str:
    """Without what reading confuses: capitals, spaces, signs."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())
