"""What the hands know of the computer at the other end, and how its text is typed.

A keyboard has no letters of its own: what a key types is the layout that the computer is set to,
so all of a text is looked up before the first key goes down. What the layout lacks may go by the
system's own way of entering a character by its number, if the person allows it.
"""

from __future__ import annotations

from typing import NamedTuple

from ..types import ActionError, CuaError
from . import keymap, layouts
from .keymap import MODIFIERS, NAMED
from .layouts import Key, Table
from .pointing import Mouse

ALL_UP = Key(0)
ALT, CTRL, SHIFT = (MODIFIERS[name] for name in ("ALT", "CTRL", "SHIFT"))

_DEPENDS = "Where it is depends on the operating system, which can be set in Settings."
_BY_CODE = (
    "In Settings characters can be allowed to be entered by their code, if the operating system is "
    "set there as well."
)


class Target(NamedTuple):
    """`layout` is one of `layouts.names()`, `system` an operating system of the settings.

    `codes`: characters that the layout lacks may be entered by their number. `careful`: slowly.
    `mouse`: how to drive a relative one; None for a pointer that goes where it is told. `lacks`:
    usages of the keys that the KVM does not pass on; no layout has any of them.
    """

    layout: str = "us"
    system: str = "unknown"
    codes: bool = False
    careful: bool = False
    mouse: Mouse | None = None
    lacks: frozenset[int] = frozenset()

    @property
    def table(self) -> Table:
        """Raises `CuaError` if nobody knows the layout."""
        if self.system == "bios":  # firmware reads every keyboard as a US one
            return layouts.layout("us").tables["windows"]
        if self.layout not in layouts.names():
            raise CuaError(f"There is no keyboard layout {self.layout!r}: choose one in Settings.")
        table = layouts.layout(self.layout).table(self.system)
        if table is None:
            raise CuaError(
                "How a Mac lays out this keyboard is not known here. Choose U.S. as its input "
                "source, and US English as the keyboard layout in Settings."
            )
        return table

    def known(self) -> Target:
        """Itself. Raises `CuaError` if nobody knows the layout."""
        _ = self.table
        return self

    def key(self, name: str) -> Key:
        """See `keymap.key`. Raises `ActionError` also on a key that the KVM does not pass on."""
        found = keymap.key(name, self.table)
        if found.usage in self.lacks:
            raise ActionError(f"The KVM does not pass on the key {name}. Use another way.")
        return found

    def typed(self, text: str) -> list[tuple[Key, ...]]:
        """The keys of each character. Raises `ActionError` naming all that cannot be typed."""
        table = self.table
        found = {char: table.get(char) or self._entered(char, table) for char in set(text)}
        if missing := sorted(char for char, keys in found.items() if not keys):
            raise ActionError(self._refusal(missing))
        return [found[char] for char in text]

    def _entered(self, char: str, table: Table) -> tuple[Key, ...]:
        """The keys that enter a character by its number, empty where there is no such way."""
        way = _WAYS.get(self.system) if self.codes else None
        return way(char, self.layout, table) if way and char.isprintable() else ()

    def _refusal(self, missing: list[str]) -> str:
        names = ", ".join(f"{char!r} (U+{ord(char):04X})" for char in missing[:10])
        layout = "us" if self.system == "bios" else self.layout
        words = f"Nothing was typed: the {layouts.label(layout)} keyboard has no key for {names}."
        tables = layouts.layout(layout).tables
        if any(char in tables[system] for char in missing for system in ("windows", "linux")):
            return f"{words} {_DEPENDS}"
        return f"{words} {_BY_CODE}" if not self.codes or self.system not in _WAYS else words


def _alt_code(char: str, layout: str, _: Table) -> tuple[Key, ...]:
    """Windows: Alt held, 0 and the number in the code page on the number pad."""
    page = layouts.layout(layout).codepage
    try:
        (number,) = char.encode(f"cp{page}")
    except (LookupError, ValueError):  # no such page, or not in it
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
    """macOS with the input source Unicode Hex Input, which is a US layout: Option held, UTF-16."""
    if layout != "us":
        return ()
    units = char.encode("utf-16-be").hex()
    fours = [units[at : at + 4] for at in range(0, len(units), 4)]
    keys = ((*(Key(table[digit][0].usage, ALT) for digit in four), ALL_UP) for four in fours)
    return tuple(key for four in keys for key in four)


_WAYS = {"windows": _alt_code, "linux": _control_shift_u, "macos": _option_hex}
