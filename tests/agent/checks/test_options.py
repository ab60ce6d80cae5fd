"""Each option of `CheckOptions` makes the check of its name."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from cua.agent.checks.options import CheckOptions, make_checks
from cua.events.log import EventLog
from cua.hid.inputs import HidInputs
from tests.support.devices import Recorder
from tests.support.fakes import ScriptedModel, StillScreen
from tests.support.kvm_hardware import ROOT
from tests.support.scripted_session import BARE

OF_OTHERS = ("ask_again", "stable_screenshot", "wake")
"""Options of a check that has another name."""
NAMES = [each.name for each in fields(CheckOptions) if each.name not in OF_OTHERS]
README = (ROOT / "cua/agent/README.md").read_text("utf-8")
ALL = replace(BARE, **dict.fromkeys(NAMES, True))


def make(options: CheckOptions) -> set[str]:
    inputs = HidInputs(Recorder())
    checks = make_checks(options, StillScreen(), inputs, ScriptedModel(), EventLog())
    return {type(each).__name__ for each in checks}


@pytest.mark.parametrize("name", NAMES)
def test_a_check_is_made_only_where_its_option_is_on(name: str) -> None:
    check = name.title().replace("_", "")
    made = make(replace(BARE, **{name: True}))
    assert check in made, f"`{name}` must be the name of its class in snake case, or in OF_OTHERS"
    assert f"\n| `{name}` |" in README, f"cua/agent/README.md needs a row for `{name}`"
    needed_by_another = {"ScreenChanges"}  # it measures for `LoopDetection` too
    assert {check} - make(replace(ALL, **{name: False})) == {check} - needed_by_another


def test_without_any_option_there_is_only_the_check_that_takes_the_screenshot() -> None:
    assert make(BARE) == {"StepScreenshot"}
