"""Chords that are risky on their own."""

from __future__ import annotations

from collections.abc import Sequence

from ...hid import keymap
from ...types import ActionError, Keypress, ManualAction, Type, Wait

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
"""Risky keys after another chord."""

_SINGLE = {
    "POWER": ("power", "The power key."),
    "SLEEP": ("power", "The sleep key."),
    "POWEROFF": ("power", "The power key."),
}


def name(action: ManualAction) -> str:
    """Return a normalised name such as CTRL+ALT+DELETE or CTRL+CLICK; "" if not a chord."""
    if isinstance(action, (Type, Wait)) or not action.keys:
        return ""
    pressed = _read(action.keys)
    return "+".join(pressed if isinstance(action, Keypress) else [*pressed, action.kind.upper()])


def complete(action: ManualAction) -> list[str]:
    """Return all chords that occur on the way: keys go down one after the other, so
    CTRL+ALT+DELETE+A contains Ctrl+Alt+Del, and ALT+TAB+F4 contains Alt+F4."""
    if not isinstance(action, Keypress):
        return [name(action)] if name(action) else []
    pressed = _read(action.keys)
    held = [each for each in pressed if each in _ORDER]
    return ["+".join([*held, each]) for each in pressed[len(held) :]] or ["+".join(held)]


def risk(action: ManualAction, before: Sequence[str]) -> tuple[str, str] | None:
    joined, pressed = name(action), complete(action)
    if "PRINTSCREEN" in joined and "ALT" in joined and not joined.endswith("PRINTSCREEN"):
        return "system keys", "A SysRq command to the kernel."
    if isinstance(action, Type):
        pressed = [action.text[0].upper()]
    after = [AFTER.get((old, each)) for old in before for each in pressed]
    alone = [CHORDS.get(each) or _SINGLE.get(each) for each in [joined, *pressed]]
    return next((found for found in [*alone, *after] if found), None)


def _read(names: Sequence[str]) -> list[str]:
    """Return key names, modifiers first; unchanged if one is unknown, as it cannot be pressed."""
    try:
        keys = [keymap.key(each) for each in names]
    except ActionError:
        return [each.strip().upper() for each in names]
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    held = [each for each in _ORDER if modifiers & _bits(each)]
    usages = dict.fromkeys(each.usage for each in keys if each.usage)
    return [*held, *(_NAMES.get(usage, hex(usage)) for usage in usages)]


def _bits(modifier: str) -> int:
    return keymap.MODIFIERS[modifier] | keymap.MODIFIERS[f"R{modifier}"]


def _names() -> dict[int, str]:
    characters = "abcdefghijklmnopqrstuvwxyz0123456789 -=[]\\;'`,./"
    return {keymap.key(each).usage: each.upper() for each in (*characters, *keymap.NAMED)}


_NAMES = _names()
