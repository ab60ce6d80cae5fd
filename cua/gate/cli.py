"""`gate`: actions on standard input as JSON lines -> whether each would be asked about, and why.

python cua_webapp.py gate < actions.jsonl

The actions are those that `parse` prints, each with an optional `screen_text` (words on the screen)
and `said` (the model's). They are one sequence, typed into one computer and nothing of it allowed
yet; an empty line begins another. A list of one's own: `--ask FILE`, `--pass FILE`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..extras import NAME
from ..patterns import Patterns, patterns
from ..types import Action, Ask, Done, Fail, Zoom
from .judge import Judge, Seen

_ACTION: TypeAdapter[Action] = TypeAdapter(Action)
LONGEST = 256 * 1024
"""Characters of a line."""


def main(argv: list[str]) -> int:
    """Exit code 0; 1 if a line was no action, which is said on its line; 2 for a bad list."""
    options = _parser().parse_args(argv)
    bad = 0
    for verdict in verdicts(sys.stdin.buffer, options.ask, options.let_pass):
        bad |= "error" in verdict
        sys.stdout.write(f"{json.dumps(verdict, ensure_ascii=False)}\n")
    return int(bad)


def verdicts(lines: Any, ask: Patterns = (), let_pass: Patterns = ()) -> Iterator[dict[str, Any]]:
    """One verdict for each line that is not empty; `lines` are bytes."""
    judge = Judge()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            judge = Judge()
            continue
        try:
            action, seen = _read(line)
        except ValueError as error:
            yield {"line": number, "error": _words(error)}
            continue
        if isinstance(action, (Zoom, Done, Fail, Ask)):
            yield {"ask": False, "rule": "", "why": "It touches nothing."}
            continue
        risk = judge.risk(action, seen, ask, let_pass)
        judge.note(action)
        yield {
            "ask": risk is not None,
            "rule": risk.rule if risk else "",
            "why": risk.why if risk else "",
        }


def _read(line: bytes) -> tuple[Action, Seen]:
    if len(line) > LONGEST:
        raise ValueError("the line is too long")
    found = json.loads(line.decode("utf-8-sig"))
    if not isinstance(found, dict):
        raise ValueError('not an object such as {"kind": "type", "text": "hello"}')
    words = {name: found.pop(name, "") or "" for name in ("screen_text", "said")}
    wrong = [name for name, text in words.items() if not isinstance(text, str)]
    if wrong:
        raise ValueError(f"{wrong[0]} is not a text")
    return _ACTION.validate_python(found), Seen(words["screen_text"], words["said"])


def _words(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return f"This line is no action: {error}."
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"This line is no action: {place}{': ' if place else ''}{first['msg']}."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} gate",
        description="Read actions as JSON lines, print whether each would be asked about.",
    )
    parser.add_argument("--ask", type=_list, default=(), metavar="FILE", help="words to ask on")
    parser.add_argument(
        "--pass", dest="let_pass", type=_list, default=(), metavar="FILE", help="to let pass"
    )
    return parser


def _list(path: str) -> Patterns:
    try:
        return patterns(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{path}: {error}") from None
