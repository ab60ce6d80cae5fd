"""The differences between runs: the initial state and the disturbances. Only data.

As JSON, every key optional:

    {"files": {"Documents/todo.txt": "..."},          additional files
     "open": [{"program": "Notepad", "file": "Documents/todo.txt", "rect": [40, 40, 700, 480]}],
                                                      programs that are open at the start
     "delay": 1.5,                                    seconds in which programs and pages open
     "icons": [{"label": "Networks", "icon": "network", "opens": "Terminal"}],    look-alikes
     "look": {"colors": {"#fefefe": "#1e293b"},       instead of those of paint.py
              "font": "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf", "text_scale": 1.2,
              "words": {"Save": "Salva"}},            labels in another language; /state keeps ours
     "boot": true,                                    start at the boot screen
     "post": 6,                                       seconds that the boot screen is shown
     "disturbances": [{"after": 5, "do": "update"},   seconds after the desktop came up, or
                      {"on": "Network", "do": "move", "by": [120, 60]},  when a program opens
                      {"after": 9, "do": "message", "title": "Battery", "text": "Plug it in."},
                      {"after": 9, "do": "sleep"},       until a key or the mouse
                      {"after": 9, "do": "mode", "size": [1920, 1080]}]}

`on` with `after`: so many seconds after that program opened. "move" may have `program`; its default
is that of `on`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Scenario:
    files: dict[str, str] = field(default_factory=dict)
    open: list[dict[str, Any]] = field(default_factory=list)
    delay: float = 0.15
    icons: list[dict[str, str]] = field(default_factory=list)
    look: dict[str, Any] = field(default_factory=dict)
    boot: bool = False
    post: float = 6.0
    disturbances: list[dict[str, Any]] = field(default_factory=list)


def read_scenario(text: str) -> Scenario:
    """Read JSON. Raises ValueError or TypeError."""
    return Scenario(**json.loads(text))
