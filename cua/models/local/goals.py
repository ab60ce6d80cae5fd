"""Parse the goals of `recipes.py`, and name them."""

from __future__ import annotations

import re

from .instructions import Goal

_ADDRESS = r"(\d{1,3}(?:\.\d{1,3}){3})"
_TERMINAL = r"(?:the\s+|a\s+)?(?:terminal|console|shell)"
_MACHINE = r"(?:\s+(?:the|this)\s+(?:computer|pc|machine|system))?"
_GOALS = [
    (
        "dns",
        r"(?:set|change)\s+(?:the\s+)?dns(?:\s+servers?)?(?:\s+address(?:es)?)?\s+to\s+"
        rf"{_ADDRESS}(?:(?:\s+and|,)\s+{_ADDRESS})?",
        ("set the DNS server to {}", " and {}"),
    ),
    ("download", r"download\s+(?:the\s+)?(.+)", ("download the {}",)),
    (
        "note",
        r"(?:write|type)\s+(.+?)\s+(?:in|into)\s+(?:the\s+|a\s+)?(?:notepad|text editor|editor)"
        r"(?:(?:,?\s+and|,)\s+(save)\s+(?:it|the file|this)(?:\s+(?:as|under)\s+(\S.*?))?)?",
        ('write "{}" in the notepad', " and save it", ' as "{}"'),
    ),
    (
        "command",
        rf"(?:open|start|use)\s+{_TERMINAL}\s*(?:,|and|then|\s)+\s*"
        r"(?:run|execute)\s+(?:the command\s+)?(.+)",
        ('run "{}" in the terminal',),
    ),
    (
        "command",
        rf"(?:run|execute)\s+(?:the command\s+)?(.+?)\s+in\s+{_TERMINAL}",
        ('run "{}" in the terminal',),
    ),
    (
        "delete",
        r"(?:delete|remove)\s+(?:the\s+)?file\s+(.+?)"
        r"(?:\s+(?:in|from)\s+(?:the\s+)?(?:folder\s+)?(.+?)(?:\s+folder)?)?",
        ('delete the file "{}"', ' in "{}"'),
    ),
    (
        "off",
        rf"(?:shut\s?down|power off|turn off|switch off){_MACHINE}",
        ("shut down the computer",),
    ),
    ("restart", rf"(?:restart|reboot){_MACHINE}", ("restart the computer",)),
]
_COMPILED = [(name, re.compile(asked, re.IGNORECASE), told) for name, asked, told in _GOALS]


def goal(text: str) -> Goal | None:
    """The goal that the words name, if they do."""
    for name, asked, told in _COMPILED:
        if match := asked.fullmatch(text.strip()):
            values = tuple(group or "" for group in match.groups())
            return Goal(name, values, _words(told, values))
    return None


def _words(told: tuple[str, ...], values: tuple[str, ...]) -> str:
    """The parts of the sentence whose values are there."""
    if not values:
        return "".join(told)
    return "".join(part.format(value) for part, value in zip(told, values, strict=True) if value)
