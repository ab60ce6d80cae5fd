"""What the service says, in the reader's language: none of its sentences stays English."""

from __future__ import annotations

import json
import re

import pytest

from cua.web.pages import LANGUAGES, translator
from tests.support.kvm_hardware import ROOT
from tests.support.sentences import everything, to_the_page

OTHERS = LANGUAGES[1:]
PLACE = re.compile(r"\{(\w+)\}")
QUOTED = re.compile(
    r"`[^`]*`|“[^”]*”|\"[^\"]*\"|<[^>]*>|'[^']*'|\{.*\}|\bhttps?://\S+|(?:pip|apt-get) install \S*"
)
"""Names, commands, and what somebody else said."""
ENGLISH = re.compile(r"[A-Za-z]{2,}[ ,:]+[a-z]{2,}")


def table(language: str) -> dict[str, str]:
    now, later = (
        json.loads((ROOT / f"static/messages/{language}/{name}.json").read_text("utf-8"))
        for name in ("sentences", "sentences.later")
    )
    assert not now.keys() & later.keys()
    return {**now, **later}


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_that_can_come_to_the_page_stays_english(language: str) -> None:
    translate = translator(language)
    left = []
    for where, sentence in to_the_page():
        said = sentence.replace("{}", "7")
        if ENGLISH.search(QUOTED.sub("", translate(said, part=True))):
            left.append(f"{where}: {sentence}")
    assert left == []


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_translated_is_still_said(language: str) -> None:
    said = everything()
    for sentence, text in table(language).items():
        pieces = [piece.strip(' .,:;?!()"') for piece in PLACE.sub("{}", sentence).split("{}")]
        assert [each for each in pieces if each not in said] == [], sentence
        assert set(PLACE.findall(text)) == set(PLACE.findall(sentence)), sentence
        assert text.strip(), sentence


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_is_taken_for_another_one(language: str) -> None:
    translate = translator(language)
    for sentence, text in table(language).items():
        said, wanted = sentence, text
        for number, name in enumerate(PLACE.findall(sentence)):
            said, wanted = (each.replace(f"{{{name}}}", f"{7 + number}") for each in (said, wanted))
        assert translate(said, part=True) == wanted


def test_names_come_in_lists_and_in_one_another() -> None:
    translate = translator("zh")
    assert translate("holding Press CTRL", True) == "同时按住 按 CTRL"
    assert translate("keyboard, pointer", True) == "键盘、指针"


@pytest.mark.parametrize(
    "said", ["To open it: press Save.", "It can be done. All is well", "Wait 3 s and scroll, drag"]
)
def test_words_of_somebody_else_stay_as_they_are(said: str) -> None:
    assert translator("zh")(said) == said


@pytest.mark.parametrize(
    "said",
    [
        ", ".join(["API key"] * 400) + ", zz",
        " Trying again in  s ( of" * 160,
        "x: " * 1300,
        "Carried out. " * 300 + "zz",
    ],
)
def test_a_hostile_text_has_an_end(said: str) -> None:
    """A model may say what can be taken apart in more ways than anybody can look at."""
    for part in (False, True):
        assert translator("zh")(said, part=part)
