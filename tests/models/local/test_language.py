"""Parse the texts of a person."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.messages import catalogue, translate
from cua.models.local.instructions import Check, Click, Target, Write
from cua.models.local.language import declines, parse_answer, parse_task
from cua.models.local.phrases import GRAMMARS, NotUnderstood, parse_keys, press
from tests.support.kvm_hardware import ROOT

PLACE = "the place 25.6 % from the left and 22.8 % from the top"
ZH_PLACE = "→ 距左边 25.6%、距上边 22.8% 的位置"
EDIT_DNS = [
    "open “Network”",
    "click “Edit DNS”",
    "click “Use the following DNS server addresses”",
    "type “8.8.8.8” into “Preferred DNS”",
]
LS_OUTPUT = "read the output of “ls -l”"
SAVE_DNS = ["click “Save”", "check that “Edit DNS” is shown", "check that “8.8.8.8” is shown"]
SAVE_NOTE = [
    "click “Save”",
    "check that “Replace file?” is not shown",
    "check that “Save as” is not shown",
]
SAVE_AS = ["press Ctrl+Shift+S", "type “a.txt” into “File name”", *SAVE_NOTE]
DELETE_NOTES = [
    "open “Files”",
    "click “Documents” under “Home”",
    "click “notes.txt”",
    "press Del",
    "click “Delete”",
    "check that “notes.txt” is not shown",
]


def write_note(text: str) -> list[str]:
    asked = "check that “Save changes?” is not shown"
    return ["open “Notepad”", "press Ctrl+N", asked, f"type “{text}”"]


TASKS = [
    ('open "Notepad"', ["open “Notepad”"]),
    ("Click Save", ["click “Save”"]),
    ("double-click on notes.txt", ["double-click “notes.txt”"]),
    ("double click the 'My files' icon", ["double-click “My files”"]),
    ("right click welcome.txt, click Delete", ["right-click “welcome.txt”", "click “Delete”"]),
    ('click "Save, then close"', ["click “Save, then close”"]),
    ("click the second Save", ["click “Save” (number 2)"]),
    ('click "Edit" next to "Wi-Fi"', ["click “Edit” next to “Wi-Fi”"]),
    ("click OK under Name", ["click “OK” under “Name”"]),
    ("type hello", ["type “hello”"]),
    ('type "a, b and press enter" into "Name"', ["type “a, b and press enter” into “Name”"]),
    ('type "one\ntwo"', ["type “one”", "press Enter", "type “two”"]),
    ("press enter", ["press Enter"]),
    ("Press Ctrl+S.", ["press Ctrl+S"]),
    ("press ctrl shift esc twice", ["press Ctrl+Shift+Esc 2 times"]),
    ("press page down 3 times", ["press PgDn 3 times"]),
    ('press the button "OK"', ["click “OK”"]),
    ("click Save and press enter", ["click “Save”", "press Enter"]),
    ("scroll until Imprint is visible", ["scroll down until “Imprint”"]),
    ("scroll up 3 times", ["scroll up"] * 3),
    ('wait for "Ready" to appear', ["wait for “Ready”"]),
    ("click here → the place 25.6 % from the left and 22.8 % from the top", [f"click {PLACE}"]),
    ("right-click → 距左边 25.6 %、距上边 22.8 % 的位置", [f"right-click {PLACE}"]),
    (
        "type hello here → the place 25.6 % from the left and 22.8 % from the top and press enter",
        [f"click {PLACE}", "type “hello”", "press Enter"],
    ),
    (
        'drag "a.txt" to → the place 25.6 % from the left and 22.8 % from the top',
        [f"drag “a.txt” to {PLACE}"],
    ),
    ("wait 2.5 seconds", ["wait 2.5 s"]),
    ('check that "Saved" is shown', ["check that “Saved” is shown"]),
    ("check that Error is not shown", ["check that “Error” is not shown"]),
    ('clear "Name"', ["clear “Name”"]),
    ('drag "a.txt" onto "Documents"', ["drag “a.txt” to “Documents”"]),
    ("go to example.org/a?b=1", ["go to example.org/a?b=1"]),
    (
        "1. open Notepad\n2. type hello\n3. press ctrl+s",
        ["open “Notepad”", "type “hello”", "press Ctrl+S"],
    ),
    ("Please open Network, then click Edit", ["open “Network”", "click “Edit”"]),
    ("set dns server to 8.8.8.8", [*EDIT_DNS, *SAVE_DNS]),
    (
        "Set the DNS servers to 8.8.8.8 and 1.1.1.1, then press esc",
        [
            *EDIT_DNS,
            "type “1.1.1.1” into “Alternate DNS”",
            *SAVE_DNS,
            "check that “1.1.1.1” is shown",
            "press Esc",
        ],
    ),
    (
        "download the esp32 datasheet",
        [
            "open “Browser”",
            "go to esp32 datasheet",
            "click “esp32 datasheet”",
            "click “Download PDF”",
            "wait for “downloaded”",
        ],
    ),
    (
        'write "hello, world" in the notepad and save it as note.txt, open Files',
        [
            *write_note("hello, world"),
            "press Ctrl+S",
            "type “note.txt” into “File name”",
            *SAVE_NOTE,
            "open “Files”",
        ],
    ),
    (
        "open Notepad, type hi and save the note as a.txt",
        ["open “Notepad”", "type “hi”", *SAVE_AS],
    ),
    ("write hi in the notepad", write_note("hi")),
    ("write hi into the notepad and save it", [*write_note("hi"), "press Ctrl+S", *SAVE_NOTE]),
    ("delete the file notes.txt", DELETE_NOTES),
    ("Delete notes.txt, press esc", [*DELETE_NOTES, "press Esc"]),
    ('delete "notes.txt"', DELETE_NOTES),
    ("请删除文件 notes.txt。", DELETE_NOTES),
    ("删除“notes.txt”", DELETE_NOTES),
    (
        "open the terminal and run ls -l, press tab",
        ["open “Terminal”", "type “ls -l”", "press Enter", LS_OUTPUT, "press Tab"],
    ),
    ("run ls -l in the terminal", ["open “Terminal”", "type “ls -l”", "press Enter", LS_OUTPUT]),
    ('type "ls" in the terminal and press enter', ["open “terminal”", "type “ls”", "press Enter"]),
    ('open Terminal, type "ls"', ["open “Terminal”", "type “ls”"]),
]


@pytest.mark.parametrize(("task", "plan"), TASKS)
def test_tasks(task: str, plan: list[str]) -> None:
    assert [wanted.words for wanted in parse_task(task)] == plan


CHINESE_TASKS = [
    ("打开终端", ["open “终端”"]),
    ("点击“保存”", ["click “保存”"]),
    ("输入“abc”", ["type “abc”"]),
    ("输入 hello world", ["type “hello world”"]),
    ("双击 notes.txt，然后按回车键", ["double-click “notes.txt”", "press Enter"]),
    ("请右键点击 welcome.txt，再点“Delete”按钮。", ["right-click “welcome.txt”", "click “Delete”"]),
    ("点击第二个“OK”", ["click “OK” (number 2)"]),
    ("点击“Wi-Fi”旁边的“Edit”", ["click “Edit” next to “Wi-Fi”"]),
    ("点击 Name 下面的 OK", ["click “OK” under “Name”"]),
    ("在“Name”中输入“a，b”", ["type “a，b” into “Name”"]),
    ("在终端中输入“ls”", ["open “终端”", "type “ls”"]),
    ("把“Name”改为“Ada”", ["type “Ada” into “Name”"]),
    ("把“abc”输入到“Name”里", ["type “abc” into “Name”"]),
    (f"输入 hi {ZH_PLACE}", [f"click {PLACE}", "type “hi”"]),
    ("把“a.txt”拖到“Documents”", ["drag “a.txt” to “Documents”"]),
    ("按 Ctrl+S", ["press Ctrl+S"]),
    ("按 Tab 键 3 次", ["press Tab 3 times"]),
    ("按“确定”", ["click “确定”"]),
    ("向上滚动两次", ["scroll up"] * 2),
    ("滚动到看到“Imprint”", ["scroll down until “Imprint”"]),
    ("等待 2 秒", ["wait 2 s"]),
    ("等“Ready”出现", ["wait for “Ready”"]),
    ("检查“Saved”没有显示", ["check that “Saved” is not shown"]),
    ("清空“Name”", ["clear “Name”"]),
    ("访问 example.org", ["go to example.org"]),
    ("把 DNS 服务器设为 8.8.8.8", [*EDIT_DNS, *SAVE_DNS]),
    ("打开终端并运行 ls -l", ["open “Terminal”", "type “ls -l”", "press Enter", LS_OUTPUT]),
    (
        "在记事本里写“你好，世界”并保存",
        [*write_note("你好，世界"), "press Ctrl+S", *SAVE_NOTE],
    ),
    ("打开记事本，输入 hi 并另存为 a.txt", ["open “记事本”", "type “hi”", *SAVE_AS]),
    ("把它保存为“a.txt”", SAVE_AS),
    ("打开 Files；1、点击 Home 2。", ["open “Files”", "click “Home 2”"]),
]


@pytest.mark.parametrize(("task", "plan"), CHINESE_TASKS)
def test_tasks_in_chinese(task: str, plan: list[str]) -> None:
    assert [wanted.words for wanted in parse_task(task)] == plan


def test_a_label_in_chinese_may_be_english_on_the_screen() -> None:
    assert parse_task("点击保存按钮") == [Click(Target(("保存按钮", "保存", "Save")))]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("plan", [plan for _, plan in TASKS if PLACE not in str(plan)], ids=str)
def test_what_it_says_it_also_understands(language: str, plan: list[str]) -> None:
    for wanted in parse_task("; ".join(plan).replace(" (number 2)", "")):
        said = translate(wanted.words, catalogue(language))
        assert [each.words for each in parse_task(said)] == [wanted.words]


def test_languages_have_the_same_keys() -> None:
    english, *others = ((each.phrases, each.goals, each.answers) for each in GRAMMARS)
    for other in others:
        assert [*map(list, other)] == [*map(list, english)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_examples_of_the_page_are_understood(language: str) -> None:
    words = json.loads((ROOT / f"static/messages/{language}/page.json").read_text("utf-8"))
    for name in ("dns", "datasheet", "notepad", "delete"):
        assert parse_task(words[f"example.{name}"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_text_of_the_page_for_a_position_is_understood(language: str) -> None:
    words = json.loads((ROOT / f"static/messages/{language}/page.json").read_text("utf-8"))
    said = words["point.words"].format(x=25.6, y=22.8)
    assert parse_task(f"click here {said}") == [Click(Target((), at=(25.6, 22.8)))]


def test_labels_without_quotes_may_name_what_they_are() -> None:
    [wanted] = parse_task("click the Start button")
    assert wanted == Click(Target(("Start button", "Start")))


def test_quoted_labels_are_taken_as_they_are() -> None:
    [wanted] = parse_task('click "the Start button"')
    assert wanted == Click(Target(("the Start button",)))


def test_quoted_text_keeps_its_spaces_and_its_end() -> None:
    assert parse_task('type "  two  spaces. "') == [Write("  two  spaces. ")]


@pytest.mark.parametrize(
    "task", ["do the dishes", "delete all mails", "", "  ,\n", "click “”", "Save", "press"]
)
def test_a_task_without_meaning_is_refused(task: str) -> None:
    with pytest.raises(NotUnderstood):
        parse_task(task)


def test_the_part_that_is_not_understood_is_named() -> None:
    with pytest.raises(NotUnderstood, match=r'^fold "my" laundry$'):
        parse_task('open "Files", fold "my" laundry')


ANSWERS = [
    ("go on", "continue"),
    ("Try again!", "again"),
    ("yes", "continue"),
    ("skip it", "skip"),
    ("Never mind.", "skip"),
    ("the second one", 2),
    ("2", 2),
    ('click "Later"', [Click(Target(("Later",)))]),
    ("press esc", [press("ESC")]),
    ("check that 1 is shown", [Check("1")]),
    ("继续", "continue"),
    ("好的。", "continue"),
    ("跳过这一步", "skip"),
    ("什么都不用做", "skip"),
    ("第二个", 2),
]


@pytest.mark.parametrize(("said", "meant"), ANSWERS)
def test_answers(said: str, meant: object) -> None:
    assert parse_answer(said) == meant


@pytest.mark.parametrize(
    ("said", "refuses"),
    [
        *((said, True) for said in ("no", "Stop.", "cancel", "No, thanks!", "no, don't do that")),
        *((said, True) for said in ("don't delete it", "Don’t delete notes.txt", "do not")),
        *((said, True) for said in ("取消", "不用了", "没事", "停止", "不要删除", "别删了。")),
        *((said, True) for said in ("No, leave it.", "never mind, leave it", "nothing, thanks")),
        *((said, True) for said in ("no, keep the file", "Keep it!", "no. Don't delete a.txt.")),
        *(
            (said, True)
            for said in ("算了，别删", "不，别删了。谢谢！", "留着", "好的，保留文件吧")
        ),
        *(
            (said, False)
            for said in ("thanks", "谢谢", "", ",", "no, leave it, press esc", "yes, no")
        ),
        *((said, False) for said in ("keep going", "No. 2", "算了，点击“OK”", "不，继续")),
        *((said, False) for said in ("click Cancel", "no, click OK", "notes", "don't, press esc")),
        *(
            (said, False)
            for said in ("点击“取消”", "不，改为点击“OK”", "不改为 1.1.1.1", "不，用 b")
        ),
    ],
)
def test_answers_that_refuse_again(said: str, *, refuses: bool) -> None:
    assert declines(said) == refuses


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
    assert parse_keys(said) == chord


WORDS = st.sampled_from([
    "open", "click", "type", "press", "scroll", "wait", "check", "clear", "drag", "go",
    "to", "until", "for", '"A', 'B"', "“”", "'", '"', "then", "and", ",", ".", "\n", "in",
    "into", "notepad", "save", "it", "as", "run", "the", "dns", "server", "8.8.8.8",
    "download", "file", "delete", "2", "next", "under", "is", "not", "打开", "点击", "输入",
    "把", "拖到", "在", "中", "按", "滚动", "直到", "等待", "检查", "显示", "，", "“A”",
])  # fmt: skip


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        plan = parse_task(text)
    except NotUnderstood:
        return
    assert plan
    assert all(wanted.words for wanted in plan)


@pytest.mark.parametrize(
    "word", ["open a, ", "a, ", "write a in ", "点击在，", "把到", "type “x” into ", "'a' \"b\" "]
)
def test_long_tasks_cost_little(word: str) -> None:
    began = time.monotonic()
    with suppress(NotUnderstood):
        parse_task(word * 3000 + "?")
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_lists_only_what_is_understood(language: str) -> None:
    _, *lines = catalogue(language)["local.commands"].split("\n- ")
    for command in (each for line in lines for each in line.split(" / ")):
        assert parse_task(command)
