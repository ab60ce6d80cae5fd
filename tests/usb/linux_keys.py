"""What Linux calls our keys, and what its names type on a US keyboard.

Written down by hand, so that neither our table nor the simulated computer's can be wrong unseen.
"""

from __future__ import annotations

from collections.abc import Iterable

from .guest_machine import Event

OTHERWISE = {
    "CTRL": "LEFTCTRL", "SHIFT": "LEFTSHIFT", "ALT": "LEFTALT", "WIN": "LEFTMETA",
    "RCTRL": "RIGHTCTRL", "RSHIFT": "RIGHTSHIFT", "RALT": "RIGHTALT", "RWIN": "RIGHTMETA",
    "PRINTSCREEN": "SYSRQ", "MENU": "COMPOSE", "NONUS\\": "102ND",
    "KP/": "KPSLASH", "KP*": "KPASTERISK", "KP-": "KPMINUS", "KP+": "KPPLUS", "KP.": "KPDOT",
    "KP=": "KPEQUAL",
}  # fmt: skip

SIGNS = {
    "SPACE": "  ", "ENTER": "\n\n", "TAB": "\t\t", "MINUS": "-_", "EQUAL": "=+", "LEFTBRACE": "[{",
    "RIGHTBRACE": "]}", "BACKSLASH": "\\|", "SEMICOLON": ";:", "APOSTROPHE": "'\"", "GRAVE": "`~",
    "COMMA": ",<", "DOT": ".>", "SLASH": "/?",
    **{digit: digit + sign for digit, sign in zip("1234567890", "!@#$%^&*()", strict=True)},
    **{chr(code): chr(code + 32) + chr(code) for code in range(ord("A"), ord("Z") + 1)},
}  # fmt: skip


def linux_name(key: str) -> str:
    return f"KEY_{OTHERWISE.get(key, key)}"


def text(events: Iterable[Event]) -> str:
    """What the events type."""
    shift, typed = 0, ""
    for name, value in events:
        if name in ("KEY_LEFTSHIFT", "KEY_RIGHTSHIFT"):
            shift = value
        elif value == 1:
            typed += SIGNS[name.removeprefix("KEY_")][shift]
    return typed


def held(events: Iterable[Event]) -> list[str]:
    """What is still down after them."""
    last = {event.name: event.value for event in events if event.name.startswith(("KEY", "BTN"))}
    return [name for name, value in last.items() if value]
