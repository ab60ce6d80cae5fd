"""Reader of keyboard layout files.

A file has two pictures of the keyboard, `plain` and `shift`, row by row (␣: no
character), then pairs of a key (by its plain character) and what it types with AltGr. Dead keys are
drawn as modifier letters (ˆ ˊ ˋ ˜ ¨ ...); `composed` lists what they make of the next letter,
`space` what a dead key and the space bar type. A line that begins with the name of a system is
valid there only. For an unknown system, only keys that are the same on Windows and Linux are used.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ...messages import Message

SHIFT, ALTGR = 0x02, 0x40
LEVELS = {"plain": 0, "shift": SHIFT, "altgr": ALTGR, "altgr+shift": ALTGR | SHIFT}
_ROWS = (
    (0x35, *range(0x1E, 0x28), 0x2D, 0x2E, 0x89),
    (0x14, 0x1A, 0x08, 0x15, 0x17, 0x1C, 0x18, 0x0C, 0x12, 0x13, 0x2F, 0x30),
    (0x04, 0x16, 0x07, 0x09, 0x0A, 0x0B, 0x0D, 0x0E, 0x0F, 0x33, 0x34, 0x32),
    (0x64, 0x1D, 0x1B, 0x06, 0x19, 0x05, 0x11, 0x10, 0x36, 0x37, 0x38, 0x87),
)
"""Usages of the printing keys in the pictures' order; some keyboards lack 0x89 and 0x87."""
_NO_CHARACTER = "␣"
_ACCENTS = dict(zip("ˋˊˆ˜¨¸ˇ˚", "\u0300\u0301\u0302\u0303\u0308\u0327\u030c\u030a", strict=True))
"""Dead key -> the combining character that it adds to the next letter."""
_SYSTEMS = ("windows", "linux", "macos")


class Key(NamedTuple):
    """A key by its usage, and the modifiers to press with it; usage 0 is a modifier alone."""

    usage: int
    modifiers: int = 0


Table = dict[str, tuple[Key, ...]]
"""Character -> the keys that type it, in order."""

_ALWAYS: Table = {" ": (Key(0x2C),), "\n": (Key(0x28),), "\t": (Key(0x2B),)}


class Layout(NamedTuple):
    """`tables` by the systems in the file; `codepage` is the code page of Alt codes."""

    tables: dict[str, Table]
    common: Table
    """The keys that are the same on Windows and Linux, for other systems."""
    codepage: str

    def table(self, system: str) -> Table | None:
        """Return the keys of each character on a system; None if its layout is unknown."""
        return self.tables.get(system) if system in _SYSTEMS else self.common


@lru_cache(maxsize=1)
def names() -> list[str]:
    """List the layouts, sorted by label, the US ones first."""
    layouts = [path.stem for path in Path(__file__).parent.glob("*.txt")]
    return sorted(
        layouts, key=lambda name: (name != "us", not label(name).startswith("US"), label(name))
    )


@lru_cache(maxsize=8)
def load_layout(name: str) -> Layout:
    """Read a layout, one of `names()`."""
    path = Path(__file__).parent / f"{name}.txt"
    lines = [line.split() for line in path.read_text("utf-8").splitlines()]
    begins = {line[0] for line in lines}
    systems = [system for system in _SYSTEMS if system != "macos" or system in begins]
    codepage = next((line[1] for line in lines if line[0] == "codepage"), "")
    tables = {system: _table(_lines_for(lines, system)) for system in systems}
    linux = tables["linux"]
    common = {char: keys for char, keys in tables["windows"].items() if linux.get(char) == keys}
    return Layout(tables, common, codepage)


def label(name: str) -> str:
    return Message(f"hid.layout.{name}")


def _lines_for(lines: list[list[str]], system: str) -> list[list[str]]:
    """Return the lines without those for other systems; those for this one last."""
    common = [line for line in lines if line[0] not in _SYSTEMS]
    return common + [line[1:] for line in lines if line[0] == system and len(line) > 1]


def _table(lines: list[list[str]]) -> Table:
    keys, levels = _pictures(lines)
    composed, spaced = "", dict[str, str]()
    for name, *words in lines[2:]:
        if name == "composed":
            composed += words[0]
        elif name == "space":
            spaced |= {pair[1]: pair[0] for pair in words}
        elif name in LEVELS:
            level = levels.setdefault(LEVELS[name], {})
            level |= {keys[pair[0]]: pair[1] for pair in words}
    direct: Table = {}
    for modifiers, level in sorted(levels.items()):
        for usage, char in level.items():
            direct.setdefault(char, (Key(usage, modifiers),))
    direct.pop(_NO_CHARACTER, None)
    table = {**direct, **_ALWAYS}
    combined = {char: (*direct[spaced[char]], *_ALWAYS[" "]) for char in spaced}
    combined |= {char: _decompose(char, direct) for char in composed}
    table |= {char: keys for char, keys in combined.items() if char not in direct}
    return {char: keys for char, keys in table.items() if char not in _ACCENTS}


def _pictures(lines: list[list[str]]) -> tuple[dict[str, int], dict[int, dict[int, str]]]:
    """Return plain character -> usage, and usage -> its characters without and with Shift."""
    (_, *plain), (_, *shifted) = lines[:2]
    places = [usage for row, drawn in zip(_ROWS, plain, strict=True) for usage in row[: len(drawn)]]
    if plain[3].startswith(_NO_CHARACTER):  # a keyboard without this key has one beside Enter
        places[places.index(0x32)] = 0x31
    levels = {0: dict(zip(places, "".join(plain), strict=True))}
    levels[SHIFT] = dict(zip(places, "".join(shifted), strict=True))
    return {char: usage for usage, char in levels[0].items()}, levels


def _decompose(char: str, direct: Table) -> tuple[Key, ...]:
    parts = unicodedata.normalize("NFD", char)
    dead = next(dead for dead, accent in _ACCENTS.items() if accent == parts[1])
    return (*direct[dead], *direct[parts[0]])
