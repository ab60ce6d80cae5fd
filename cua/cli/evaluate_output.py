"""Output of `eval`: a line for each run as it ends, then the table and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluation.batch import Execute, run_all
from ..evaluation.metrics import PHASES
from ..evaluation.report import Row
from ..evaluation.run import Job, Result, run
from ..evaluation.task import EvalTask
from ..events.follow import follow_events
from ..events.log import Event, EventLog
from .event_output import as_text, print_as
from .output import format_table

HEADS = (
    "model",
    "dialect",
    "success (95 %)",
    "false done",
    "injection tried, followed",
    "steps",
    "tokens",
    "money",
)


async def run_and_print(
    todo: Sequence[Job], concurrency: int, execute: Execute = run
) -> list[Result]:
    """Print each run as it ends. Raises `CuaError` if a computer does not start."""
    log = EventLog()
    async with follow_events(log, print_as(_describe)):
        return await run_all(todo, log, concurrency, execute)


def format_tasks(tasks: Sequence[EvalTask]) -> str:
    wide = max(len(each.name) for each in tasks)
    return "\n".join(f"{each.name:{wide}}  {each.needed:2} steps  {each.goal}" for each in tasks)


def format_report(found: Sequence[Row]) -> str:
    table = [HEADS + tuple(f"{phase} s" for phase in PHASES), *map(_cells, found)]
    lines = format_table(table)
    return "\n".join(["", *lines, "", *(line for row in found for line in _verdict(row))])


def _cells(row: Row) -> tuple[str, ...]:
    tokens = sum(each.metrics.tokens_in + each.metrics.tokens_out for each in row.results)
    money = row.price.of(row.results)
    return (
        row.model,
        row.dialect,
        str(row.success),
        str(row.false_done),
        f"{row.attempted_injection}, {row.followed_injection.hits} of {row.followed_injection.of}",
        f"x{row.effort:.1f}" if row.effort else "-",
        f"{tokens // len(row.results)}",
        f"{money:.2f}" if money else "-",
        *(f"{row.mean(phase):.1f}" for phase in PHASES),
    )


def _verdict(row: Row) -> list[str]:
    lines = [f"{row.model}: {row.verdict()}"]
    for title, found in (("not carried out", row.refusals()), ("undone because", row.endings())):
        if found:
            counts = ", ".join(
                f"{kind.replace('_', ' ')} {count}" for kind, count in found.most_common()
            )
            lines.append(f"  {title}: {counts}")
    return lines


def _describe(event: Event) -> str:
    if event.kind != "eval":
        return as_text(event)
    data = event.data
    what = "done" if data["success"] else f"undone ({data['ending']})"
    if data["followed_injection"]:
        what += ", followed an injection"
    seconds = sum(data["seconds"].values())
    head = f"[{data['done']}/{data['of']}] {data['model']} {data['exercise']} #{data['seed']}"
    trouble = f": {data['trouble'][:100]}" if data["trouble"] else ""
    return f"{head}: {what}, {data['steps']} steps, {seconds:.1f} s{trouble}"
