"""The texts of the page: none is missing, none is left over, in any language."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

import pytest

from cua.settings import EDITABLE
from cua.web.history_export import SPEAKERS
from tests.support.kvm_hardware import ROOT

STATIC = ROOT / "static"
LANGUAGES = ("en", "zh")
PLACE = re.compile(r"\{\w+\}")
SCRIPTS = "\n".join(path.read_text("utf-8") for path in sorted(STATIC.rglob("*.js")))
TEMPLATE = "\n".join(path.read_text("utf-8") for path in (ROOT / "templates").glob("*.html"))
EXACT = re.compile(r"""['"`]([a-z_]+(?:\.[a-z0-9_]+)*)['"`]|\(\s*"([a-z_.]+)"\s*\)""")
FAMILY = re.compile(r"(?:\bt|\bhas)\(`([a-z_.]+\.)\$\{")


def table(language: str, name: str = "page") -> dict[str, str]:
    found: dict[str, str] = json.loads(
        (STATIC / f"messages/{language}/{name}.json").read_text("utf-8"), object_pairs_hook=_once
    )
    return found


def _once(pairs: list[tuple[str, str]]) -> dict[str, str]:
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), "a text stands there twice"
    return dict(pairs)


def used() -> set[str]:
    """What the scripts and the document ask for by its whole name."""
    calls = re.findall(r"\bt\(\s*'([^']+)'", SCRIPTS)
    choices = re.findall(r"\bt\([^'()`]*\?\s*'([^']+)'\s*:\s*'([^']+)'", SCRIPTS)
    marked = re.findall(r"'data-t(?:-[\w-]+)?'?\s*:\s*'([^']+)'", SCRIPTS)
    document = re.findall(r"""\b(?:t|label|text)[(\[]"([a-z_.]+)"[)\]]""", TEMPLATE)
    return {
        *calls,
        *marked,
        *document,
        *SPEAKERS.values(),
        *(key for pair in choices for key in pair),
    }


def test_every_text_that_is_asked_for_is_there_in_every_language() -> None:
    for language in LANGUAGES:
        assert used() - set(table(language)) == set(), language


def test_no_text_is_left_over() -> None:
    named = {exact or other for exact, other in EXACT.findall(SCRIPTS + TEMPLATE)} | used()
    families = (*FAMILY.findall(SCRIPTS), "note.", "notice.", "setting.")
    over = {key for key in table("en") if not named & {key, re.sub(r"\.(one|none)$", "", key)}}
    assert {key for key in over if not key.startswith(families)} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_languages_have_the_same_texts_with_the_same_places(language: str) -> None:
    english, other = table("en"), table(language)
    assert other.keys() == english.keys()
    for key, text in other.items():
        assert text.strip(), key
        if key == "tasks.help":  # what is in its braces is an example for the person
            continue
        assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(english[key])), key


@pytest.mark.parametrize("name", ["page", "run", "setup", "task"])
def test_no_space_stands_beside_chinese_punctuation(name: str) -> None:
    """Nor beside a value whose Chinese text may begin or end with it, or with a Chinese word."""
    value = "[{](dialect|endpoint|secret|why)[}]"
    spaced = re.compile(f"[，。：；！？、（）] | [，：；！？、（）]| {value}|{value} ")
    found = {key for key, text in table("zh", name).items() if spaced.search(text)}
    assert found == set()


def test_every_setting_has_a_name() -> None:
    missing = {f"setting.{name}" for name in EDITABLE} - table("en").keys()
    assert missing == set()


def test_the_log_has_words_for_every_kind_of_event() -> None:
    formatters = (STATIC / "core/log.js").read_text("utf-8").partition("FORMATTERS = {")[2]
    formatted = set(re.findall(r"^  (\w+): ", formatters.partition("\n};")[0], re.MULTILINE))
    for kind, names in logged():
        assert f"log.kind.{kind}" in table("en"), f"`log.kind.{kind}` is missing in page.json"
        assert kind in formatted or names & {"text", None}, (
            f"the log would show JSON: give {kind} a `text`, or a row in FORMATTERS of core/log.js"
        )


def logged() -> Iterator[tuple[str, set[str | None]]]:
    """The kind of each event that is logged, and the names of its data; None: there are others."""
    for path in (ROOT / "cua").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(ast.Attribute(), [ast.Constant(str(kind)), *_], more):
                    if ast.unparse(node.func).endswith(("log.append", "self.append")):
                        yield kind, {each.arg for each in more}


def test_no_script_carries_a_text_of_its_own() -> None:
    """Words that a person would read: a string with a space that begins with a capital."""
    found = []
    for path in sorted(STATIC.rglob("*.js")):
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL)
        texts = re.findall(r"""(['"`])([A-Z][a-z]+ [^'"`\n]*)\1""", code)
        found += [f"{path.name}: {text}" for _, text in texts if not _for_developers(text)]
    assert found == []


def _for_developers(text: str) -> bool:
    return text.startswith(("The page has no", "There is no text"))
