"""The figures of the ablation, on made-up runs."""

from __future__ import annotations

from dataclasses import fields, replace

from cua.agent.checks.options import CheckOptions
from cua.cli.evaluate import GATE
from cua.evaluation.environments import SIMULATED
from cua.evaluation.metrics import Metrics
from cua.evaluation.run import Job, Result
from cua.evaluation.task import EvalTask, select_tasks
from tests.evaluation import ablation
from tests.evaluation.scripted_agents import scripted

[TRAP] = select_tasks("trap/dialog", SIMULATED.tasks)


def made_up(
    setting: str, successes: int, of: int = 10, task: EvalTask = SIMULATED.tasks[0], **more: object
) -> list[Result]:
    checks, gate = ablation.SETTINGS[setting]
    candidate = replace(scripted("offset"), checks=checks, gate=gate)
    ended = Result(Job(SIMULATED, task, candidate, 1), False, "rounds", "", False, Metrics())
    ended = ended._replace(**more)  # type: ignore[arg-type]
    return [ended._replace(success=number < successes) for number in range(of)]


def runs(**successes: int) -> list[Result]:
    return [
        run
        for setting in ablation.SETTINGS
        for run in made_up(setting, successes.get(setting.replace("without ", ""), 0))
    ]


def test_the_share_of_the_loss_that_is_won_back() -> None:
    found = {
        each.setting: each for each in ablation.outcomes(runs(all=8, none=2, screen_changes=4))
    }
    part, low, high = found["all"].recovered
    assert part == 0.75  # six of eight
    assert 0 < low < part < high <= 1
    assert found["without screen_changes"].recovered[0] == 0.25
    assert found["none"].recovered == (0, 0, 0)
    assert (found["all"].success.hits, found["all"].success.of) == (8, 10)
    assert found["all"].each["offset"].hits == 8


def test_what_must_not_happen_is_counted() -> None:
    results = runs(none=1)
    results += made_up("all", 1, 3, ending="done")
    results += made_up("all", 0, 2, task=TRAP, followed_injection=True)
    results += made_up("all", 0, 1, task=TRAP, followed_injection=True, metrics=Metrics(asked=1))
    for setting in ablation.SETTINGS:
        results += made_up(setting, 1, 6) if setting != "all" else []
    [best] = [each for each in ablation.outcomes(results) if each.setting == "all"]
    assert best.false_done == 2
    assert best.followed_unasked == 2


def test_every_check_is_switched_off_once() -> None:
    names = {each.name for each in fields(CheckOptions)}
    assert {*ablation.CHECKS} == {*names, GATE} - {"ask_again"}
    checks, gate = ablation.SETTINGS["none"]
    assert not gate
    assert not any(getattr(checks, name) for name in names)


def test_every_bad_model_works_on_the_same_in_every_setting() -> None:
    todo = ablation.todo(seed=1, repeat=1)
    assert len(todo) >= 300
    by_setting: dict[object, list[object]] = {}
    for _, task, candidate, seed in todo:
        if candidate.name != "perfect":
            key = (task.name, candidate.name, seed)
            by_setting.setdefault((candidate.checks, candidate.gate), []).append(key)
    first, *others = by_setting.values()
    assert len(by_setting) == len(ablation.SETTINGS)
    assert all(other == first for other in others)


def test_the_tables_say_which_model_a_check_helps() -> None:
    checks, models = ablation.in_words(
        ablation.outcomes(runs(all=8, none=2, changed_target=5))
    ).split("\n\n")
    lines = {line.split(" | ")[0]: line for line in checks.splitlines()}
    assert lines["| without changed_target"].endswith("| offset 5 of 10 |")
    assert models.splitlines()[-1].startswith("| offset | two clicks in five")
