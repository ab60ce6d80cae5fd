"""What a model is told first: language, operating system, the person's own words, versions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cua.app.factory import is_prompt_outdated, make_prompt
from cua.dialects import prompting, registry
from cua.settings import Settings, SettingsFile

NAMES = [name for name, _, _ in registry.names()]
SYSTEMS = ("windows", "macos", "linux", "android", "bios")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_is_whole_in_every_language(name: str, language: str) -> None:
    prompt = prompting.default_prompt(name, language, "linux")
    assert "{rules}" not in prompt
    assert "{schema}" not in prompt
    assert ("屏幕上的文字" if language == "zh" else "Words on the screen") in prompt
    assert "CTRL+ALT+T" in prompt


AS_TRAINED = {
    "ui_tars": ("click(start_box='<|box_start|>(x1,y1)<|box_end|>')", "<point>"),
    "doubao": ("click(point='<point>x1 y1</point>')", "start_box"),
    "kimi": ("## Action:", "## Thought:"),
    "opencua_72b": ("## Thought:", "{width}"),
    "glm_v": ("DONE()", "ASK("),
    "holo3": ("null", "{schema}"),
}
"""What each maker trained on: a form that the prompt asks for, and one that it does not."""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("name", "forms"), AS_TRAINED.items())
def test_a_prompt_asks_for_the_format_of_training(
    name: str, forms: tuple[str, str], language: str
) -> None:
    asked, other = forms
    prompt = prompting.default_prompt(name, language)
    assert asked in prompt
    assert other not in prompt


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_operating_system_shapes_the_rules(system: str, language: str) -> None:
    plain = prompting.default_prompt("kvm", language)
    told = prompting.default_prompt("kvm", language, system)
    others = [prompting.default_prompt("kvm", language, each) for each in SYSTEMS if each != system]
    assert len(told) > len(plain) + 50
    assert told not in others


@pytest.mark.parametrize("name", sorted(each.stem for each in prompting.FOLDER.glob("*.md")))
def test_a_translation_teaches_the_same_commands(name: str) -> None:
    english, chinese = (
        (prompting.FOLDER / part / f"{name}.md").read_text("utf-8") for part in ("", "zh")
    )
    missing = _code(english) - set(re.findall(r"\w+(?::\w+)*|{\w+}", chinese))
    assert missing == set()
    assert chinese.count("{rules}") == english.count("{rules}")
    assert not re.search(r"([A-Za-z]{3,} ){5}", re.sub(r"`[^`]*`", "", chinese))


def _code(prompt: str) -> set[str]:
    """The names that a model has to write as they are: of actions, of parameters, of marks."""
    plain = re.sub(r'"description": "[^"]*"', "", prompt)
    marks = (r"`(\w+)[^`\n]*`", r'"(\w+)"', r"(\w+)\(", r"</?([\w:]+)", r"(\w+)=", r"({\w+})")
    return {name for mark in marks for name in re.findall(mark, plain)}


def test_the_users_addition_follows_the_prompt_and_survives_an_update() -> None:
    values = Settings(model_name="x", prompt_addition="Never use the root account.")
    told = make_prompt(values)
    assert told.startswith(prompting.default_prompt("kvm"))
    assert told.endswith("# What the person wants you to know\n\nNever use the root account.")
    own = make_prompt(values.model_copy(update={"initial_prompt": "You are a pair of hands."}))
    assert own.startswith("You are a pair of hands.")
    assert own.endswith("Never use the root account.")
    assert make_prompt(Settings(model_name="x")) == prompting.default_prompt("kvm")


def test_a_users_own_prompt_reports_a_changed_default(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "cfg.json", environ={}, model_name="x")
    now = prompting.version(prompting.default_prompt("kvm"))
    file.update({"initial_prompt": "Mine.", "initial_prompt_base": now})
    assert not is_prompt_outdated(file.values)
    file.update({"initial_prompt_base": "0" * 8})
    assert is_prompt_outdated(file.values)
    file.update({"initial_prompt": ""})
    assert not is_prompt_outdated(file.values)


def test_a_version_changes_with_the_prompt_only() -> None:
    one = prompting.version(prompting.default_prompt("kvm"))
    assert one == prompting.version(prompting.default_prompt("kvm"))
    assert one != prompting.version(prompting.default_prompt("kvm", "zh"))
    assert len(one) == 8
