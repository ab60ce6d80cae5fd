"""Keys pressed together, and the few that do harm without a word being typed."""

from __future__ import annotations

from collections.abc import Sequence

from ..hid import keymap
from ..types import ActionError, Click, Keypress, Manual

_ORDER = ("CTRL", "ALT", "SHIFT", "WIN")

CHORDS: dict[str, tuple[str, str]] = {
    "CTRL+ALT+DELETE": ("system keys", "Ctrl+Alt+Del: the security screen, or a restart."),
    "CTRL+ALT+END": ("system keys", "Ctrl+Alt+Del of a remote computer."),
    "CTRL+ALT+BACKSPACE": ("system keys", "It can end the whole graphical session."),
    "ALT+F4": ("closes", "Alt+F4 closes the program, or shuts down from the desktop."),
    "SHIFT+DELETE": ("deletes", "Shift+Delete deletes for good, past the recycle bin."),
    "SHIFT+KP.": ("deletes", "Shift+Delete deletes for good, past the recycle bin."),
    "CTRL+SHIFT+DELETE": ("deletes", "It clears browsing data."),
    "ALT+SHIFT+WIN+BACKSPACE": ("deletes", "It empties the trash."),
    "WIN+BACKSPACE": ("deletes", "It moves what is selected to the trash."),
    "ALT+WIN+BACKSPACE": ("deletes", "It deletes what is selected at once."),
    "SHIFT+WIN+BACKSPACE": ("deletes", "It empties the trash."),
    "ALT+SHIFT+WIN+Q": ("power", "It logs out at once."),
    "SHIFT+WIN+Q": ("power", "It logs out."),
    "ALT+WIN+ESC": ("closes", "It forces a program to quit."),
    "CTRL+SHIFT+ENTER": ("elevated", "It runs what was chosen as administrator."),
    "CTRL+SHIFT+CLICK": ("elevated", "On a taskbar it starts the program as administrator."),
    "WIN+L": ("system keys", "It locks the session; the agent cannot unlock it."),
    "CTRL+ALT+L": ("system keys", "It locks the session; the agent cannot unlock it."),
    "CTRL+WIN+Q": ("system keys", "It locks the session; the agent cannot unlock it."),
    "CTRL+SHIFT+Q": ("closes", "It closes the whole program, or logs out."),
    "CTRL+WIN+F4": ("closes", "It closes the virtual desktop."),
}

AFTER: dict[tuple[str, str], tuple[str, str]] = {
    ("WIN+X", "A"): ("elevated", "It opens a terminal with administrator rights."),
    ("WIN+X", "U"): ("power", "It opens the menu with shutdown and restart."),
    ("WIN+X", "ALT+U"): ("power", "It opens the menu with shutdown and restart."),
    ("WIN+X", "ALT+A"): ("elevated", "It opens a terminal with administrator rights."),
}
"""What a key does after another one."""

_SINGLE = {
    "POWER": ("power", "The power key."),
    "SLEEP": ("power", "The sleep key."),
    "POWEROFF": ("power", "The power key."),
}


def name(action: Manual) -> str:
    """Such as CTRL+ALT+DELETE, whatever the keys were called, or CTRL+CLICK; "" for what is no
    chord."""
    if isinstance(action, Click):
        held = [each.removeprefix("R") for each in action.keys]
        return "+".join([*(each for each in _ORDER if each in held), "CLICK"]) if held else ""
    if not isinstance(action, Keypress):
        return ""
    try:
        keys = [keymap.key(each) for each in action.keys]
    except ActionError:
        return "+".join(each.strip().upper() for each in action.keys)
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    held = [each for each in _ORDER if modifiers & _bits(each)]
    usages = dict.fromkeys(each.usage for each in keys if each.usage)
    return "+".join([*held, *(_NAMES.get(usage, hex(usage)) for usage in usages)])


def risk(action: Manual, before: Sequence[str]) -> tuple[str, str] | None:
    pressed = name(action)
    if "PRINTSCREEN" in pressed and "ALT" in pressed and not pressed.endswith("PRINTSCREEN"):
        return "system keys", "A SysRq command to the kernel."
    found = CHORDS.get(pressed) or _SINGLE.get(pressed)
    return found or next((AFTER[(old, pressed)] for old in before if (old, pressed) in AFTER), None)


def _bits(modifier: str) -> int:
    return keymap.MODIFIERS[modifier] | keymap.MODIFIERS[f"R{modifier}"]


def _names() -> dict[int, str]:
    characters = "abcdefghijklmnopqrstuvwxyz0123456789 -=[]\\;'`,./"
    return {keymap.key(each).usage: each.upper() for each in (*characters, *keymap.NAMED)}


_NAMES = _names()
