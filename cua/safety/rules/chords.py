"""Chords that are risky on their own."""

from __future__ import annotations

from collections.abc import Sequence

from ...hid import keymap
from ...messages import Message
from ...types import ActionError, Keypress, ManualAction, Type, Wait

MODIFIERS = ("CTRL", "ALT", "SHIFT", "WIN")

CHORDS: dict[str, tuple[str, str]] = {
    "CTRL+ALT+DELETE": ("system keys", Message("rules.ctrl_alt_del")),
    "CTRL+ALT+END": ("system keys", Message("rules.remote_ctrl_alt_del")),
    "CTRL+ALT+BACKSPACE": ("system keys", Message("rules.ends_graphics")),
    "ALT+F4": ("closes", Message("rules.alt_f4")),
    "SHIFT+DELETE": ("deletes", Message("rules.shift_delete")),
    "SHIFT+KP.": ("deletes", Message("rules.shift_delete")),
    "CTRL+SHIFT+DELETE": ("deletes", Message("rules.clears_browsing_data")),
    "ALT+SHIFT+WIN+BACKSPACE": ("deletes", Message("rules.empties_trash")),
    "WIN+BACKSPACE": ("deletes", Message("rules.moves_to_trash")),
    "WIN+DELETE": ("deletes", Message("rules.moves_to_trash")),
    "ALT+WIN+BACKSPACE": ("deletes", Message("rules.deletes_selection")),
    "SHIFT+WIN+BACKSPACE": ("deletes", Message("rules.empties_trash")),
    "ALT+SHIFT+WIN+Q": ("power", Message("rules.logs_out_at_once")),
    "SHIFT+WIN+Q": ("power", Message("rules.logs_out")),
    "ALT+WIN+ESC": ("closes", Message("rules.forces_quit")),
    "CTRL+SHIFT+ENTER": ("elevated", Message("rules.runs_as_admin")),
    "CTRL+SHIFT+CLICK": ("elevated", Message("rules.taskbar_admin")),
    "WIN+L": ("system keys", Message("rules.locks")),
    "CTRL+ALT+L": ("system keys", Message("rules.locks")),
    "CTRL+WIN+Q": ("system keys", Message("rules.locks")),
    "CTRL+SHIFT+Q": ("closes", Message("rules.closes_program")),
    "POWER": ("power", Message("rules.power_key")),
    "SLEEP": ("power", Message("rules.sleep_key")),
    "POWEROFF": ("power", Message("rules.power_key")),
    "CTRL+WIN+F4": ("closes", Message("rules.closes_desktop")),
}

AFTER: dict[tuple[str, str], tuple[str, str]] = {
    ("WIN+X", "A"): ("elevated", Message("rules.admin_terminal")),
    ("WIN+X", "U"): ("power", Message("rules.power_menu")),
    ("WIN+X", "ALT+U"): ("power", Message("rules.power_menu")),
    ("WIN+X", "ALT+A"): ("elevated", Message("rules.admin_terminal")),
}
"""Risky keys after another chord."""


def get_name(action: ManualAction) -> str:
    """Return a normalised name such as CTRL+ALT+DELETE or CTRL+CLICK; "" if not a chord."""
    if isinstance(action, (Type, Wait)) or not action.keys:
        return ""
    pressed = _read(action.keys)
    return "+".join(pressed if isinstance(action, Keypress) else [*pressed, action.kind.upper()])


def get_pressed(action: ManualAction) -> list[str]:
    """Return all chords that occur on the way: keys go down one after the other, so
    CTRL+ALT+DELETE+A contains Ctrl+Alt+Del, and ALT+TAB+F4 contains Alt+F4."""
    if not isinstance(action, Keypress):
        return [get_name(action)] if get_name(action) else []
    pressed = _read(action.keys)
    held = [each for each in pressed if each in MODIFIERS]
    return ["+".join([*held, each]) for each in pressed[len(held) :]] or ["+".join(held)]


def find_risk(action: ManualAction, before: Sequence[str]) -> tuple[str, str] | None:
    joined, pressed = get_name(action), get_pressed(action)
    if "PRINTSCREEN" in joined and "ALT" in joined and not joined.endswith("PRINTSCREEN"):
        return "system keys", Message("rules.sysrq")
    if isinstance(action, Type):
        pressed = [action.text[0].upper()]
    after = [AFTER.get((old, each)) for old in before for each in pressed]
    alone = [CHORDS.get(each) for each in [joined, *pressed]]
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
    bits = {name: keymap.MODIFIERS[name] | keymap.MODIFIERS[f"R{name}"] for name in MODIFIERS}
    held = [name for name in MODIFIERS if modifiers & bits[name]]
    usages = dict.fromkeys(each.usage for each in keys if each.usage)
    return [*held, *(_NAMES.get(usage, hex(usage)) for usage in usages)]


_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -=[]\\;'`,./"
_NAMES = {keymap.key(each).usage: each.upper() for each in (*_SIGNS, *keymap.NAMED)}
