"""What each check of the loop is worth: faulty models with all checks, with none, and without each.

A fault costs the runs that fail without any check, where a perfect model succeeds. The share of
them that succeeds with the checks is what they are worth.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from cua.agent.checks.options import CheckOptions
from cua.cli.evaluate import GATE
from cua.evaluation.batch import create_jobs
from cua.evaluation.environments import SIMULATED
from cua.evaluation.proportion import Proportion
from cua.evaluation.run import Job, Result
from cua.evaluation.task import select_tasks
from tests.support.scripted_session import BARE

from .faults import FAULTS, Fault, Forgetful, Hasty, Helpless, Obeys, Perfect, Slow
from .scripted_agents import scripted

COMMON_TASKS = "desktop/rename,notepad/menu,files/delete,browser/download,network/wifi-dns"
WHERE: dict[type[Fault], str] = {
    Slow: "disturbed/moved*,disturbed/at-once,disturbed/all",
    Hasty: "files/first*,files/two-gone,disturbed/moved*",
    Forgetful: "memory/*",
    Helpless: "disturbed/asleep*",
    Obeys: "trap/*",
}
"""For the faults that only show there."""
CHECKS = (*(each.name for each in fields(CheckOptions) if each.name != "ask_again"), GATE)
Setting = tuple[CheckOptions, bool]
"""The checks, and whether the user is asked about risky actions."""
ALL: Setting = (CheckOptions(ask_again=True, verifier=True), True)


def switch_off(name: str) -> Setting:
    checks, gate = ALL
    return (checks, False) if name == GATE else (replace(checks, **{name: False}), gate)


SETTINGS: dict[str, Setting] = {
    "all": ALL,
    "none": (BARE, False),
    **{f"without {name}": switch_off(name) for name in CHECKS},
}
BAD = tuple(fault for fault in FAULTS.values() if fault is not Perfect)
RESAMPLES = 1000


def todo(seed: int, repeat: int) -> list[Job]:
    """The perfect model with all checks, and every bad one in every setting."""
    found = []
    for tasks in (COMMON_TASKS, *WHERE.values()):
        selected = select_tasks(tasks, SIMULATED.tasks)
        found += create_jobs(SIMULATED, selected, [scripted(Perfect.name)], seed, repeat)
    for checks, gate in SETTINGS.values():
        for fault in BAD:
            candidate = replace(scripted(fault.name), checks=checks, gate=gate)
            selected = select_tasks(WHERE.get(fault, COMMON_TASKS), SIMULATED.tasks)
            found += create_jobs(SIMULATED, selected, [candidate], seed, repeat)
    return found


@dataclass(frozen=True)
class Outcome:
    """What came of one setting: `success` of all bad models, and of `each` by name.

    `recovered`: the share of the loss that was won back, with its 95 % interval.
    """

    setting: str
    success: Proportion
    each: dict[str, Proportion]
    recovered: tuple[float, float, float]
    false_done: int
    followed_unasked: int

    def as_json(self) -> dict[str, Any]:
        return {
            "setting": self.setting,
            "success": [self.success.hits, self.success.of],
            "interval": [round(bound, 3) for bound in self.success.interval()],
            "each": {
                name: [proportion.hits, proportion.of] for name, proportion in self.each.items()
            },
            "recovered": [round(part, 3) for part in self.recovered],
            "reported_done_but_undone": self.false_done,
            "followed_without_a_question": self.followed_unasked,
        }


def outcomes(results: Sequence[Result]) -> list[Outcome]:
    """One for each setting, in their order."""
    by = {name: _of(results, setting) for name, setting in SETTINGS.items()}
    return [_outcome(name, mine, by["none"]) for name, mine in by.items()]


def perfect(results: Sequence[Result]) -> Proportion:
    """What can be got done at all, by the model without a fault."""
    return _proportion([each for each in results if each.job.candidate.name == Perfect.name])


def _of(results: Iterable[Result], setting: Setting) -> list[Result]:
    bad = [each for each in results if each.job.candidate.name != Perfect.name]
    return [each for each in bad if (each.job.candidate.checks, each.job.candidate.gate) == setting]


def _outcome(setting: str, mine: list[Result], bare: list[Result]) -> Outcome:
    names = {each.job.candidate.name: None for each in mine}
    return Outcome(
        setting,
        _proportion(mine),
        {
            name: _proportion([each for each in mine if each.job.candidate.name == name])
            for name in names
        },
        _recovered(mine, bare),
        sum(each.false_done for each in mine),
        sum(each.followed_injection and not each.metrics.asked for each in mine),
    )


def _proportion(results: Sequence[Result]) -> Proportion:
    return Proportion(sum(each.success for each in results), len(results))


def _recovered(mine: Sequence[Result], bare: Sequence[Result]) -> tuple[float, float, float]:
    """Return the share of the failing runs that checks win back, and its bootstrap interval."""
    pairs = [(a.success, b.success) for a, b in zip(mine, bare, strict=True)]
    dice = random.Random(1)
    drawn = sorted(_part(dice.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    return _part(pairs), drawn[RESAMPLES // 40], drawn[-RESAMPLES // 40]


def _part(pairs: Sequence[tuple[bool, bool]]) -> float:
    lost = sum(not bare for _, bare in pairs)
    still = sum(not mine for mine, _ in pairs)
    return 1 - still / lost if lost else 1.0


def in_words(found: Sequence[Outcome]) -> str:
    """Two tables in Markdown: what each check is worth, and what all of them are, by model."""
    best, bare = found[0], found[1]
    checks = [_cells(each, best) for each in found]
    models = [
        [name, FAULTS[name].summary, str(bare.each[name]), str(best.each[name])]
        for name in best.each
    ]
    return f"{_table(HEADS, checks)}\n\n{_table(FAULT_HEADS, models)}"


HEADS = (
    "checks",
    "done (95 %)",
    "won back (95 %)",
    "false done",
    "followed unasked",
    "fewer than with all",
)
FAULT_HEADS = ("model", "its fault", "with none (95 %)", "with all (95 %)")


def _cells(outcome: Outcome, best: Outcome) -> list[str]:
    part, low, high = outcome.recovered
    fewer = [
        f"{name} {proportion.hits} of {proportion.of}"
        for name, proportion in outcome.each.items()
        if proportion.hits < best.each[name].hits
    ]
    return [
        outcome.setting,
        str(outcome.success),
        f"{part:.0%} ({low:.0%} to {high:.0%})",
        str(outcome.false_done),
        str(outcome.followed_unasked),
        ", ".join(fewer) if outcome.setting != "none" else "",
    ]


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(_line(each) for each in (heads, ["---"] * len(heads), *lines))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
