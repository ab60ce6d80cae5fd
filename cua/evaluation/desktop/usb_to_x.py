"""HID reports -> XTEST. As on a Linux host, differences between reports count.

X keycodes are those of Linux plus 8 under the evdev rules that Xvfb uses.
"""

from __future__ import annotations

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from ...hid.reports import ENDPOINTS, Endpoint
from ...kvms.report_diff import (
    MODIFIER,
    AbsoluteMove,
    ButtonEvent,
    Change,
    KeyEvent,
    RelativeMove,
    diff,
)

_CODES = """
    30 48 46 32 18 33 34 35 23 36 37 38 50 49 24 25 16 19 31 20 22 47 17 45 21 44
    2 3 4 5 6 7 8 9 10 11 28 1 14 15 57 12 13 26 27 43 43 39 40 41 51 52 53 58
    59 60 61 62 63 64 65 66 67 68 87 88 99 70 119 110 102 104 111 107 109 106 105 108 103
    69 98 55 74 78 96 79 80 81 75 76 77 71 72 73 82 83 86 127
"""
_MODIFIERS = (29, 42, 56, 125, 97, 54, 100, 126)
LINUX = dict(enumerate(map(int, _CODES.split()), 4)) | dict(enumerate(_MODIFIERS, MODIFIER))
"""HID usage (page 7) -> Linux key code."""
BUTTONS = (1, 3, 2, 8, 9)
"""X buttons of left, right, middle, back and forward."""
WHEEL_UP, WHEEL_DOWN = 4, 5
KEYCODE = 8


class UsbToX:
    """The three devices of a KVM at one X display."""

    def __init__(self, display: str) -> None:
        self._x = Display(display)
        screen = self._x.screen()
        self._size = (screen.width_in_pixels, screen.height_in_pixels)
        self._x.change_pointer_control(accel=(1, 1), threshold=0)
        self._last: dict[Endpoint, bytes] = {}
        self._place = AbsoluteMove(0, 0)

    def report(self, device: int, data: bytes, at: float) -> None:
        """Play a report of device 0 (keyboard), 1 (relative mouse) or 2 (absolute pointer)."""
        del at
        endpoint = ENDPOINTS[device]
        for change in diff(endpoint, self._last.get(endpoint), data):
            self._play(change)
        self._last[endpoint] = data
        self._x.flush()

    def _play(self, change: Change) -> None:
        if isinstance(change, KeyEvent):
            if code := LINUX.get(change.usage):
                self._fake(X.KeyPress if change.down else X.KeyRelease, code + KEYCODE)
        elif isinstance(change, ButtonEvent):
            self._fake(X.ButtonPress if change.down else X.ButtonRelease, BUTTONS[change.bit])
        elif isinstance(change, RelativeMove):
            self._fake(X.MotionNotify, 1, x=change.dx, y=change.dy)
        elif isinstance(change, AbsoluteMove):
            self._move(change)
        else:
            button = WHEEL_UP if change.notches > 0 else WHEEL_DOWN
            for _ in range(abs(change.notches)):
                self._fake(X.ButtonPress, button)
                self._fake(X.ButtonRelease, button)

    def _move(self, place: AbsoluteMove) -> None:
        if place != self._place:  # Linux drops a position that is equal to the last one
            self._place = place
            width, height = self._size
            self._fake(X.MotionNotify, 0, x=place.x * width >> 15, y=place.y * height >> 15)

    def _fake(self, kind: int, detail: int, **where: int) -> None:
        xtest.fake_input(self._x, kind, detail, **where)
