"""That the README's promises name tests and commands that are there."""

from __future__ import annotations

import re
from importlib.util import find_spec

from tests.kvm_box import ROOT

README = (ROOT / "README.md").read_text("utf-8")
SAFETY = README.partition("## Safety")[2].partition("\n## ")[0]


def test_every_guarantee_names_a_test() -> None:
    guarantees = re.split(
        r"^\d+\. \*\*", SAFETY.partition("\nBy large numbers")[0], flags=re.MULTILINE
    )[1:]
    assert len(guarantees) == 9
    for each in guarantees:
        assert re.search(r"`tests/[\w/]+(?:\.py|/)`", each), each


def test_every_file_and_command_of_the_tests_that_is_named_is_there() -> None:
    files = re.findall(r"`((?:tests|cua|static|prompts|templates)/[\w/.]+)`", README)
    assert len(files) > 30
    assert [file for file in files if not (ROOT / file).exists()] == []
    modules = set(re.findall(r"python -m (tests[\w.]*)", README))
    assert len(modules) > 8
    assert [name for name in sorted(modules) if find_spec(name) is None] == []


def test_every_picture_is_there_and_small() -> None:
    pictures = [ROOT / name for name in re.findall(r'<img src="([^"]+)"', README)]
    assert len(pictures) > 3
    sizes = {picture.name: picture.stat().st_size for picture in pictures}
    assert {name: size for name, size in sizes.items() if size > 250_000} == {}
