"""Keys by other names: what a report says in usages, other protocols call `KeyA` or 0xFF0D.

`KeyboardEvent.code` names a place on the keyboard, as a usage does; a keysym names what is printed
on the key, which is that of a US keyboard here.
"""

from __future__ import annotations

_FROM_ENTER = """
Enter Escape Backspace Tab Space Minus Equal BracketLeft BracketRight Backslash Backslash Semicolon
Quote Backquote Comma Period Slash CapsLock
"""
"""The second Backslash is the same key on a keyboard with a tall Enter."""
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
