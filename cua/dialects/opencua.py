"""OpenCUA, Kimi and EvoCUA's first style: `pyautogui` code, which is read and never run.

    ## Action:
    Click on OK.
    ## Code:
    ```python
    pyautogui.click(x=640, y=360)
    ```

OpenCUA-7B and 32B count in pixels of the resized screenshot; OpenCUA-72B and Kimi in fractions.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from ..types import FormatError, Turn
from . import python_calls
from .coordinates import FRACTIONS, Space
from .family import Family, Heard
from .holding import joined

TEACHING = (
    "Write `## Action:` with one sentence, then `## Code:` and a ```python block with calls such "
    "as pyautogui.click(x=…, y=…)."
)
_BLOCK = re.compile(
    r"^[ \t]*```[ \t]*(?:python|py|code)?[ \t]*$(.*?)^[ \t]*```",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_BARE = re.compile(r"^[ \t]*(?=(?:pyautogui|computer|time)\.\w)", re.MULTILINE)
_HEADING = re.compile(
    r"^#+[ \t]*(?:step|thought|action|code)\b.{0,20}?:?[ \t]*$", re.MULTILINE | re.IGNORECASE
)


class OpenCua(Family):
    name = "opencua"
    scale: Space | None = None
    factor = 28

    def read(self, heard: Heard) -> Turn:
        if heard.calls:
            raise FormatError(f"Function calls are not used here. {TEACHING}")
        words, code = _code(heard.text)
        if not code.strip():
            raise FormatError(f"There was no code in the reply. {TEACHING}")
        return Turn(words, tuple(joined(python_calls.parts(code, heard.space))))


class Kimi(OpenCua):
    name = "kimi"
    scale = FRACTIONS
    factor = 0
    sampling = MappingProxyType({"temperature": 1.0, "top_p": 0.95})


def _code(text: str) -> tuple[str, str]:
    """The words, and the code of the last block; before it the model only drafts."""
    text = text.replace("\r\n", "\n")
    blocks = list(_BLOCK.finditer(text if text.endswith("\n") else f"{text}\n"))
    if blocks:
        words, code = text[: blocks[-1].start()], blocks[-1][1]
    else:
        bare = _BARE.search(text)
        words, code = (text[: bare.start()], text[bare.start() :]) if bare else (text, "")
        code = code.rstrip("` \n")
    return _HEADING.sub("", words).strip(), code
