"""The README files name files, commands, options and settings that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from cua.kvms.registry import KINDS
from cua.messages import catalogue
from cua.models import registry as providers
from cua.web.pages import LANGUAGES
from tests.support.kvm_hardware import ROOT

FILES = [
    ROOT / "README.md",
    ROOT / ".readme/README.md",
    *sorted((ROOT / "cua").rglob("README.md")),
    ROOT / "tests/README.md",
    ROOT / "tests/bench/README.md",
    ROOT / "tests/evaluation/README.md",
]
TEXTS = {file: file.read_text("utf-8") for file in FILES}
ALL = "\n".join(TEXTS.values())
MAX_LINES = 140
LINK = re.compile(r"\]\(([^)#:]+)\)")
PATH = re.compile(r"`((?:tests|cua|static|prompts|templates)/[\w/.-]+)`")
"""Paths in backticks start at the top of the repository."""


def text_of(folder: str) -> str:
    return TEXTS[ROOT / folder / "README.md"]


def test_the_first_page_is_short() -> None:
    count = len(text_of("").splitlines())
    advice = "shorten README.md, or move it to the package's README"
    assert count <= MAX_LINES, f"{count} lines: {advice}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_and_paths_exist(file: Path) -> None:
    links = [file.parent / link for link in LINK.findall(TEXTS[file])]
    paths = [ROOT / path for path in PATH.findall(TEXTS[file])]
    assert [path for path in links + paths if not path.exists()] == []


def test_the_first_page_leads_to_every_other() -> None:
    links = {(ROOT / link).resolve() for link in LINK.findall(text_of(""))}
    assert [file for file in FILES[1:] if file.resolve() not in links] == []


def test_every_guarantee_names_a_test() -> None:
    chapter = text_of("cua/safety").partition("## Guarantees")[2].partition("\n## ")[0]
    guarantees = re.split(r"^\d+\. \*\*", chapter, flags=re.MULTILINE)[1:]
    assert len(guarantees) == 9
    for guarantee in guarantees:
        assert re.search(r"`tests/[\w/]+(?:\.py|/)`", guarantee), guarantee


def test_every_module_that_is_named_exists() -> None:
    modules = set(re.findall(r"python -m (tests[\w.]*)", ALL))
    assert len(modules) > 15
    assert [name for name in sorted(modules) if find_spec(name) is None] == []


def test_every_command_takes_the_options_that_are_named() -> None:
    calls = re.findall(r"cua_webapp\.py ?([^`#\n>|<&]*)", ALL)
    commands = {words[0] for call in calls if (words := shlex.split(call)) and words[0].isalpha()}
    assert len(commands) > 8
    helps = {command: _help(command) for command in ("", *sorted(commands))}
    for call in calls:
        words = shlex.split(call)
        known = helps[words[0] if words and words[0].isalpha() else ""]
        options = [word for word in words if word.startswith("--")]
        assert [option for option in options if option not in known] == [], call


def _help(command: str) -> str:
    call = [sys.executable, "cua_webapp.py", *command.split(), "--help"]
    return subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_every_environment_variable_that_is_named_is_read() -> None:
    table = (ROOT / "cua/cli/environment.md").read_text("utf-8")
    names = re.findall(r"\bCUA_[A-Z_]+", ALL)
    assert len(names) > 5
    assert [name for name in names if f"| {name} |" not in table] == []


def test_every_kvm_and_api_type_has_a_row() -> None:
    for scheme in [scheme for kind in KINDS.values() for scheme in kind.schemes if scheme in KINDS]:
        for folder in ("", "cua/kvms"):
            assert f"\n| `{scheme}://" in text_of(folder), scheme
        for language in LANGUAGES:
            assert f"{scheme}://" in catalogue(language)["settings.kvm.help"], (scheme, language)
    for _, label, _ in providers.kinds():
        assert f"\n| {label.partition(' (')[0]} |" in text_of(""), label


def test_the_first_page_and_the_installer_need_only_the_standard_library() -> None:
    modules = "cua_webapp, cua.web.startup_page, cua.web.pages, cua.messages"
    installer = "cua.cli.install.command, cua.cli.install.bundle, cua.cli.install.on_demand"
    code = f"import {modules}, {installer}"
    subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, check=True)


def test_every_picture_is_there_and_small() -> None:
    pictures = [
        file.parent / name
        for file, text in TEXTS.items()
        for name in re.findall(r'<img src="([^"]+)"', text)
    ]
    assert len(pictures) > 3
    sizes = {picture.name: picture.stat().st_size for picture in pictures}
    assert {name: size for name, size in sizes.items() if size > 250_000} == {}
