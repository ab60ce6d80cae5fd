"""A window over the whole of an X display that tells which keys and buttons arrive there."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from typing import Any

from Xlib import X
from Xlib.error import ConnectionClosedError

from tests.support.x_display import connect


@dataclass
class Witness:
    """`typed`: what a text field would hold; keys are keysyms."""

    name: str
    typed: str = ""
    keys: list[tuple[int, bool]] = field(default_factory=list)
    buttons: list[tuple[int, bool, int, int]] = field(default_factory=list)
    path: list[tuple[int, int]] = field(default_factory=list)
    held: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._display = connect(self.name)
        self.screen = self._display.screen()
        ready = threading.Event()
        threading.Thread(target=self._watch, args=(ready,), daemon=True).start()
        ready.wait()

    def _watch(self, ready: threading.Event) -> None:
        size = (self.screen.width_in_pixels, self.screen.height_in_pixels)
        mask = X.KeyPressMask | X.KeyReleaseMask | X.ButtonPressMask | X.ButtonReleaseMask
        window = self.screen.root.create_window(
            *(0, 0, *size, 0, self.screen.root_depth),
            background_pixel=self.screen.white_pixel,
            event_mask=mask | X.PointerMotionMask | X.ExposureMask,
        )
        window.map()
        self._display.sync()
        while self._display.next_event().type != X.Expose:
            pass
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()
        ready.set()
        with contextlib.suppress(ConnectionClosedError):
            while True:
                self._take(self._display.next_event())

    def _take(self, event: Any) -> None:
        if event.type in (X.KeyPress, X.KeyRelease):
            self._key(event)
        elif event.type in (X.ButtonPress, X.ButtonRelease):
            down = event.type == X.ButtonPress
            self.buttons.append((event.detail, down, event.event_x, event.event_y))
        elif event.type == X.MotionNotify:
            self.path.append((event.event_x, event.event_y))

    def _key(self, event: Any) -> None:
        shift = bool(event.state & X.ShiftMask)
        symbol = self._display.keycode_to_keysym(event.detail, int(shift))
        plain = self._display.keycode_to_keysym(event.detail, 0)
        down = event.type == X.KeyPress
        self.keys.append((plain, down))
        (self.held.add if down else self.held.discard)(plain)
        if down:
            self.typed += {0xFF0D: "\n", 0xFF09: "\t"}.get(
                symbol, chr(symbol) if symbol < 256 else ""
            )
