"""The keys of a US keyboard, by their HID usage (page 7)."""

from __future__ import annotations

MODIFIERS = ("ctrl", "shift", "alt", "meta", "ctrl", "shift", "alt", "meta")
"""What the bits of the first byte of a keyboard report are called here, left and right alike."""


def _keys() -> dict[int, tuple[str, str, str]]:
    keys = {4 + i: (c, c, c.upper()) for i, c in enumerate("abcdefghijklmnopqrstuvwxyz")}
    pairs = ["1!", "2@", "3#", "4$", "5%", "6^", "7&", "8*", "9(", "0)"]
    keys |= {0x1E + i: (pair[0], pair[0], pair[1]) for i, pair in enumerate(pairs)}
    signs = {0x2D: "-_", 0x2E: "=+", 0x2F: "[{", 0x30: "]}", 0x31: "\\|", 0x33: ";:"}
    signs |= {0x34: "'\"", 0x35: "`~", 0x36: ",<", 0x37: ".>", 0x38: "/?"}
    keys |= {usage: (pair[0], pair[0], pair[1]) for usage, pair in signs.items()}
    for usage, name, char in ((0x28, "enter", "\n"), (0x2B, "tab", "\t"), (0x2C, "space", " ")):
        keys[usage] = (name, char, char)
    for i, char in enumerate("/*-+"):
        keys[0x54 + i] = ("kp" + char, char, char)
    keys[0x58] = ("enter", "\n", "\n")
    for i, char in enumerate("1234567890."):
        keys[0x59 + i] = (char, char, char)
    return {**keys, **_silent()}


def _silent() -> dict[int, tuple[str, str, str]]:
    names = {0x29: "esc", 0x2A: "backspace", 0x39: "capslock", 0x65: "menu"}
    names |= {0x3A + i: f"f{i + 1}" for i in range(12)}
    rest = "printscreen scrolllock pause insert home pageup delete end pagedown right left down up"
    names |= {0x46 + i: name for i, name in enumerate((rest + " numlock").split())}
    return {usage: (name, "", "") for usage, name in names.items()}


KEYS = _keys()
"""Usage -> name, character, character with shift; "" where there is none."""
