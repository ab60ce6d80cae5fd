"""Names of chords, and those that are risky, with the table `keys.rules`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...hid import keymap
from ...types import ActionError, Keypress, ManualAction, Type, Wait
from .rows import Found, Row, find_rows

MODIFIERS = ("CTRL", "ALT", "SHIFT", "WIN")


def get_name(action: ManualAction) -> str:
    """Return a normalised name such as CTRL+ALT+DELETE or CTRL+CLICK; "" if not a chord."""
    if isinstance(action, (Type, Wait)) or not action.keys:
        return ""
    pressed = read_keys(action.keys)
    return "+".join(pressed if isinstance(action, Keypress) else [*pressed, action.kind.upper()])


def get_pressed(action: ManualAction) -> list[str]:
    """Return all chords that an action contains: keys go down one after the other, so
    CTRL+ALT+DELETE+A contains Ctrl+Alt+Del, and ALT+TAB+F4 contains Alt+F4."""
    if not isinstance(action, Keypress):
        return [get_name(action)] if get_name(action) else []
    pressed = read_keys(action.keys)
    held = [each for each in pressed if each in MODIFIERS]
    return ["+".join([*held, each]) for each in pressed[len(held) :]] or ["+".join(held)]


def find_risk(action: ManualAction, before: Sequence[str], shown: Collection[str]) -> Found | None:
    """Return the first row that applies. `shown`: the result of `describe_screen`."""
    pressed = [get_name(action), *get_pressed(action)]
    if isinstance(action, Type):
        pressed = [action.text[:4].strip(), action.text[0], *["ENTER"][: action.text.count("\n")]]
    rows = [row for each in pressed for row in find_rows("keys", each.lower())]
    return next(((row.group, row.why) for row in rows if _applies(row, before, shown)), None)


def _applies(row: Row, before: Sequence[str], shown: Collection[str]) -> bool:
    given = {"after": {each.lower() for each in before}, "on": {*shown}, "off": {*shown}}
    found = {name: bool(given[name].intersection(terms)) for name, terms in row.clauses.items()}
    return all(met != (name == "off") for name, met in found.items())


def read_keys(names: Sequence[str]) -> list[str]:
    """Return key names, modifiers first; unchanged if one is unknown, as it cannot be pressed."""
    try:
        keys = [keymap.key(each) for each in names]
    except ActionError:
        return [each.strip().upper() for each in names]
    modifiers, usages = keymap.combine(keys)
    bits = {name: keymap.MODIFIERS[name] | keymap.MODIFIERS[f"R{name}"] for name in MODIFIERS}
    held = [name for name in MODIFIERS if modifiers & bits[name]]
    return [*held, *(_NAMES.get(usage, hex(usage)) for usage in usages)]


_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -=[]\\;'`,./"
_NAMES = {keymap.key(each).usage: each.upper() for each in (*_SIGNS, *keymap.NAMED)}
