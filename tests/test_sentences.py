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
ASSEMBLED = re.compile("(write|delete the file|scroll|clear|(double-)?click|open|drag) ")
"""Put together in the program of parts, each too small to be looked for."""


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
        said = re.sub(r"^\{\}", "There is no such file.", sentence).replace("{}", "7")
        if ENGLISH.search(QUOTED.sub("", translate(said, part=True))):
            left.append(f"{where}: {sentence}")
    assert left == []


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_translated_is_still_said(language: str) -> None:
    said = everything()
    for sentence, text in table(language).items():
        pieces = [piece.strip(' .,:;?!()"') for piece in PLACE.sub("{}", sentence).split("{}")]
        left = [] if ASSEMBLED.match(sentence) else [each for each in pieces if each not in said]
        assert left == [], sentence
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


def test_sentences_come_in_a_row_in_lists_and_in_one_another() -> None:
    translate = translator("zh")
    goal, seen = (
        "set the DNS server to 8.8.8.8",
        'I see "Network" at the top left and double-click it.',
    )
    assert translate(f"[1/2] {goal}: open the network settings. {seen}") == (
        "[1/2] 把 DNS 服务器设为 8.8.8.8：打开网络设置。我看到左上角的“Network”，双击它。"
    )
    place, there = (
        "the place {} % from the left and 2.5 % from the top",
        "距左边 {} %、距上边 2.5 % 的位置",
    )
    said = f"[1/2] drag {place.format(1)} to {place.format(3)}: I click there."
    assert translate(said) == f"[1/2] 把{there.format(1)}拖到{there.format(3)}：我在那里单击。"
    assert translate('[1/2] open "Files": I see "Files" at the top left and double-click it.') == (
        '[1/2] 打开"Files"：我看到左上角的“Files”，双击它。'
    )


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
