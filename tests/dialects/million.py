"""A million replies of every kind: `python -m tests.dialects.million [COUNT] [SEED]`, for a night.

Faster than the property tests, which shrink what they find; this only says where to look.
"""

from __future__ import annotations

import random
import sys

from cua.dialects import registry
from cua.types import FormatError, Reply, ToolCall

from .table import SENT
from .test_hostile import FIELDS, FRAGMENTS, NAMES, VERBS

VALUES = [
    None, True, 0, 1, -1, 500, 0.5, 1e308, float("nan"), float("inf"), 10**400, "", "x", "500",
    "[1, 2]", "ctrl+c", [1, 2], [500, 500], [[1, 2]], ["ctrl", "c"], {"x": 1, "y": 2}, "success",
    {"action": "click"}, [{"type": "click", "x": 1, "y": 2}], "down", "\ud800", "a" * 11_000, -5,
]  # fmt: skip


def generated(random: random.Random) -> Reply:
    text = "".join(random.choice(FRAGMENTS) for _ in range(random.randrange(25)))
    calls = [
        ToolCall(
            random.choice(VERBS),
            {random.choice(FIELDS): random.choice(VALUES) for _ in range(random.randrange(5))},
        )
        for _ in range(random.choice([0, 0, 0, 1, 2]))
    ]
    return Reply(text, calls=tuple(calls))


def main(count: int, seed: int) -> None:
    chance = random.Random(seed)
    each = count // len(NAMES) + 1
    for name in NAMES:
        dialect = registry.create(name)
        understood = 0
        for _ in range(each):
            reply = generated(chance)
            try:
                turn = dialect.parse(reply, SENT)
                understood += 1
                for action in turn.actions:
                    action.model_dump_json()
            except FormatError as error:
                str(error).encode()
            except Exception:
                sys.stderr.write(f"{name}: {reply!r}\n")
                raise
        sys.stdout.write(f"{name:16} {understood:7} of {each} understood, the others refused\n")


if __name__ == "__main__":
    main(
        count=int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000,
        seed=int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )
