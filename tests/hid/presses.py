"""Key presses taken out of keyboard reports, and what systems make of a character's number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

ALT, CTRL_SHIFT = 0x04, 0x03
DIGITS = {0x59 + n: str((n + 1) % 10) for n in range(10)}


class Press(NamedTuple):
    """A key going down with modifiers held, or (usage 0) modifiers changing."""

    modifiers: int
    usage: int = 0


def presses(reports: Iterable[bytes]) -> Iterator[Press]:
    before = bytes(8)
    for report in reports:
        if report[0] != before[0]:
            yield Press(report[0])
        for usage in set(report[2:]) - set(before[2:]) - {0}:
            yield Press(report[0], usage)
        before = report


def windows(reports: Iterable[bytes], codepage: str) -> str:
    """Alt held and digits of the number pad: a character as Alt comes up."""
    text, digits = "", ""
    for modifiers, usage in presses(reports):
        if modifiers == ALT and usage:
            digits += DIGITS[usage]
        elif not modifiers and digits:
            assert digits[0] == "0"
            text, digits = text + bytes([int(digits)]).decode(f"cp{codepage}"), ""
    return text


def linux(reports: Sequence[bytes], type_: dict[Press, str]) -> str:
    """Ctrl+Shift+U, the number in hexadecimal digits, a space."""
    text, number = "", None
    for press in presses(reports):
        if press.modifiers == CTRL_SHIFT and type_.get(Press(0, press.usage)) == "u":
            number = ""
        elif press.usage and number is not None:
            char = type_[press]
            text, number = (
                (text + chr(int(number, 16)), None) if char == " " else (text, number + char)
            )
    return text


def macos(reports: Iterable[bytes], type_: dict[Press, str]) -> str:
    """Option held and four hexadecimal digits: a UTF-16 unit."""
    digits = "".join(
        type_[Press(0, usage)]
        for modifiers, usage in presses(reports)
        if usage and modifiers == ALT
    )
    return bytes.fromhex(digits).decode("utf-16-be")
