"""Names of keys in other protocols: usage -> `KeyboardEvent.code` or X11 keysym.

`KeyboardEvent.code` names a key's place on the keyboard, as a usage does; a keysym names the
character on it, here that of a US keyboard.
"""

from __future__ import annotations

import functools

from ..hid.layouts import load_layout
from ..messages import Message
from ..types import ActionError

_FROM_ENTER = """
Enter Escape Backspace Tab Space Minus Equal BracketLeft BracketRight Backslash Backslash Semicolon
Quote Backquote Comma Period Slash CapsLock
"""
"""Codes from Enter on; the second Backslash is its place on a keyboard with a tall Enter."""
_FROM_PRINT_SCREEN = """
PrintScreen ScrollLock Pause Insert Home PageUp Delete End PageDown ArrowRight ArrowLeft ArrowDown
ArrowUp NumLock NumpadDivide NumpadMultiply NumpadSubtract NumpadAdd NumpadEnter
"""

CODES: dict[int, str] = {
    **{4 + n: f"Key{chr(65 + n)}" for n in range(26)},
    **{0x1E + n: f"Digit{(n + 1) % 10}" for n in range(10)},
    **dict(enumerate(_FROM_ENTER.split(), 0x28)),
    **{0x3A + n: f"F{n + 1}" for n in range(12)},
    **dict(enumerate(_FROM_PRINT_SCREEN.split(), 0x46)),
    **{0x59 + n: f"Numpad{(n + 1) % 10}" for n in range(10)},
    0x63: "NumpadDecimal",
    0x64: "IntlBackslash",
    0x65: "ContextMenu",
    **{0x68 + n: f"F{n + 13}" for n in range(12)},
    0x87: "IntlRo",
    0x88: "KanaMode",
    0x89: "IntlYen",
    0x8A: "Convert",
    0x8B: "NonConvert",
    0xE0: "ControlLeft",
    0xE1: "ShiftLeft",
    0xE2: "AltLeft",
    0xE3: "MetaLeft",
    0xE4: "ControlRight",
    0xE5: "ShiftRight",
    0xE6: "AltRight",
    0xE7: "MetaRight",
}
"""Usage -> `KeyboardEvent.code`."""

_KEYSYMS: dict[int, int] = {
    0x28: 0xFF0D, 0x29: 0xFF1B, 0x2A: 0xFF08, 0x2B: 0xFF09, 0x2C: 0x20, 0x39: 0xFFE5,
    **{0x3A + n: 0xFFBE + n for n in range(12)},  # F1..
    0x46: 0xFF61, 0x47: 0xFF14, 0x48: 0xFF13, 0x49: 0xFF63, 0x4A: 0xFF50, 0x4B: 0xFF55,
    0x4C: 0xFFFF, 0x4D: 0xFF57, 0x4E: 0xFF56, 0x4F: 0xFF53, 0x50: 0xFF51, 0x51: 0xFF54,
    0x52: 0xFF52, 0x53: 0xFF7F, 0x54: 0xFFAF, 0x55: 0xFFAA, 0x56: 0xFFAD, 0x57: 0xFFAB,
    0x58: 0xFF8D, **{0x59 + n: 0xFFB0 + (n + 1) % 10 for n in range(10)}, 0x63: 0xFFAE,
    0x64: 0x3C, 0x65: 0xFF67, 0x67: 0xFFBD, **{0x68 + n: 0xFFCA + n for n in range(12)},
    0xE0: 0xFFE3, 0xE1: 0xFFE1, 0xE2: 0xFFE9, 0xE3: 0xFFEB,
    0xE4: 0xFFE4, 0xE5: 0xFFE2, 0xE6: 0xFE03, 0xE7: 0xFFEC,
}  # fmt: skip
"""Usage -> keysym (X11's keysymdef.h) of keys without a character, or with one only."""


@functools.cache
def _printed() -> dict[tuple[int, bool], str]:
    """Return usage and whether Shift is pressed -> the character of a US keyboard."""
    table = load_layout("us").tables["windows"]
    keys = ((character, entry[0]) for character, entry in table.items() if len(entry) == 1)
    return {(key.usage, bool(key.modifiers)): character for character, key in keys}


def find_code(usage: int) -> str:
    """Return the `KeyboardEvent.code`. Raises `ActionError` for a key without one."""
    if usage not in CODES:
        raise ActionError(Message("kvm.key_not_passed_on", usage=f"{usage:#x}"))
    return CODES[usage]


def find_keysym(usage: int, *, shifted: bool) -> int:
    """Return the keysym. Raises `ActionError` for a key without one."""
    if usage in _KEYSYMS:
        return _KEYSYMS[usage]
    if (usage, shifted) not in _printed():
        raise ActionError(Message("kvm.key_not_passed_on", usage=f"{usage:#x}"))
    return ord(_printed()[usage, shifted])
