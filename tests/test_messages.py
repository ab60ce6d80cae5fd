"""Messages: the English text of a key with its values, in other languages too, and as JSON."""

from __future__ import annotations

import ast
import functools
import json
import pickle
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.messages import (
    ENGLISH,
    FILES,
    FOLDER,
    PLACEHOLDER,
    catalogue,
    render,
    sentences,
    system_reason,
    to_json,
    translate,
)
from cua.web.pages import LANGUAGES
from tests.support.kvm_hardware import ROOT

FOREIGN = [each for each in LANGUAGES if each != ENGLISH]
TEXTS = {
    "fruit": "{count} apples for {who}",
    "fruit.one": "an apple for {who}",
    "join.item": "、",
    "join.last": "和",
    "join.sentence": "",
}


@functools.cache
def calls() -> list[tuple[str, ast.Call]]:
    return list(_find_calls())


def _find_calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((ROOT / "cua").rglob("*.py")):
        if path.match("cua/messages.py") or path.name in ("rows.py", "languages.py"):
            continue  # they take the key from elsewhere
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            made = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Message"
            if isinstance(node, ast.Call) and made and not is_copy(node):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def is_copy(call: ast.Call) -> bool:
    """Message(value.key, ...)"""
    return getattr(call.args[0], "attr", "") == "key"


def keys(call: ast.Call) -> list[str]:
    """A literal key, or one of two; all that an f-string can be."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.JoinedStr):
        parts = [
            re.escape(getattr(each, "value", "")) if isinstance(each, ast.Constant) else r"[\w-]+"
            for each in first.values
        ]
        return [key for key in catalogue(ENGLISH) if re.fullmatch("".join(parts), key)]
    ways = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
    return [str(each.value) for each in ways if isinstance(each, ast.Constant)]


def test_every_message_has_a_text_with_its_values() -> None:
    for where, call in calls():
        named = {each.arg for each in call.keywords}
        assert keys(call), f"{where}: the key is to stand here as a literal"
        for key in keys(call):
            text = catalogue(ENGLISH).get(key)
            assert text is not None, f"{where}: {key} has no text"
            assert set(PLACEHOLDER.findall(text)) | {"count", None} >= named, f"{where}: {key}"
            assert None in named or set(PLACEHOLDER.findall(text)) <= named, f"{where}: {key}"


def keys_of_rules() -> set[str]:
    files = [path.read_text("utf-8") for path in ROOT.glob("cua/safety/rules/*.rules")]
    return set(re.findall(r"^\[.+\] (rules\.\w+)$", "\n".join(files), re.MULTILINE))


def test_every_text_is_used() -> None:
    used = {key for _, call in calls() for key in keys(call)} | keys_of_rules()
    left = [key for key in catalogue(ENGLISH) if key.removesuffix(".one") not in used]
    assert [key for key in left if not key.startswith(("join.", "system."))] == []


def test_frequent_errors_of_the_system_are_messages() -> None:
    for key, text in catalogue(ENGLISH).items():
        if key.startswith("system."):
            assert getattr(system_reason(text), "key", "") == key
    assert type(system_reason("Connect call failed")) is str


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("name", FILES)
def test_each_language_has_the_same_keys_with_the_same_values(language: str, name: str) -> None:
    english, other = (
        json.loads((FOLDER / each / f"{name}.json").read_text("utf-8"))
        for each in (ENGLISH, language)
    )
    assert list(other) == sorted(english) == list(english), "sorted by key"
    for key, text in other.items():
        assert key.startswith("join.") or text.strip(), key
        assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(english[key])), key


ELSEWHERE = {"kvm.certificate_changed", "kvm.keymap", "kvm.no_mac", "model.too_large"}
"""Of settings for which no form of a connection asks."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_fails_a_connection_can_be_read_in_every_form_that_asks_for_one(language: str) -> None:
    """It is shown in the first run as well, where there is nothing to send and no Settings."""
    connection = ("kvm.", "model.", "screen.", "vnc.", "usb.", "hid.missing")
    for key, text in catalogue(language).items():
        if key.startswith(connection) and key not in ELSEWHERE:
            assert not re.search("in Settings|[Ss]end again|“设置”|(再|重新)发送", text), key


def test_one_is_written_as_one() -> None:
    assert render("fruit", {"count": 1, "who": "Ann"}, TEXTS) == "an apple for Ann"
    assert render("fruit", {"count": 2, "who": "Ann"}, TEXTS) == "2 apples for Ann"


@pytest.mark.parametrize(
    ("names", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a和b"), (["a", "b", "c"], "a、b和c")]
)
def test_a_list_is_written_as_the_language_does(names: list[str], text: str) -> None:
    assert render("fruit", {"count": 2, "who": names}, TEXTS) == f"2 apples for {text}"


@given(st.text(), st.integers())
def test_a_value_is_never_read_as_a_text(who: str, count: int) -> None:
    value = {"text": "?", "key": "fruit", "values": {"count": 2, "who": "{count} join.item"}}
    assert translate(value, TEXTS) == "2 apples for {count} join.item"
    assert render("fruit", {"count": count + 2, "who": who}, {"fruit": "{who}"}) == who


def test_a_message_of_another_version_is_shown_in_english() -> None:
    for key in ("no.such", "fruit"):  # the latter has other values here
        assert translate({"text": "Gone.", "key": key, "values": {}}, TEXTS) == "Gone."


def test_sentences_in_a_row() -> None:
    both: Any = sentences("A.", "", "B.")
    assert both == "A. B."
    assert sentences("", "A.") == "A."
    assert sentences("") == ""
    assert translate(both, TEXTS) == "A.B."
    assert to_json({"x": [both, 1]}) == {
        "x": [{"text": "A. B.", "key": "sentences", "values": {"texts": ["A.", "B."]}}, 1]
    }
    assert pickle.loads(pickle.dumps(both)).values == both.values
