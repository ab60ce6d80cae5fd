"""The controlled computer's layout, system and pointer, and the keys that type a text there.

A key types what the computer's layout says, so all characters of a text are looked up before the
first key is pressed. Characters that the layout lacks can be entered by their code, if allowed.
"""

from __future__ import annotations

from typing import NamedTuple

from ..messages import Message, sentences
from ..types import CuaError, UntypableText
from . import keymap, layouts
from .keymap import MODIFIERS, NAMED
from .layouts import Key, Table
from .pointing import Mouse

ALL_UP = Key(0)
ALT, CTRL, SHIFT = (MODIFIERS[name] for name in ("ALT", "CTRL", "SHIFT"))


class InputProfile(NamedTuple):
    """`layout` is one of `layouts.names()`, `system` an operating system of the settings.

    `codes`: allow entering characters by their code. `careful`: send input slowly. `mouse`: use a
    relative mouse; None for an absolute pointer.
    """

    layout: str = "us"
    system: str = "unknown"
    codes: bool = False
    careful: bool = False
    mouse: Mouse | None = None

    @property
    def table(self) -> Table:
        """Return the keys of each character. Raises `CuaError` if the layout is unknown."""
        if self.system == "bios":  # firmware reads every keyboard as a US one
            return layouts.load_layout("us").tables["windows"]
        if self.layout not in layouts.names():
            message = Message("hid.no_layout", layout=repr(self.layout))
            raise CuaError(message, setting="keyboard_layout")
        table = layouts.load_layout(self.layout).table(self.system)
        if table is None:
            raise CuaError(Message("hid.no_mac_layout"), setting="keyboard_layout")
        return table

    def checked(self) -> InputProfile:
        """Return itself. Raises `CuaError` if the layout is unknown."""
        _ = self.table
        return self

    def key(self, name: str) -> Key:
        """See `keymap.key`."""
        return keymap.key(name, self.table)

    def keys_for(self, text: str) -> list[tuple[Key, ...]]:
        """Find the keys of each character. Raises `ActionError` with all that cannot be typed."""
        table = self.table
        once = dict.fromkeys(text)  # in the order of the text, for the error
        char_keys = {char: table.get(char) or self._code_keys(char, table) for char in once}
        if missing := [char for char, keys in char_keys.items() if not keys]:
            raise self._untypable_error(missing)
        return [char_keys[char] for char in text]

    def _code_keys(self, char: str, table: Table) -> tuple[Key, ...]:
        """Return the keys that enter a character by its code; empty if the system has no codes."""
        encode = _CODE_ENTRY.get(self.system) if self.codes else None
        return encode(char, self.layout, table) if encode and char.isprintable() else ()

    def _untypable_error(self, missing: list[str]) -> UntypableText:
        names = ", ".join(f"{char!r} (U+{ord(char):04X})" for char in missing[:10])
        layout = "us" if self.system == "bios" else self.layout
        error = Message("hid.untypable", layout=layouts.label(layout), characters=names)
        tables = layouts.load_layout(layout).tables
        if any(char in tables[system] for char in missing for system in ("windows", "linux")):
            words, setting = sentences(error, Message("hid.set_target_os")), "target_os"
        elif not self.codes:
            words, setting = sentences(error, Message("hid.allow_codes")), "unicode_entry"
        elif self.system == "unknown":
            words, setting = sentences(error, Message("hid.code_system")), "target_os"
        else:
            words, setting = error, "keyboard_layout"
        return UntypableText(words, missing, setting=setting)


def _alt_code(char: str, layout: str, _: Table) -> tuple[Key, ...]:
    """Windows: 0 and the number in the code page on the number pad, with Alt pressed."""
    page = layouts.load_layout(layout).codepage
    try:
        (number,) = char.encode(f"cp{page}")
    except (LookupError, ValueError):  # no such code page, or it lacks the character
        return ()
    digits = f"0{number:03}"
    return (*(Key(NAMED[f"KP{digit}"], ALT) for digit in digits), ALL_UP)


def _control_shift_u(char: str, _: str, table: Table) -> tuple[Key, ...]:
    """Linux (GTK, IBus): Ctrl+Shift+U, the number, the space bar."""
    keys = [table.get(digit) for digit in f"u{ord(char):x}"]
    if not all(keys):
        return ()
    u, *digits = (each[0] for each in keys if each)
    return (Key(u.usage, CTRL | SHIFT), *digits, *table[" "])


def _option_hex(char: str, layout: str, table: Table) -> tuple[Key, ...]:
    """macOS with Unicode Hex Input, which has a US layout: UTF-16 with Option pressed."""
    if layout != "us":
        return ()
    units = char.encode("utf-16-be").hex()
    fours = [units[at : at + 4] for at in range(0, len(units), 4)]
    keys = ((*(Key(table[digit][0].usage, ALT) for digit in four), ALL_UP) for four in fours)
    return tuple(key for four in keys for key in four)


_CODE_ENTRY = {"windows": _alt_code, "linux": _control_shift_u, "macos": _option_hex}
