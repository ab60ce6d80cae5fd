"""The words by which the goals of `recipes.py` are asked for."""

from __future__ import annotations

import re

from .instructions import Goal

_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_GOALS = [
    (
        "dns",
        rf"(?:set|change)\s+(?:the\s+)?dns(?:\s+servers?)?(?:\s+address(?:es)?)?\s+to\s+({_ADDRESS})"
        rf"(?:(?:\s+and|,)\s+({_ADDRESS}))?",
        "set the DNS server to {0}",
    ),
    ("download", r"download\s+(?:the\s+)?(.+)", "download {0}"),
    (
        "note",
        r"(?:write|type)\s+(.+?)\s+(?:in|into)\s+(?:the\s+|a\s+)?(?:notepad|text editor|editor)"
        r"(?:(?:,?\s+and|,)\s+save\s+(?:it|the file|this)(?:\s+(?:as|under)\s+(\S.*?))?)?",
        'write "{0}" in the notepad',
    ),
    (
        "command",
        r"(?:open|start|use)\s+(?:the\s+|a\s+)?(?:terminal|console|shell)\s*(?:,|and|then|\s)+"
        r"\s*(?:run|execute|type|enter)\s+(?:the command\s+)?(.+)",
        "run {0} in the terminal",
    ),
    (
        "command",
        r"(?:run|execute)\s+(?:the command\s+)?(.+?)\s+in\s+(?:the\s+|a\s+)?(?:terminal|console|shell)",
        "run {0} in the terminal",
    ),
    (
        "delete",
        r"(?:delete|remove)\s+(?:the\s+)?file\s+(.+?)(?:\s+(?:in|from)\s+(?:the\s+)?(?:folder\s+)?(.+?))?",
        "delete the file {0}",
    ),
    (
        "power",
        r"(?:(shut\s?down|power off|turn off|switch off)|(?:restart|reboot))"
        r"(?:\s+(?:the|this)\s+(?:computer|pc|machine|system))?",
        "",
    ),
]
_COMPILED = [(name, re.compile(pattern, re.IGNORECASE), words) for name, pattern, words in _GOALS]


def goal(text: str) -> Goal | None:
    """The goal that the words name, if they do."""
    for name, pattern, words in _COMPILED:
        if match := pattern.fullmatch(text.strip()):
            values = tuple(group or "" for group in match.groups())
            if name == "power":
                words = "shut down the computer" if values[0] else "restart the computer"
            if name == "dns" and values[1]:
                words += " and {1}"
            return Goal(name, values, words.format(*values))
    return None
