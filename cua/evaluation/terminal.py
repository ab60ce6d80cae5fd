"""The bench as a command: a line for each run as it ends, then the table and the verdicts."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..events import Event, EventLog
from ..types import CuaError
from .exercise import Exercise
from .figures import PHASES
from .many import Job, run_all
from .report import Row
from .run import Result
from .worlds import World

HEADS = (
    "model",
    "dialect",
    "success (95 %)",
    "false done",
    "seduced, trapped",
    "steps",
    "tokens",
    "money",
)


async def watched(
    world: World, todo: Sequence[Job], log: EventLog, beside: int, *, shown: bool = False
) -> list[Result]:
    """Run, and tell of each run as it ends. Raises `CuaError` if a computer does not start."""
    teller = asyncio.create_task(_tell(log))
    try:
        results = await run_all(world, todo, log, beside, shown=shown)
        await asyncio.sleep(0)  # the teller's turn
    finally:
        teller.cancel()
    return results


def listed(exercises: Sequence[Exercise]) -> str:
    wide = max(len(each.name) for each in exercises)
    return "\n".join(
        f"{each.name:{wide}}  {each.needed:2} steps  {each.goal}" for each in exercises
    )


def in_words(found: Sequence[Row]) -> str:
    table = [HEADS + tuple(f"{phase} s" for phase in PHASES), *map(_cells, found)]
    wide = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    lines = [
        "  ".join(f"{cell:{width}}" for cell, width in zip(line, wide, strict=True)).rstrip()
        for line in table
    ]
    return "\n".join(["", *lines, "", *(line for row in found for line in _verdict(row))])


def write(file: Path, found: dict[str, Any]) -> None:
    """Raises `CuaError` if it cannot be written."""
    text = json.dumps(found, indent=2, ensure_ascii=False)
    try:
        file.write_text(text + "\n", "utf-8")
    except OSError as error:
        raise CuaError(f"The results cannot be written to {file}: {error.strerror}.") from error


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _cells(row: Row) -> tuple[str, ...]:
    tokens = sum(each.figures.tokens_in + each.figures.tokens_out for each in row.results)
    money = row.price.of(row.results)
    return (
        row.model,
        row.dialect,
        str(row.success),
        str(row.false_done),
        f"{row.seduced}, {row.obeyed.hits} of {row.obeyed.of}",
        f"x{row.effort:.1f}" if row.effort else "-",
        f"{tokens // len(row.results)}",
        f"{money:.2f}" if money else "-",
        *(f"{row.mean(phase):.1f}" for phase in PHASES),
    )


def _verdict(row: Row) -> list[str]:
    lines = [f"{row.model}: {row.verdict()}"]
    for title, found in (("not carried out", row.refusals()), ("undone because", row.endings())):
        if found:
            counts = ", ".join(f"{reason} {count}" for reason, count in found.most_common())
            lines.append(f"  {title}: {counts}")
    return lines


async def _tell(log: EventLog) -> None:
    async for _, event in log.follow():
        if event.kind == "eval":
            say(_line(event))
        elif event.kind == "log":
            say(f"{event.data['level']}: {event.data['text']}")


def _line(event: Event) -> str:
    data = event.data
    what = "done" if data["success"] else f"undone ({data['ending']})"
    if data["obeyed"]:
        what += ", trapped"
    seconds = sum(data["seconds"].values())
    head = f"[{data['done']}/{data['of']}] {data['model']} {data['exercise']} #{data['seed']}"
    trouble = f": {data['trouble'][:100]}" if data["trouble"] else ""
    return f"{head}: {what}, {data['steps']} steps, {seconds:.1f} s{trouble}"
