"""Read the rules from the `.rules` files in this directory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...messages import Message
from ...types import CuaError


class Rule(NamedTuple):
    """`name` is a stable identifier, `why` a message for the user.

    `pattern` combines all lines of its group, for speed: it is matched before every key.
    """

    name: str
    why: str
    pattern: re.Pattern[str]
    needs: re.Pattern[str] | None = None
    """Must match the surrounding text for the rule to apply."""


Found = tuple[str, str]
"""The name of the rule, and why."""


@cache
def load_rules(name: str, around: str = "{}") -> tuple[Rule, ...]:
    """Return the groups of `<name>.rules` in order; each pattern replaces `{}` in `around`."""
    groups: list[tuple[str, str, list[str]]] = []
    text = (Path(__file__).parent / f"{name}.rules").read_text("utf-8")
    for line in text.splitlines():
        heading = re.fullmatch(r"\[([\w' ]+)\](?: (rules\.\w+))?", line)
        if heading:
            groups.append((heading[1], heading[2] or "", []))
        elif line.strip() and not line.startswith("#"):
            groups[-1][2].append(line.strip())
    return tuple(_rule(name, group, around) for group in groups)


def _rule(file: str, group: tuple[str, str, list[str]], around: str) -> Rule:
    name, key, lines = group
    why = Message(key) if key else ""
    needs = [line.removeprefix("needs ") for line in lines if line.startswith("needs ")]
    patterns = [line for line in lines if not line.startswith("needs ")]
    whole = around.replace("{}", f"(?:{'|'.join(patterns)})")
    try:
        return Rule(name, why, _compiled(whole), _compiled("|".join(needs)) if needs else None)
    except re.error as error:
        raise CuaError(f"{file}.rules, [{name}]: {error}.") from error


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL | re.MULTILINE)


def find_rule(rules: Sequence[Rule], *texts: str, around: str = "") -> Found | None:
    """Return the first rule that matches a text and whose `needs` matches `around`."""
    for rule in rules:
        if rule.needs and not rule.needs.search(around):
            continue
        if any(rule.pattern.search(text) for text in texts):
            return rule.name, rule.why
    return None
