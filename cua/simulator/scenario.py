"""How one run differs from another: the initial state, and what happens to disturb it. Only data.

As JSON, every key optional:

    {"files": {"Documents/todo.txt": "..."},          files that are there, null removes one
     "open": [{"program": "Notepad", "file": "Documents/todo.txt", "rect": [40, 40, 700, 480],
               "state": "maximised"}],                or "minimised"; programs that run at the start
     "delay": 1.5,                                    seconds that programs and pages take to open
     "icons": [{"label": "Networks", "icon": "network", "opens": "Terminal"}],    look-alikes
     "clock": "2025-03-14T09:26",                     what the clock shows at the start
     "boot": true,                                    start at the boot screen
     "post": 6,                                       seconds that the boot screen is shown
     "disturbances": [{"after": 5, "do": "update"},   seconds after the desktop came up, or
                      {"on": "Network", "do": "move", "by": [120, 60]},  when a program opens
                      {"after": 9, "do": "message", "title": "Battery", "text": "Plug it in."},
                      {"on": "Files", "do": "open", "program": "Notepad"},
                      {"after": 3, "do": "close", "program": "Notepad"},
                      {"after": 9, "do": "sleep"},       until a key or the mouse
                      {"after": 9, "do": "mode", "size": [1920, 1080]}]}

`on` may come with `after`: so many seconds after that program opened. "move" and "close" take
`program`, which is the one of `on` if it is left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .disk import Disk


@dataclass(frozen=True)
class Lookalike:
    label: str
    icon: str
    opens: str


@dataclass
class Scenario:
    files: dict[str, str | None] = field(default_factory=dict)
    open: list[dict[str, Any]] = field(default_factory=list)
    delay: float = 0.15
    icons: list[Lookalike] = field(default_factory=list)
    clock: str = ""
    boot: bool = False
    post: float = 6.0
    disturbances: list[dict[str, Any]] = field(default_factory=list)

    def prepare(self, disk: Disk) -> None:
        """Put the files on the disk; None takes one away."""
        for path, text in self.files.items():
            if text is None:
                disk.delete(path)
            else:
                disk.write(path, text)


def read_scenario(source: str) -> Scenario:
    """`source` is JSON, or the path of a file with it.

    Raises OSError, ValueError or TypeError if it is not there or not right.
    """
    text = source if source.lstrip().startswith("{") else Path(source).read_text("utf-8")
    data = json.loads(text)
    data["icons"] = [Lookalike(**icon) for icon in data.get("icons", [])]
    return Scenario(**data)
