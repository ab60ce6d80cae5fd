"""The system prompt: our file for the family, then the person's addition.

An update replaces the files; additions are kept in the settings. The person's own prompt records
the version of ours on which it is based, to report that ours has changed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from . import registry

FOLDER = Path(__file__).parents[1] / "prompts"
ADDED = {"en": "# What the person wants you to know", "zh": "# 人希望你知道的"}


def default_prompt(name: str, language: str = "en", target_os: str = "unknown") -> str:
    """Return our prompt for a dialect; parts missing in a language are in English."""
    schema = json.dumps(registry.create(name).schema)
    rules = [_file("_rules.md", language)]
    if target_os != "unknown":
        rules.append(_file(f"os/{target_os}.md", language))
    prompt = _file(f"{name}.md", language)
    return prompt.replace("{rules}", "\n".join(rules)).replace("{schema}", schema)


def with_addition(prompt: str, addition: str, language: str = "en") -> str:
    """Append the person's `addition`, if there is one."""
    return f"{prompt}\n\n{ADDED[language]}\n\n{addition}" if addition else prompt


def version(prompt: str) -> str:
    """Return eight hexadecimal digits that change with the prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:8]


def _file(name: str, language: str) -> str:
    found = FOLDER / language / name
    if language == "en" or not found.exists():
        found = FOLDER / name
    return found.read_text("utf-8").strip()
