"""The command `parse`: read a model's reply from stdin, print its actions as JSON lines.

python cua_webapp.py parse --dialect qwen3_vl --sent 1280x720 < reply.txt
python cua_webapp.py parse --list
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ..dialects.registry import create, for_model, names, patterns
from ..extras import NAME
from ..types import Action, FormatError, Reply


def main(argv: list[str]) -> int:
    """Return the exit code: 1 for a reply that cannot be parsed, with the reason on stderr."""
    options = _parser().parse_args(argv)
    if options.list:
        sys.stdout.write(_listing())
        return 0
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        dialect = create(options.dialect or for_model(options.model))
        actions = dialect.parse(Reply(text), options.sent).actions
    except FormatError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for action in actions:
        sys.stdout.write(f"{json.dumps(_plain(action), ensure_ascii=False)}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{NAME} parse", description="Read a model's reply from stdin, print its actions."
    )
    add = parser.add_argument
    add("--dialect", choices=[name for name, _, _ in names()], metavar="NAME")
    add("--model", default="", help="name of the model that the dialect is chosen for")
    size = "size of the screenshot that the reply answers (1280x720)"
    add("--sent", type=_size, default=(1280, 720), metavar="WxH", help=size)
    add("--list", action="store_true", help="list all dialects and their models")
    return parser


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and 0 < int(width) * int(height) < 10**9):
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 1280x720")
    return int(width), int(height)


def _listing() -> str:
    chosen = dict(patterns())
    rows = [(name, label, help, chosen.get(name, "all others")) for name, label, help in names()]
    return "".join(
        f"{name:16} {label}. {help}\n{'':16} {models}\n" for name, label, help, models in rows
    )


def _plain(action: Action) -> Any:
    plain = action.model_dump_json()
    return json.loads(plain, parse_float=lambda text: round(float(text), 4))
