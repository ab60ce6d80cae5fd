"""What a model is told first: our prompt for its family, and what the person has to add.

Ours are files that an update replaces. What the person adds is kept in the settings and stands
after ours, so neither loses the other; a whole prompt of the person's own notes on which version of
ours it was made, so that one can say that ours has changed since.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ..types import Dialect

ADDED = {
    "en": "# What the person wants you to know",
    "zh": "# 人希望你知道的",
}


def written(dialect: Dialect, language: str = "en", target_os: str = "unknown") -> str:
    """Our prompt. A part that is not there in a language is taken in English."""
    rules = [_file("_rules.md", language)]
    if target_os != "unknown":
        rules.append(_file(f"os/{target_os}.md", language))
    prompt = _file(f"{dialect.name}.md", language)
    schema = json.dumps(getattr(dialect, "schema", None))
    return prompt.replace("{rules}", "\n".join(rules)).replace("{schema}", schema)


def with_addition(prompt: str, addition: str, language: str = "en") -> str:
    """`addition`: the person's own words, "" if there are none."""
    return f"{prompt}\n\n{ADDED[language]}\n\n{addition}" if addition else prompt


def version(prompt: str) -> str:
    """Eight hexadecimal digits that change when a prompt does."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:8]


def folder() -> Path:
    return Path(__file__).parents[1] / "prompts"


def _file(name: str, language: str) -> str:
    found = folder() / language / name
    if language == "en" or not found.exists():
        found = folder() / name
    return found.read_text("utf-8").strip()
