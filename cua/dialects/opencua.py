"""OpenCUA, Kimi and EvoCUA's first style: `pyautogui` code, which is read and never run.

    ## Action:
    Click on OK.
    ## Code:
    ```python
    pyautogui.click(x=640, y=360)
    ```

OpenCUA-7B and 32B count in pixels of the resized screenshot; OpenCUA-72B and Kimi in fractions.
Kimi at times writes values above 1. They are refused: which picture's pixels they count is not
documented, and 1 could mean either.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from ..types import FormatError, ParsedReply
from . import python_calls
from .coordinates import FRACTIONS, CoordinateSpace
from .family import Family
from .holding import join_parts
from .received_reply import ReceivedReply

TEACHING = (
    "Write `## Action:` with one sentence, then `## Code:` and a ```python block with calls such "
    "as pyautogui.click(x=…, y=…)."
)
_FENCE = re.compile(r"^[ \t]*```[ \t]*[\w+-]{0,20}[ \t]*$", re.MULTILINE)
_BARE = re.compile(r"^[ \t]*(?=(?:pyautogui|computer|time)\.\w)", re.MULTILINE)
_HEADING = re.compile(
    r"^#+[ \t]*(?:step|thought|action|code)\b.{0,20}?:?[ \t]*$", re.MULTILINE | re.IGNORECASE
)


class OpenCua(Family):
    name = "opencua"
    scale: CoordinateSpace | None = None
    factor = 28

    def read(self, reply: ReceivedReply) -> ParsedReply:
        if reply.calls:
            raise FormatError(f"Function calls are not used here. {TEACHING}")
        words, code = _code(reply.text)
        if not code.strip():
            raise FormatError(f"There was no code in the reply. {TEACHING}")
        return ParsedReply(words, tuple(join_parts(python_calls.parts(code, reply.space))))

    def call_end(self, text: str, at: int, before: int) -> int | None:
        start = _FENCE.search(text, at, before)
        end = _FENCE.search(text, start.end()) if start else None
        return end.end() if end else None


class OpenCua72B(OpenCua):
    name = "opencua_72b"
    scale = FRACTIONS
    factor = 0


class Kimi(OpenCua72B):
    """Trained without a heading over its thought."""

    name = "kimi"
    sampling = MappingProxyType({"temperature": 1.0, "top_p": 0.95})


def _code(text: str) -> tuple[str, str]:
    """Return the words, and the code of the last block; before it the model only drafts."""
    text = text.replace("\r\n", "\n")
    fences = list(_FENCE.finditer(text))
    if fences:
        opening, end = fences[-2 if len(fences) > 1 else -1], fences[-1]
        if len(fences) % 2 or text[end.end() :].strip():
            raise FormatError(f"The reply must end with a closed code block. {TEACHING}")
        words, code = text[: opening.start()], text[opening.end() : end.start()]
    else:
        bare = _BARE.search(text)
        words, code = (text[: bare.start()], text[bare.start() :]) if bare else (text, "")
    return _HEADING.sub("", words).strip(), code
