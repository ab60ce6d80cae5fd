"""A language's patterns and words for the operator, from its table, such as `english.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .instructions import Where


def compile_pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Grammar:
    """Patterns and words. The keys of the mappings of patterns are the same in each.

    `separators` and `conjunctions` are between two phrases, `fillers` before one. A label is also
    searched without `articles` and `kinds` (such as "button"), and by its name in `labels`.
    `markers` tell where in the plan an instruction belongs. `numbers`: cardinal and ordinal words;
    `where`: default "next to". `buttons`: those that close dialogs, and those of a start menu;
    `choices`: answer to a dialog -> whether it refuses.
    """

    separators: str
    conjunctions: str
    fillers: str
    articles: str
    kinds: str
    phrases: Mapping[str, str]
    goals: Mapping[str, str]
    answers: Mapping[str, str]
    markers: Mapping[str, str]
    numbers: Mapping[str, int]
    where: Mapping[str, Where]
    keys: Mapping[str, str]
    labels: Mapping[str, str]
    buttons: Mapping[str, Sequence[str]]
    choices: Mapping[str, bool]


def read_grammar(language: str) -> Grammar:
    table = yaml.safe_load(Path(__file__).with_name(f"{language}.yaml").read_text("utf-8"))
    return Grammar(**_fill_in(table, table.pop("parts")))


def _fill_in(value: Any, parts: Mapping[str, str]) -> Any:
    """Insert the parts into all patterns; a part may contain those below it."""
    if isinstance(value, dict):
        return {key: _fill_in(each, parts) for key, each in value.items()}
    if isinstance(value, str):
        for name, pattern in parts.items():
            value = value.replace(f"<{name}>", pattern)
    return value
