"""What a person may say, and what is understood."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.models.local.instructions import Check, Click, Press, Target, Write
from cua.models.local.language import HELP, Choice, answer, understand
from cua.models.local.phrases import NotUnderstood, keys
from tests.support.kvm_hardware import ROOT

PLACE = "the place 25.6 % from the left and 22.8 % from the top"
TASKS = [
    ('open "Notepad"', ['open "Notepad"']),
    ("Click Save", ['click "Save"']),
    ("double-click on notes.txt", ['double-click "notes.txt"']),
    ("double click the 'My files' icon", ['double-click "My files"']),
    ("right click welcome.txt, click Delete", ['right-click "welcome.txt"', 'click "Delete"']),
    ('click "Save, then close"', ['click "Save, then close"']),
    ("click the second Save", ['click "Save" (number 2)']),
    ('click "Edit" next to "Wi-Fi"', ['click "Edit" next to "Wi-Fi"']),
    ("click OK under Name", ['click "OK" under "Name"']),
    ("type hello", ['type "hello"']),
    ('type "a, b and press enter" into "Name"', ['type "a, b and press enter" into "Name"']),
    ('type "one\ntwo"', ['type "one"', "press ENTER", 'type "two"']),
    ("press enter", ["press ENTER"]),
    ("Press Ctrl+S.", ["press CTRL+S"]),
    ("press ctrl shift esc twice", ["press CTRL+SHIFT+ESC 2 times"]),
    ("press page down 3 times", ["press PAGEDOWN 3 times"]),
    ('press the button "OK"', ['click "OK"']),
    ("click Save and press enter", ['click "Save"', "press ENTER"]),
    ("scroll until Imprint is visible", ['scroll down until "Imprint"']),
    ("scroll up 3 times", ["scroll up 3 times"]),
    ('wait for "Ready" to appear', ['wait for "Ready"']),
    ("click here → the place 25.6 % from the left and 22.8 % from the top", [f"click {PLACE}"]),
    ("right-click → 距左边 25.6 %、距上边 22.8 % 的位置", [f"right-click {PLACE}"]),
    (
        "type hello here → the place 25.6 % from the left and 22.8 % from the top and press enter",
        [f"click {PLACE}", 'type "hello"', "press ENTER"],
    ),
    (
        'drag "a.txt" to → the place 25.6 % from the left and 22.8 % from the top',
        [f'drag "a.txt" to {PLACE}'],
    ),
    ("wait 2.5 seconds", ["wait 2.5 s"]),
    ('check that "Saved" is shown', ['check that "Saved" is shown']),
    ("check that Error is not shown", ['check that "Error" is not shown']),
    ("clear the field", ["clear the field"]),
    ('clear "Name"', ['clear "Name"']),
    ('drag "a.txt" onto "Documents"', ['drag "a.txt" to "Documents"']),
    ("go to example.org/a?b=1", ["go to example.org/a?b=1"]),
    (
        "1. open Notepad\n2. type hello\n3. press ctrl+s",
        ['open "Notepad"', 'type "hello"', "press CTRL+S"],
    ),
    ("Please open Network, then click Edit", ['open "Network"', 'click "Edit"']),
    ("set dns server to 8.8.8.8", ["set the DNS server to 8.8.8.8"]),
    (
        "Set the DNS servers to 8.8.8.8 and 1.1.1.1, then restart",
        ["set the DNS server to 8.8.8.8 and 1.1.1.1", "restart the computer"],
    ),
    ("download the esp32 datasheet", ["download the esp32 datasheet"]),
    (
        "write hello, world in the notepad and save it as note.txt, open Files",
        ['write "hello, world" in the notepad and save it as "note.txt"', 'open "Files"'],
    ),
    ("write hi in the notepad", ['write "hi" in the notepad']),
    ("write hi into the notepad, save it", ['write "hi" in the notepad and save it']),
    (
        "open the terminal and run ls -l, press tab",
        ['run "ls -l" in the terminal', "press TAB"],
    ),
    ('open Terminal, type "ls"', ['open "Terminal"', 'type "ls"']),
    ("delete the file a b.txt from Documents", ['delete the file "a b.txt" in "Documents"']),
    ("shut down the computer", ["shut down the computer"]),
    ("reboot", ["restart the computer"]),
]


@pytest.mark.parametrize(("task", "plan"), TASKS)
def test_what_is_understood(task: str, plan: list[str]) -> None:
    assert [wanted.words for wanted in understand(task)] == plan


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_page_writes_for_a_place_is_understood(language: str) -> None:
    words = json.loads((ROOT / f"static/messages/{language}/page.json").read_text("utf-8"))
    said = words["point.words"].format(x=25.6, y=22.8)
    assert understand(f"click here {said}") == [Click(Target((), at=(25.6, 22.8)))]


def test_labels_without_quotes_may_name_what_they_are() -> None:
    [wanted] = understand("click the Start button")
    assert wanted == Click(Target(("Start button", "Start")))


def test_quoted_labels_are_taken_as_they_are() -> None:
    [wanted] = understand('click "the Start button"')
    assert wanted == Click(Target(("the Start button",)))


def test_quoted_text_keeps_its_spaces_and_its_end() -> None:
    assert understand('type "  two  spaces. "') == [Write("  two  spaces. ")]


@pytest.mark.parametrize("task", ["do the dishes", "", "  ,\n", 'click ""', "Save", "press"])
def test_what_is_not_understood(task: str) -> None:
    with pytest.raises(NotUnderstood):
        understand(task)


def test_the_part_that_is_not_understood_is_named() -> None:
    with pytest.raises(NotUnderstood, match=r'^fold "my" laundry$'):
        understand('open "Files", fold "my" laundry')


ANSWERS = [
    ("go on", "again"),
    ("Try again!", "again"),
    ("yes", "again"),
    ("skip it", "skip"),
    ("the second one", Choice(2)),
    ("2", Choice(2)),
    ("the upper one", Choice("top")),
    ("left", Choice("left")),
    ('click "Later"', [Click(Target(("Later",)))]),
    ("press esc", [Press("ESC")]),
    ("check that 1 is shown", [Check("1")]),
]


@pytest.mark.parametrize(("said", "meant"), ANSWERS)
def test_answers(said: str, meant: object) -> None:
    assert answer(said) == meant


KEYS = [
    ("ctrl+s", "CTRL+S"),
    ("Control + Shift + Escape", "CTRL+SHIFT+ESC"),
    ("alt-f4", "ALT+F4"),
    ("the enter key", "ENTER"),
    ("page down", "PAGEDOWN"),
    ("/", "/"),
    ("OK", ""),
    ("the button OK", ""),
]


@pytest.mark.parametrize(("said", "chord"), KEYS)
def test_keys(said: str, chord: str) -> None:
    assert keys(said) == chord


WORDS = st.sampled_from([
    "open", "click", "type", "press", "scroll", "wait", "check", "clear", "drag", "go",
    "to", "until", "for", '"A', 'B"', '""', "'", '"', "then", "and", ",", ".", "\n", "in",
    "into", "notepad", "save", "it", "as", "run", "the", "dns", "server", "8.8.8.8",
    "download", "file", "delete", "2", "next", "under", "is", "not",
])  # fmt: skip


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)))
def test_nothing_that_is_said_breaks_it(text: str) -> None:
    try:
        plan = understand(text)
    except NotUnderstood:
        return
    assert plan
    assert all(wanted.words for wanted in plan)


@pytest.mark.parametrize("word", ["open a, ", "a, ", "write a in ", 'type "x" into ', "'a' \"b\" "])
def test_long_tasks_cost_little(word: str) -> None:
    began = time.monotonic()
    with suppress(NotUnderstood):
        understand(word * 3000 + "?")
    assert time.monotonic() - began < 20


def test_the_help_names_only_what_is_understood() -> None:
    goals = HELP.partition("goals: ")[2].replace("TEXT", "x").replace("NAME", "y.txt")
    assert len(understand(goals.replace(" or restart the computer", ", restart"))) == 7
