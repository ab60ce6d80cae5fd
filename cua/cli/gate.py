"""The command `gate`: read actions as JSON, or lines to type; print which need approval, and why.

python cua_webapp.py gate < actions.jsonl
echo 'rm -r /srv' | python cua_webapp.py gate

A line that does not begin with `{` or `[` is typed, with Enter. An action has the form that `parse`
prints, with an optional `screen_text` (words on the screen), `label` (the text under the pointer)
and `said` (the model's words). They are one sequence on one computer, without approvals; an empty
line begins another sequence. `--ask FILE` and `--pass FILE` take word lists.
"""

from __future__ import annotations

import argparse
import json
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from ..extras import NAME
from ..safety.rules import RiskRules, ScreenEvidence
from ..settings.word_list import Patterns, patterns
from ..types import Action, Ask, Done, Fail, Type, Zoom

_ACTION: TypeAdapter[Action] = TypeAdapter(Action)


def main(argv: list[str]) -> int:
    """Return the exit code: 1 if a line is not a valid action, 2 for a bad list, else 0."""
    options = _parser().parse_args(argv)
    bad = 0
    for verdict in verdicts(sys.stdin.buffer, options.ask, options.let_pass):
        bad |= "error" in verdict
        sys.stdout.write(f"{json.dumps(verdict, ensure_ascii=False)}\n")
    return int(bad)


def verdicts(lines: Any, ask: Patterns = (), let_pass: Patterns = ()) -> Iterator[dict[str, Any]]:
    """Yield one verdict for each line that is not empty; `lines` are bytes."""
    rules = RiskRules()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            rules = RiskRules()
            continue
        try:
            action, seen = _read_action(line)
        except ValueError as error:
            yield {"line": number, "error": _describe(error)}
            continue
        if isinstance(action, (Zoom, Done, Fail, Ask)):
            yield {"ask": False, "rule": "", "why": "It touches nothing."}
            continue
        risk = rules.find_risk(action, seen, ask, let_pass)
        rules.note(action)
        yield {
            "ask": risk is not None,
            "rule": risk.rule if risk else "",
            "why": risk.why if risk else "",
        }


def _read_action(line: bytes) -> tuple[Action, ScreenEvidence]:
    text = line.removeprefix(BOM_UTF8).decode().strip()
    if text[:1] not in ("", "{", "["):
        return Type(text=f"{text}\n"), ScreenEvidence()
    found = from_json(text)
    if not isinstance(found, dict):
        raise ValueError('not an object such as {"kind": "type", "text": "hello"}')
    words = {name: found.pop(name, "") or "" for name in ("screen_text", "said", "label")}
    wrong = [name for name, text in words.items() if not isinstance(text, str)]
    if wrong:
        raise ValueError(f"{wrong[0]} is not a text")
    seen = ScreenEvidence(words["screen_text"], words["said"], label=words["label"])
    return _ACTION.validate_python(found), seen


def _describe(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return f"Not a valid action: {error}."
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"Not a valid action: {place}{': ' if place else ''}{first['msg']}."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} gate",
        description="Read actions as JSON, or lines to type; print which need approval.",
    )
    add = parser.add_argument
    add("--ask", type=_list, default=(), metavar="FILE", help="words that need approval")
    add("--pass", type=_list, default=(), metavar="FILE", help="allowed words", dest="let_pass")
    return parser


def _list(path: str) -> Patterns:
    try:
        return patterns(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{path}: {error}") from None
