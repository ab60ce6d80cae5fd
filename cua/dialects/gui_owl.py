"""GUI-Owl: Qwen's calls, in version 1 between a <thinking> and a <conclusion>.

Version 1 counts in pixels of the resized screenshot, 1.5 in thousandths; both ask with `interact`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..types import ParsedReply, Reply
from .coordinates import CoordinateSpace
from .qwen3_vl import Qwen3VL

_CONCLUSION = re.compile(r"</?conclusion>", re.IGNORECASE)


class GuiOwl15(Qwen3VL):
    name = "gui_owl_15"


class GuiOwl(Qwen3VL):
    name = "gui_owl"
    coordinate_space = None
    factor = 28
    shows_thinking = True

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        turn = super().read(reply, space)
        return replace(turn, thought=_CONCLUSION.sub("", turn.thought))
