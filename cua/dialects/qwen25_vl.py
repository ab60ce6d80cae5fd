"""Qwen2.5-VL: the same calls as its successor, but places are pixels of the resized screenshot.

Its servers resize to multiples of 28 by themselves; so that is the size that is sent.
"""

from __future__ import annotations

from .qwen3_vl import Qwen3VL


class Qwen25VL(Qwen3VL):
    name = "qwen25_vl"
    coordinate_space = None
    factor = 28
