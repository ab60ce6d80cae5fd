"""A Linux desktop's own reading of key reports: libxkbcommon, its layouts and its dead keys.

Independent of our tables, so that a wrong one cannot agree with itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

OTHERWISE = {
    # our layout -> layout and variant of xkeyboard-config
    "us-intl": ("us", "intl"), "dvorak": ("us", "dvorak"), "colemak": ("us", "colemak"),
    "uk": ("gb", ""), "ch-de": ("ch", ""), "ch-fr": ("ch", "fr"), "ca-fr": ("ca", ""),
}  # fmt: skip
_LETTERS = "30 48 46 32 18 33 34 35 23 36 37 38 50 49 24 25 16 19 31 20 22 47 17 45 21 44"
_REST = "28 1 14 15 57 12 13 26 27 43 43 39 40 41 51 52 53 58"
CODES = {
    # usage of a key -> what Linux calls it, as in its hid-input.c
    **{4 + n: int(code) for n, code in enumerate(_LETTERS.split())},
    **{0x1E + n: 2 + n for n in range(10)},
    **{0x28 + n: int(code) for n, code in enumerate(_REST.split())},
    **{0x64: 86, 0x87: 89, 0x89: 124},
}
MODIFIERS = (29, 42, 56, 125, 97, 54, 100, 126)
TO_XKB = 8
COMPOSING, COMPOSED = 1, 2
IGNORED = 0


class _Names(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")
    ]


def _library() -> ctypes.CDLL:
    """Raises `OSError` where there is none."""
    xkb = ctypes.CDLL("libxkbcommon.so.0")
    pointer, number = ctypes.c_void_p, ctypes.c_uint32
    for name, *arguments in (
        ("xkb_context_new", number),
        ("xkb_keymap_new_from_names", pointer, ctypes.POINTER(_Names), number),
        ("xkb_state_new", pointer),
        ("xkb_compose_table_new_from_locale", pointer, ctypes.c_char_p, number),
        ("xkb_compose_state_new", pointer, number),
    ):
        getattr(xkb, name).restype = pointer
        getattr(xkb, name).argtypes = arguments
    xkb.xkb_state_update_key.argtypes = [pointer, number, number]
    xkb.xkb_state_key_get_one_sym.argtypes = [pointer, number]
    xkb.xkb_compose_state_feed.argtypes = [pointer, number]
    for name in ("get_status", "reset", "get_one_sym"):
        getattr(xkb, f"xkb_compose_state_{name}").argtypes = [pointer]
    xkb.xkb_keysym_to_utf32.argtypes = [number]
    return xkb


class Desktop:
    """A keyboard layout on which text is typed. Raises `OSError` without libxkbcommon."""

    def __init__(self, layout: str) -> None:
        self._xkb = _library()
        xkb = self._xkb
        context = xkb.xkb_context_new(0)
        name, variant = OTHERWISE.get(layout, (layout, ""))
        names = _Names(b"evdev", b"pc105", name.encode(), variant.encode(), b"")
        keymap = xkb.xkb_keymap_new_from_names(context, names, 0)
        composing = xkb.xkb_compose_table_new_from_locale(context, b"en_US.UTF-8", 0)
        if not keymap or not composing:
            raise OSError(f"no {layout}: apt-get install xkb-data libx11-data")
        self._state = xkb.xkb_state_new(keymap)
        self._compose = xkb.xkb_compose_state_new(composing, 0)
        self._held: tuple[int, ...] = ()

    def types(self, reports: Iterable[bytes]) -> str:
        """The text that keyboard reports make; what a dead key waits for is lost at the end."""
        text = "".join(map(self._report, reports))
        self._xkb.xkb_compose_state_reset(self._compose)
        return text

    def _report(self, report: bytes) -> str:
        held = tuple(code for n, code in enumerate(MODIFIERS) if report[0] >> n & 1)
        held += tuple(CODES[usage] for usage in report[2:] if usage)
        for code in set(self._held) - set(held):
            self._xkb.xkb_state_update_key(self._state, code + TO_XKB, 0)
        fresh = [code for code in held if code not in self._held]
        self._held = held
        return "".join(map(self._down, fresh))

    def _down(self, code: int) -> str:
        xkb = self._xkb
        symbol = xkb.xkb_state_key_get_one_sym(self._state, code + TO_XKB)
        xkb.xkb_state_update_key(self._state, code + TO_XKB, 1)
        if xkb.xkb_compose_state_feed(self._compose, symbol) == IGNORED:  # Shift and its like
            return ""
        status = xkb.xkb_compose_state_get_status(self._compose)
        if status == COMPOSING:
            return ""
        if status == COMPOSED:
            symbol = xkb.xkb_compose_state_get_one_sym(self._compose)
        point = xkb.xkb_keysym_to_utf32(symbol)
        return {0: "", 13: "\n"}.get(point, chr(point))
