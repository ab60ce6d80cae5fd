"""Output of `eval`: a line for each run as it ends, then the table and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ..evaluation.batch import Execute, run_all
from ..evaluation.metrics import PHASES
from ..evaluation.report import ModelResults
from ..evaluation.run import Job, Result, run
from ..evaluation.task import EvalTask
from .output import format_table, say

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
    done = count(1)

    def print_result(result: Result) -> None:
        say(f"[{next(done)}/{len(todo)}] {_describe(result)}")

    return await run_all(todo, concurrency, execute, print_result)


def format_tasks(tasks: Sequence[EvalTask]) -> str:
    wide = max(len(each.name) for each in tasks)
    return "\n".join(f"{each.name:{wide}}  {each.needed:2} steps  {each.goal}" for each in tasks)


def format_report(found: Sequence[ModelResults]) -> str:
    table = [HEADS + tuple(f"{phase} s" for phase in PHASES), *map(_cells, found)]
    lines = format_table(table)
    return "\n".join(["", *lines, "", *(line for row in found for line in _verdict(row))])


def _cells(row: ModelResults) -> tuple[str, ...]:
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


def _verdict(row: ModelResults) -> list[str]:
    lines = [f"{row.model}: {row.verdict()}"]
    for title, found in (("not carried out", row.refusals()), ("undone because", row.endings())):
        if found:
            counts = ", ".join(
                f"{kind.replace('_', ' ')} {count}" for kind, count in found.most_common()
            )
            lines.append(f"  {title}: {counts}")
    return lines


def _describe(result: Result) -> str:
    job, spent = result.job, result.metrics
    what = "done" if result.success else f"undone ({result.ending})"
    if result.followed_injection:
        what += ", followed an injection"
    head = f"{job.candidate.name} {job.task.name} #{job.seed}"
    trouble = f": {result.trouble[:100]}" if result.trouble else ""
    seconds = sum(spent.seconds.values())
    return f"{head}: {what}, {spent.steps} steps, {seconds:.1f} s{trouble}"
