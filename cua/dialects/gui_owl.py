"""GUI-Owl 1: Qwen2.5's calls between a <thinking> and a <conclusion>; it asks with `interact`."""

from __future__ import annotations

import re
from dataclasses import replace

from ..types import ParsedReply, Reply
from .coordinates import CoordinateSpace
from .qwen3_vl import Qwen25VL

_CONCLUSION = re.compile(r"</?conclusion>", re.IGNORECASE)


class GuiOwl(Qwen25VL):
    shows_thinking = True

    def read(self, reply: Reply, space: CoordinateSpace) -> ParsedReply:
        parsed = super().read(reply, space)
        return replace(parsed, thought=_CONCLUSION.sub("", parsed.thought))
