"""GUI-Owl: Qwen's calls, in version 1 between a <thinking> and a <conclusion>.

Version 1 counts in pixels of the resized screenshot, 1.5 in thousandths; both ask with `interact`.
"""

from __future__ import annotations

import re

from ..types import Turn
from .family import Heard
from .qwen3_vl import Qwen3VL

_CONCLUSION = re.compile(r"</?conclusion>", re.IGNORECASE)


class GuiOwl15(Qwen3VL):
    name = "gui_owl_15"


class GuiOwl(Qwen3VL):
    name = "gui_owl"
    scale = None
    factor = 28
    thinks_aloud = True

    def read(self, heard: Heard) -> Turn:
        return super().read(heard._replace(text=_CONCLUSION.sub("", heard.text)))
