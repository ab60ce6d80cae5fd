"""The table of keys: names and aliases -> HID usages. Characters are those of `layouts`.

Usages are those of the USB HID usage tables, page 7 (keyboard). Modifiers are bits of the first
byte of a keyboard report.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..messages import Message
from ..types import ActionError, modifiers
from .layouts import Key, Table, load_layout

MODIFIERS = {
    "CTRL": 0x01, "SHIFT": 0x02, "ALT": 0x04, "WIN": 0x08,
    "RCTRL": 0x10, "RSHIFT": 0x20, "RALT": 0x40, "RWIN": 0x80,
}  # fmt: skip

NAMED = {
    "ENTER": 0x28, "ESC": 0x29, "BACKSPACE": 0x2A, "TAB": 0x2B, "SPACE": 0x2C, "CAPSLOCK": 0x39,
    "PRINTSCREEN": 0x46, "SCROLLLOCK": 0x47, "PAUSE": 0x48, "INSERT": 0x49, "HOME": 0x4A,
    "PAGEUP": 0x4B, "DELETE": 0x4C, "END": 0x4D, "PAGEDOWN": 0x4E, "RIGHT": 0x4F, "LEFT": 0x50,
    "DOWN": 0x51, "UP": 0x52, "NUMLOCK": 0x53, "KP/": 0x54, "KP*": 0x55, "KP-": 0x56, "KP+": 0x57,
    "KPENTER": 0x58, "KP.": 0x63, "NONUS\\": 0x64, "MENU": 0x65, "KP=": 0x67,
    **{f"KP{digit}": 0x59 + (digit - 1) % 10 for digit in range(10)},
    **{f"F{n}": 0x3A + n - 1 for n in range(1, 13)},
    **{f"F{n}": 0x68 + n - 13 for n in range(13, 25)},
}  # fmt: skip

# Keys are looked up without case, spaces, underscores and hyphens, so `Page_Down` needs no row.
ALIASES = {
    **modifiers.ALIASES,
    "RETURN": "ENTER", "ESCAPE": "ESC", "BKSP": "BACKSPACE", "SPACEBAR": "SPACE", "DEL": "DELETE",
    "INS": "INSERT", "PGUP": "PAGEUP", "PGDN": "PAGEDOWN", "PGDOWN": "PAGEDOWN", "CAPS": "CAPSLOCK",
    "PRIOR": "PAGEUP", "NEXT": "PAGEDOWN",
    "PRTSC": "PRINTSCREEN", "PRTSCN": "PRINTSCREEN", "PRTSCR": "PRINTSCREEN",
    "PRINT": "PRINTSCREEN",
    "SYSRQ": "PRINTSCREEN", "SNAPSHOT": "PRINTSCREEN", "BREAK": "PAUSE", "APPS": "MENU",
    "APP": "MENU", "CONTEXTMENU": "MENU", "ARROWUP": "UP", "ARROWDOWN": "DOWN",
    "ARROWLEFT": "LEFT", "ARROWRIGHT": "RIGHT", "UPARROW": "UP", "DOWNARROW": "DOWN",
    "LEFTARROW": "LEFT", "RIGHTARROW": "RIGHT", "KPDIVIDE": "KP/", "KPMULTIPLY": "KP*",
    "KPSUBTRACT": "KP-", "KPADD": "KP+", "KPDECIMAL": "KP.", "NUMPADENTER": "KPENTER",
    "NUMPADDIVIDE": "KP/", "NUMPADMULTIPLY": "KP*", "NUMPADSUBTRACT": "KP-", "NUMPADADD": "KP+",
    "NUMPADDECIMAL": "KP.",
    **{f"{word}{n}": f"KP{n}" for n in range(10) for word in ("NUM", "NUMPAD")},
    "PLUS": "+", "MINUS": "-", "COMMA": ",", "PERIOD": ".", "DOT": ".", "SLASH": "/",
    "BACKSLASH": "\\", "SEMICOLON": ";", "QUOTE": "'", "APOSTROPHE": "'", "BACKQUOTE": "`",
    "GRAVE": "`", "BACKTICK": "`", "BRACKETLEFT": "[", "BRACKETRIGHT": "]", "EQUAL": "=",
    "EQUALS": "=", "ASTERISK": "*", "STAR": "*", "HYPHEN": "-", "UNDERSCORE": "_", "TILDE": "~",
    "COLON": ":", "QUESTION": "?", "EXCLAM": "!", "AT": "@", "HASH": "#", "AMPERSAND": "&",
}  # fmt: skip

# These need another USB endpoint (consumer control), which the KVMs do not have.
_CONSUMER = {
    "VOLUMEUP", "VOLUMEDOWN", "VOLUMEMUTE", "AUDIOVOLUMEUP", "AUDIOVOLUMEDOWN", "AUDIOVOLUMEMUTE",
    "MUTE", "PLAY", "PLAYPAUSE", "MEDIAPLAYPAUSE", "MEDIANEXT", "MEDIAPREV", "MEDIASTOP",
    "NEXTTRACK", "PREVTRACK", "STOP", "BRIGHTNESSUP", "BRIGHTNESSDOWN", "POWER", "SLEEP", "WAKE",
    "EJECT", "BROWSERBACK", "BROWSERHOME", "CALCULATOR", "MAIL",
}  # fmt: skip

_US = load_layout("us").tables["windows"]
SPACE = Key(NAMED["SPACE"])


def key(name: str, table: Table | None = None) -> Key:
    """Find the key of a name, an alias or a single character. Raises `ActionError` if unknown.

    `table` is the computer's layout, which decides the key of Ctrl+Z. For characters that it lacks
    the keys of a US keyboard are used, as for shortcuts in non-Latin layouts.
    """
    plain = name.strip().upper().replace(" ", "").replace("_", "")
    plain = plain.replace("-", "") if len(plain) > 1 and not plain.startswith("KP") else plain
    plain = ALIASES.get(plain, plain)
    character = name.lower() if len(name) == 1 else plain
    for each in (table or {}, _US):
        first, *rest = each.get(character) or (None,)
        if first and (not rest or rest == [SPACE]):  # a dead key counts as a key
            return first
    if plain in MODIFIERS:
        return Key(0, MODIFIERS[plain])
    if plain in NAMED:
        return Key(NAMED[plain])
    if plain in _CONSUMER:
        raise ActionError(Message("hid.consumer_key", key=name))
    raise ActionError(Message("hid.no_key", key=repr(name)))


def combine(keys: Sequence[Key]) -> tuple[int, list[int]]:
    """Return the modifiers and the usages of keys that are pressed together."""
    modifiers = 0
    for each in keys:
        modifiers |= each.modifiers
    return modifiers, list(dict.fromkeys(each.usage for each in keys if each.usage))
