"""HID reports -> XTEST. As on a Linux host, differences between reports count.

X keycodes are those of Linux plus 8 under the evdev rules that Xvfb uses.
"""

from __future__ import annotations

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from ...simulator.usbhost import ROLL_OVER, to_signed

_CODES = """
    30 48 46 32 18 33 34 35 23 36 37 38 50 49 24 25 16 19 31 20 22 47 17 45 21 44
    2 3 4 5 6 7 8 9 10 11 28 1 14 15 57 12 13 26 27 43 43 39 40 41 51 52 53 58
    59 60 61 62 63 64 65 66 67 68 87 88 99 70 119 110 102 104 111 107 109 106 105 108 103
    69 98 55 74 78 96 79 80 81 75 76 77 71 72 73 82 83 86 127
"""
LINUX = dict(enumerate(map(int, _CODES.split()), start=4))
"""HID usage (page 7) -> Linux key code."""
MODIFIERS = (29, 42, 56, 125, 97, 54, 100, 126)
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
        self._modifiers = 0
        self._keys = bytes(6)
        self._buttons = {1: 0, 2: 0}
        self._place = (0, 0)

    def report(self, device: int, data: bytes, at: float) -> None:
        """One report of device 0 (keyboard), 1 (relative mouse) or 2 (absolute pointer)."""
        del at
        (self._keyboard, self._mouse, self._pointer)[device](data)
        self._x.flush()

    def _keyboard(self, data: bytes) -> None:
        for bit, code in enumerate(MODIFIERS):
            if (data[0] ^ self._modifiers) >> bit & 1:
                self._key(code, down=bool(data[0] >> bit & 1))
        self._modifiers, keys = data[0], data[2:8]
        if ROLL_OVER in keys:
            return
        for usage in set(self._keys) - set(keys):
            self._key(LINUX.get(usage, 0), down=False)
        for usage in keys:
            if usage not in self._keys:
                self._key(LINUX.get(usage, 0), down=True)
        self._keys = keys

    def _key(self, code: int, *, down: bool) -> None:
        if code:
            self._fake(X.KeyPress if down else X.KeyRelease, code + KEYCODE)

    def _mouse(self, data: bytes) -> None:
        if data[1] or data[2]:
            self._fake(X.MotionNotify, 1, x=to_signed(data[1]), y=to_signed(data[2]))
        self._press(1, data[0] & 7, data[3])

    def _pointer(self, data: bytes) -> None:
        place = (data[1] | data[2] << 8, data[3] | data[4] << 8)
        if place != self._place:  # Linux drops a position that is equal to the last one
            self._place = place
            width, height = self._size
            self._fake(X.MotionNotify, 0, x=place[0] * width >> 15, y=place[1] * height >> 15)
        self._press(2, data[0] & 31, data[5])

    def _press(self, device: int, buttons: int, wheel: int) -> None:
        for bit, button in enumerate(BUTTONS):
            if (buttons ^ self._buttons[device]) >> bit & 1:
                down = bool(buttons >> bit & 1)
                self._fake(X.ButtonPress if down else X.ButtonRelease, button)
        self._buttons[device] = buttons
        for _ in range(abs(to_signed(wheel))):
            button = WHEEL_UP if to_signed(wheel) > 0 else WHEEL_DOWN
            self._fake(X.ButtonPress, button)
            self._fake(X.ButtonRelease, button)

    def _fake(self, kind: int, detail: int, **where: int) -> None:
        xtest.fake_input(self._x, kind, detail, **where)
