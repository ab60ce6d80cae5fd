"""EvoCUA in its second style: Qwen3-VL's calls, with keys that are held over several calls."""

from __future__ import annotations

from .qwen3_vl import Qwen3VL


class EvoCua(Qwen3VL):
    name = "evocua"
