"""The state of the desktop for checks: X's windows, files, the web page."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from Xlib import X
from Xlib.display import Display
from Xlib.error import BadDrawable, BadWindow

from .pages import Pages
from .programs import TITLES

MAX_FILE_BYTES = 100_000


class DesktopState:
    def __init__(self, display: str, home: Path, pages: Pages) -> None:
        self._x = Display(display)
        self._root = self._x.screen().root
        self._home, self.pages = home, pages

    def __call__(self) -> dict[str, Any]:
        pointer = self._root.query_pointer()
        return {
            "phase": "desktop",
            "pointer": [pointer.root_x, pointer.root_y],
            "windows": self._windows(),
            "files": {self._path(each): _read(each) for each in self._visible() if each.is_file()},
            "folders": [self._path(each) for each in self._visible() if each.is_dir()],
            "page": self.pages.state,
        }

    def _windows(self) -> list[dict[str, Any]]:
        """Return the windows from the back to the front."""
        active = self._property(self._root, "_NET_ACTIVE_WINDOW")
        found = []
        for number in self._property(self._root, "_NET_CLIENT_LIST_STACKING"):
            with contextlib.suppress(BadWindow, BadDrawable, AttributeError):
                found.append(self._window(number, active=list(active) == [number]))
        return found

    def _window(self, number: int, *, active: bool) -> dict[str, Any]:
        window = self._x.create_resource_object("window", number)
        shape = window.get_geometry()
        place = window.translate_coords(self._root, 0, 0)
        frame = self._property(window, "_NET_FRAME_EXTENTS")
        left, right, top, bottom = frame or (0, 0, 0, 0)
        program = TITLES.get(window.get_wm_class()[1].lower(), window.get_wm_class()[1])
        x, y = -place.x - left, -place.y - top
        rect = [x, y, shape.width + left + right, shape.height + top + bottom]
        title = ["Title", program, [x + 60, y, rect[2] // 2, top]]
        shown = self.pages.state.get("targets", []) if program == "Browser" else []
        return {
            "program": program,
            "title": window.get_full_text_property(self._x.intern_atom("_NET_WM_NAME")) or "",
            "rect": rect,
            "active": active,
            "minimised": window.get_attributes().map_state != X.IsViewable,
            "targets": [title, *shown],
        }

    def _property(self, window: Any, name: str) -> Any:
        found = window.get_full_property(self._x.intern_atom(name), X.AnyPropertyType)
        return found.value if found else ()

    def _visible(self) -> list[Path]:
        return [
            p for p in self._home.rglob("*") if "/." not in str(p.relative_to(self._home.parent))
        ]

    def _path(self, path: Path) -> str:
        return str(path.relative_to(self._home))


def _read(file: Path) -> str:
    return file.read_bytes()[:MAX_FILE_BYTES].decode(errors="replace")
