"""The next reply for a task and a screen: commands and questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.dialects import registry
from cua.messages import Message, catalogue, translate
from cua.models.local.decide import decide
from cua.models.local.task_history import read_task
from cua.screen.ocr.layout import ScreenLayout
from cua.types import Ask, Done, Keypress, Outcome, OutcomeKind, ParsedReply, Reply
from tests.models.local.screens import (
    HEIGHT,
    WIDTH,
    Turn,
    at,
    button,
    commands,
    history,
    look,
    reply,
    task,
)

EMPTY = look([("Desktop", 600, 20)])


def parsed(text: str) -> ParsedReply:
    return registry.create("kvm").parse(Reply(text), (WIDTH, HEIGHT))


# --- clicks ---------------------------------------------------------------------------------------


def test_a_click_goes_to_the_middle_of_the_words() -> None:
    text = reply(look([("Save", 102, 108)]), "click save")
    assert text == f"# [1/1] click “save”: “Save” is at the top left.\nmouse {at(120, 120)} 1"


def test_a_tapped_position_is_clicked_once_and_no_dialog_is_closed_for_it() -> None:
    task = "click here → the place 25 % from the left and 50 % from the top"
    text, edge = button("Later", 600, 300)
    asking = look([text], [edge])
    once = reply(asking, task)
    assert commands(once) == [f"mouse {at(320, 360)} 1"]
    again = reply(asking, task, once, before=asking)
    assert commands(again) == ["Done"]


@pytest.mark.parametrize(("verb", "code"), [("double-click", "3"), ("right-click", "2")])
def test_kinds_of_clicks(verb: str, code: str) -> None:
    assert reply(look([("a.txt", 100, 100)]), f"{verb} a.txt").endswith(f" {code}")


ICON_BOX = (95, 50, 150, 98)
ICON = look([("Files", 100, 100)], icons=[ICON_BOX])


def test_an_icon_is_opened_by_two_clicks() -> None:
    assert reply(ICON, "open Files").endswith(" 3")


def test_a_button_is_opened_by_one_click() -> None:
    assert reply(look([("Files", 100, 100)]), "open Files").endswith(" 1")


def test_two_clicks_follow_one_that_opened_nothing() -> None:
    screen = look([("Files", 100, 100)])
    once = reply(screen, "open Files")
    again = reply(screen, "open Files", once, before=screen)
    assert "double-click" in again
    assert again.endswith(" 3")


def test_a_program_that_does_not_open_is_asked_about() -> None:
    turns: list[str] = []
    for _ in range(8):
        turns += [reply(ICON, "open Files", *turns, before=ICON)]
        if "$" in turns[-1]:
            break
    assert commands(turns[-1]) == [
        "$ I tried to open “Files” and nothing changed. What should I do?"
    ]
    assert len(turns) == 6


def test_a_program_that_is_open_is_not_opened_again() -> None:
    screen = look([("Files", 100, 100), ("Files", 400, 60)], [(380, 90, 1100, 600)], [ICON_BOX])
    once = reply(screen, "open Files")
    again = reply(screen, "open Files", once, before=screen)
    assert commands(again) == ["Done"]


def test_a_menu_of_almost_the_same_name_is_no_title_of_the_program() -> None:
    screen = look([("Files", 100, 100), ("File", 400, 60)], [(380, 90, 1100, 600)], [ICON_BOX])
    assert reply(screen, "open Files").endswith(f"mouse {at(122, 112)} 3")


def test_a_label_that_moved_is_clicked_again() -> None:
    first = look([("Save", 100, 100)])
    moved = look([("Save", 400, 300)])
    once = reply(first, "click Save")
    again = reply(moved, "click Save", once, before=first)
    assert "It has moved" in again
    assert again.endswith(f"mouse {at(418, 312)} 1")


def test_a_label_that_the_pointer_hides_is_not_clicked_in_another_window() -> None:
    hidden = look([("a.txt", 700, 300)], [(100, 100, 600, 500), (640, 100, 1240, 500)])
    once = f"# [1/1] x\nmouse {at(222, 212)} 1"
    assert commands(reply(hidden, "click a.txt", once, before=hidden)) == ["Done"]


FILES_WINDOW = (600, 134, 1250, 600)
OTHERS = [("a.txt - Notepad", 80, 56), ("a.txt", 100, 150), ("Files", 700, 106), ("Home", 630, 150)]


def test_a_file_to_delete_is_looked_for_only_in_the_window_that_was_opened_for_it() -> None:
    boxes = [(60, 84, 580, 500), FILES_WINDOW]
    task, opened = "delete a.txt", "# [1/6] x\nmouse 0.1 0.1 3"
    home = look([*OTHERS, ("Documents", 630, 190)], boxes)
    clicks = reply(home, task, opened)
    assert commands(clicks) == [f"mouse {at(670, 202)} 1"]
    turns = [opened, clicks]
    while "$" not in turns[-1]:
        assert "DELETE" not in turns[-1]
        turns += [reply(home, task, *turns, before=home)]
    assert not any(f"mouse {at(122, 162)}" in each for each in turns)
    shown = look([*OTHERS, ("Documents", 630, 190), ("a.txt", 800, 190)], boxes)
    assert commands(reply(shown, task, opened)) == [f"mouse {at(822, 202)} 1"]
    deleted = [f"# [{number}/6] x\nmouse 0.5 0.5 1" for number in range(1, 6)]
    assert commands(reply(home, task, *deleted)) == ["Done"], "only a title has the name"


def test_the_next_instruction_follows_in_the_same_reply() -> None:
    before, now = look([("Edit", 100, 100)]), look([("Save", 300, 300)])
    once = reply(before, "click Edit, click Save")
    text = reply(now, "click Edit, click Save", once, before=before)
    assert text.splitlines()[0].startswith("# [2/2] click “Save”: ")
    assert "# click “Edit”: I now see “Save”." in text.splitlines()
    assert text.endswith(f"mouse {at(318, 312)} 1")


def test_the_last_reply_says_what_was_seen() -> None:
    before, now = look([("Edit", 100, 100)]), look([("All saved", 300, 300)])
    once = reply(before, "click Edit")
    text = reply(now, "click Edit", once, before=before)
    assert text == "# [1/1] all done\n# click “Edit”: I now see “All saved”.\nDone"
    more = look([(f"Row {name}", 300, 90 * at) for at, name in enumerate(("ab", "cd", "ef", "gh"))])
    text = reply(more, "click Edit", once, before=before)
    assert "I now see “Row ab”, “Row cd” and “Row ef”, among others.\n" in text


# --- equal labels ---------------------------------------------------------------------------------


TWO = look([("OK", 100, 100), ("OK", 1000, 600)])


def test_equal_labels_are_asked_about() -> None:
    assert commands(reply(TWO, "click OK")) == [
        "$ I see “OK” 2 times (at the top left and at the bottom right). "
        "Which one? Say “the first” or “2”."
    ]


@pytest.mark.parametrize("said", ["the second", "2", "number 2"])
def test_the_answer_picks_one(said: str) -> None:
    asked = reply(TWO, "click OK")
    text = reply(TWO, "click OK", Turn(asked, "ended", (said,)))
    assert text.endswith(f"mouse {at(1009, 612)} 1")


def test_a_button_is_preferred_to_a_text() -> None:
    text, box = button("OK", 1000, 600)
    assert reply(look([("OK", 100, 100), text], [box]), "click OK").endswith(
        f"mouse {at(1009, 612)} 1"
    )


def test_a_new_label_is_preferred() -> None:
    before = look([("OK", 100, 100)])
    text = reply(TWO, "press F5, click OK", "# [1/2] x\nkeyboard F5", before=before)
    assert text.endswith(f"mouse {at(1009, 612)} 1")


def test_the_window_used_last_is_preferred() -> None:
    text = reply(TWO_WINDOWS, "click Name, click OK", f"# [1/2] x\nmouse {at(760, 210)} 1")
    assert text.endswith(f"mouse {at(859, 412)} 1")


TWO_WINDOWS = look(
    [("Name", 750, 200), ("OK", 150, 400), ("OK", 850, 400)],
    [(100, 100, 500, 500), (700, 100, 1100, 500)],
)


def test_the_one_next_to_another_label() -> None:
    screen = look(
        [("a.txt", 100, 100), ("Edit", 400, 100), ("b.txt", 100, 200), ("Edit", 400, 200)]
    )
    assert reply(screen, "click Edit next to b.txt").endswith(f"mouse {at(418, 212)} 1")


def test_titles_and_entered_words_come_last() -> None:
    screen = look(
        [("esp32 datasheet", 200, 100), ("ESP32 Datasheet", 200, 300)], [(190, 95, 900, 130)]
    )
    assert reply(screen, "click esp32 datasheet").endswith(f"mouse {at(267, 312)} 1")


# --- typing ---------------------------------------------------------------------------------------

FORM = look([("Name", 100, 100)], [(300, 96, 500, 130)])
FILLED = look([("Name", 100, 100), ("Ada", 310, 100)], [(300, 96, 500, 130)])
INTO = 'type "Ada" into "Name"'


def test_a_field_is_clicked_selected_and_typed_into() -> None:
    assert commands(reply(FORM, INTO)) == [
        f"mouse {at(450, 113)} 1",
        "keyboard CTRL+A",
        "typestr Ada",
    ]


def test_the_click_on_a_field_is_named_by_its_label() -> None:
    found = decide(history(INTO), FILLED, None).parsed
    assert found
    assert found.label == "Name"


def test_the_text_in_the_field_ends_it() -> None:
    text = reply(FILLED, INTO, reply(FORM, INTO), before=FORM)
    assert commands(text) == ["Done"]
    assert "I can read “Ada” there." in text


def test_the_text_anywhere_else_does_not_end_it() -> None:
    elsewhere = look([("Name", 100, 100), ("Ada", 700, 500)], [(300, 96, 500, 130)])
    text = reply(elsewhere, INTO, reply(FORM, INTO), before=FORM)
    assert commands(text) == ["sleep 1"]


def test_a_field_that_moved_is_filled_in_again() -> None:
    moved = look([("Name", 100, 200)], [(300, 196, 500, 230)])
    text = reply(moved, INTO, reply(FORM, INTO), before=FORM)
    assert commands(text)[0] == f"mouse {at(450, 213)} 1"


@pytest.mark.parametrize("task", [INTO, "click Name, type Ada"])
@pytest.mark.parametrize(
    "screen",
    [
        look([("Name", 100, 100)]),
        look([("Name", 100, 100)], [(160, 96, 400, 130)], [(95, 50, 150, 98)]),
    ],
    ids=["text", "icon beside a box"],
)
def test_nothing_is_replaced_where_no_field_is_known(screen: ScreenLayout, task: str) -> None:
    turns: list[str] = []
    while not turns or "$" not in turns[-1]:
        turns += [reply(screen, task, *turns, before=screen)]
    assert "CTRL+A" not in "".join(turns)
    if task == INTO:
        assert commands(turns[-1])[0].startswith("$ I can't see the field “Name” on the screen.")


def test_dots_in_the_field_are_taken_for_a_secret() -> None:
    dots = look([("Name", 100, 100), ("•••", 310, 100)], [(300, 96, 500, 130)])
    assert commands(reply(dots, INTO, reply(FORM, INTO), before=FORM)) == ["Done"]


@pytest.mark.parametrize("task", ["click Name, type {{secret:wifi}}", "type {{ Secret:pw }}"])
def test_a_named_secret_is_accepted_as_typed_and_not_quoted(task: str) -> None:
    number = task.count(",") + 1
    typed = f"# [{number}/{number}] x\ntypestr {{{{secret:wifi}}}}"
    assert says(FILLED, task, typed, before=FORM) == "The screen changed."
    begun = Turn(typed, None, progress=Message("progress.begun"))
    asks = reply(FILLED, task, begun, before=FORM)
    assert commands(asks)[0].startswith("$ I was interrupted while typing “{{")
    again = reply(FILLED, task, begun, Turn(asks, "ended", ("continue",)), before=FILLED)
    assert commands(again)[0].startswith("typestr {{")
    corrected = begun._replace(said=("press tab",))
    tab = reply(FILLED, task, corrected, before=FORM)
    assert commands(tab) == ["keyboard TAB"]
    asks = reply(FILLED, task, corrected, tab, before=FILLED)
    assert commands(asks)[0].startswith("$ I was interrupted while typing “{{")
    again = reply(FILLED, task, corrected, tab, Turn(asks, "ended", ("continue",)), before=FILLED)
    assert commands(again)[0].startswith("typestr {{")


def test_an_address_with_a_secret_that_was_half_typed_is_typed_anew() -> None:
    goal = "go to http://kvm.example/{{secret:key}}"
    first = reply(EMPTY, goal)
    begun = Turn(first, None, progress=Message("progress.begun"), started=2)
    assert len(commands(first)) == 3
    assert commands(reply(EMPTY, goal, begun)) == commands(first)


def test_text_that_never_appears_is_asked_about() -> None:
    turns: list[str] = []
    for _ in range(8):
        turns += [reply(FORM, INTO, *turns, before=FORM)]
        if "$" in turns[-1]:
            break
    assert commands(turns[-1])[0].startswith("$ I typed “Ada” but can't see it")
    assert sum("typestr" in turn for turn in turns) == 1
    asked = Turn(turns.pop(), "ended", ("I can see it",))
    unknown = Turn(reply(FORM, INTO, *turns, asked, before=FORM), "ended", ("continue",))
    assert commands(unknown.reply)[0].startswith("$ The Local")
    assert commands(reply(FORM, INTO, *turns, asked, unknown, before=FORM)) == ["Done"]


def test_typing_goes_on_where_it_was_interrupted() -> None:
    part = look([("hell", 100, 100)])
    once = reply(EMPTY, "type hello world")
    stopped = Turn(once, None, progress=Message("progress.typed", typed=4, count=11))
    assert commands(reply(part, "type hello world", stopped, before=EMPTY)) == ["typestr o world"]


def test_typing_after_a_click_on_a_label_finds_its_field() -> None:
    task = "click Name, type Ada"
    turns = [reply(FORM, task)]
    turns += [reply(FORM, task, *turns, before=FORM)]
    assert commands(turns[1]) == ["typestr Ada"]
    assert commands(reply(FORM, task, *turns, before=FORM))[0] == f"mouse {at(450, 113)} 1"


def test_a_text_that_cannot_be_read_in_the_window_that_was_opened_is_typed_nowhere_else() -> None:
    """Its button in the taskbar is no field, and another window shows the same text."""
    task, (text, box) = "open Notepad, type hello", button("Notepad", 60, 680)
    terminal = [("Terminal", 950, 106), ("$ hello", 950, 150)]
    screen = look(
        [("*Untitled - Notepad", 220, 56), *terminal, text],
        [(200, 84, 900, 500), (930, 134, 1270, 550), box, (180, 672, 900, 712)],
    )
    turns: list[str] = [f"# [1/2] x\nmouse {at(60, 60)} 3"]
    while "$" not in turns[-1]:
        turns += [reply(screen, task, *turns, before=screen)]
    assert [commands(each) for each in turns[1:3]] == [["typestr hello"], ["sleep 1"]]
    assert len(turns) == 4
    assert commands(reply(NOTEPAD, task, *turns[:2], before=screen)) == ["Done"]


def test_clearing_a_field() -> None:
    assert commands(reply(FILLED, "clear Name"))[1:] == ["keyboard CTRL+A", "keyboard DELETE"]


def test_keys_are_pressed_several_times() -> None:
    task = "press tab 5 times"
    turns = [reply(EMPTY, task)]
    turns += [reply(EMPTY, task, *turns, before=EMPTY)]
    assert commands(turns[0]) + commands(turns[1]) == ["keyboard TAB"] * 5
    assert commands(reply(EMPTY, task, *turns, before=EMPTY)) == ["Done"]


# --- the person -----------------------------------------------------------------------------------


def test_a_task_that_is_not_understood() -> None:
    text = reply(EMPTY, "do the dishes")
    assert commands(text)[0].startswith(
        "$ The Local operator isn't an AI and didn't understand "
        "“do the dishes”. Supported commands; a place"
    )


@pytest.mark.parametrize(("task", "anew"), [("do the dishes", True), ("click Edit", False)])
def test_only_a_task_of_which_nothing_was_understood_gives_way_to_another(
    task: str, *, anew: bool
) -> None:
    hint = "do the dishes"
    parsed = decide(history(task, Turn("# [1/1] x\nsleep 1", said=(hint,))), EMPTY, None).parsed
    assert parsed
    assert [each.anew for each in parsed.actions if isinstance(each, Ask)] == [anew]


@pytest.mark.parametrize(
    ("task", "result"),
    [
        ('click Edit; check that "8.8.8.8" is shown', "“DNS 8.8.8.8” is shown."),
        ("click Edit", "I now see “DNS 8.8.8.8”."),
        (
            'click Edit; check that "Edit" is not shown',
            "“Edit” is not on the screen. I now see “DNS 8.8.8.8”.",
        ),
    ],
)
def test_the_result_is_what_was_seen_last(task: str, result: str) -> None:
    before, now = look([("Edit", 100, 100)]), look([("DNS 8.8.8.8", 300, 300)])
    parsed = decide(history(task, reply(before, task)), now, before).parsed
    assert parsed
    assert parsed.actions == (Done(answer=result, refused=False),)


def test_a_text_that_is_cut_off_or_a_part_of_a_word_is_no_result() -> None:
    cut, window = ("5 item", 250, 300), (303, 90, 900, 600)
    once = reply(EMPTY, "press F5")
    found = look([cut, ("Ready to go", 303, 300)], [window])
    assert says(found, "press F5", once, before=EMPTY) == "I now see “Ready to go”."
    assert says(look([cut]), "press F5", once, before=EMPTY) == "I now see “5 item”."
    for text, seen in (
        ("口", ""),
        ("口 _", ""),
        ("x)", ""),
        ("7", "7"),
        ("Lil", ""),
        ("Net...", ""),
        ("浏览…", ""),
        ("关闭", "关闭"),
    ):
        said = says(look([(text, 300, 300)]), "press F5", once, before=EMPTY)
        assert said == (f"I now see “{seen}”." if seen else "The screen changed.")


def test_the_result_is_not_that_a_dialog_is_gone_if_something_appeared() -> None:
    task = 'press Ctrl+S; check that "Save as" is not shown'
    box = (400, 240, 880, 410)
    dialog = look([("Save as", 430, 210), *(button("Save", 640, 360)[:1])], [box])
    listed = look([("Save as", 430, 210), ("Save as you like", 430, 300)], [box])
    saved, pressed = look([SAVED_AS]), reply(EMPTY, task)
    found = "I now see “a.txt - Notepad”."
    assert says(saved, task, pressed, before=dialog) == found
    assert says(saved, task, pressed, before=EMPTY) == found
    assert says(saved, task, pressed, before=listed) == f"“Save as” is not on the screen. {found}"


def test_a_reply_can_be_translated() -> None:
    chinese = catalogue("zh")
    parsed = decide(history("open Files, press esc"), ICON, None).parsed
    assert parsed
    assert parsed.label == "Files"
    assert translate(parsed.thought, chinese) == "“Files”在屏幕左上角。"
    parsed = decide(history("check that Edit is shown"), look([("Edit", 100, 100)]), None).parsed
    assert parsed
    [done] = parsed.actions
    assert isinstance(done, Done)
    assert translate(done.answer, chinese) == "屏幕上显示了“Edit”。"
    parsed = decide(history("click OK"), TWO, None).parsed
    assert parsed
    assert parsed.thought == ""
    [asks] = parsed.actions
    assert isinstance(asks, Ask)
    assert translate(asks.question, chinese).startswith("我看到 2 个“OK”（左上角和右下角）。")


REPLACE, REPLACE_BOX = button("Replace", 640, 360)
CANCEL, CANCEL_BOX = button("Cancel", 760, 360)
BEHIND, BEHIND_BOX = button("Cancel", 900, 600)
CUT, CUT_BOX = button("Si", 230, 300)
ASKS = look(
    [("Replace file?", 430, 210), REPLACE, CANCEL, BEHIND, CUT],
    [
        *((400, 240, 880, 410), (200, 40, 1200, 680), (202, 240, 398, 600)),
        *(REPLACE_BOX, CANCEL_BOX, BEHIND_BOX, CUT_BOX),
    ],
)
"""The small box on the left is what the dialog leaves in sight of a window."""
NOT_ASKED = 'check that "Replace file?" is not shown, press F5'


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("Replace", REPLACE_BOX),
        ("“replace”.", REPLACE_BOX),
        ("Cancel", CANCEL_BOX),
        ("yes", REPLACE_BOX),
        ("是", REPLACE_BOX),
        ("no", CANCEL_BOX),
        ("否", CANCEL_BOX),
    ],
)
def test_an_answer_that_names_a_button_clicks_it_and_the_plan_goes_on(
    answer: str, place: tuple[int, int, int, int]
) -> None:
    waits = reply(ASKS, NOT_ASKED)
    asks = reply(ASKS, NOT_ASKED, waits)
    assert "I see: “Replace” and “Cancel”." in asks
    turns: list[Turn | str] = [waits, Turn(asks, "ended", (answer,))]
    left, top, right, bottom = place
    clicks = reply(ASKS, NOT_ASKED, *turns, before=ASKS)
    assert commands(clicks) == [f"mouse {at((left + right) // 2, (top + bottom) // 2)} 1"]
    gone = reply(EMPTY, NOT_ASKED, *turns, clicks, before=ASKS)
    assert commands(gone) == ["keyboard F5"]


@pytest.mark.parametrize(
    ("answer", "then"), [("yes", "sleep 1.5"), ("OK", "sleep 1.5"), ("Save as", "$ The Local")]
)
def test_an_answer_to_go_on_clicks_no_button_of_a_window(answer: str, then: str) -> None:
    (ok, ok_box), (save, save_box) = button("OK", 900, 500), button("Save", 700, 500)
    screen = look([ok, save], [(200, 40, 1200, 680), ok_box, save_box])
    turns: list[Turn | str] = []
    for _ in range(3):
        turns += [reply(screen, "click Edit", *turns, before=screen)]
    turns[-1] = Turn(str(turns[-1]), "ended", (answer,))
    assert commands(reply(screen, "click Edit", *turns, before=screen))[0].startswith(then)


@pytest.mark.parametrize("answer", ["Files", "“files”.", "文件"])
def test_an_answer_that_only_names_what_is_in_sight_is_clicked_instead(answer: str) -> None:
    asks = "# [1/2] open “Fils”\n$ What should I do?"
    turns: list[Turn | str] = [Turn(asks, "ended", (answer,))]
    clicks = reply(ICON, "open Fils, press F5", *turns, before=ICON)
    assert commands(clicks) == [f"mouse {at(122, 112)} 3"]
    shown = look([("Files", 100, 100), ("Files", 400, 60)], [(380, 90, 1100, 600)], [ICON_BOX])
    assert commands(reply(shown, "open Fils, press F5", *turns, clicks, before=ICON)) == [
        "keyboard F5"
    ]
    unknown = Turn(asks, "ended", ("Fles",))
    assert commands(reply(ICON, "open Fils", unknown, before=ICON))[0].startswith("$ The Local")


@pytest.mark.parametrize(("kind", "why"), [("failed", "No accents. "), ("refused", "")])
def test_a_refused_action_is_asked_about(kind: OutcomeKind, why: str) -> None:
    """The person knows that they refused it, and the step says so."""
    typed = "# [1/1] x\ntypestr é"
    asked = task("type é", Turn(typed, kind))
    asked.steps[0].outcome = Outcome(kind, "No accents.")
    text = decide(read_task(asked), EMPTY, None).text
    assert commands(text) == [f"$ {why}What should I do instead?"]


@pytest.mark.parametrize(("name", "left_out"), [("Cancel", True), ("Later", False)])
def test_the_answer_replaces_what_was_refused(name: str, *, left_out: bool) -> None:
    """It is done instead, unless it only refuses once more."""
    refused = Turn("# [1/1] x\nmouse 0.5 0.5 1", "refused")
    asked = reply(EMPTY, "click OK", refused)
    turns = [refused, Turn(asked, "ended", (f"click {name} instead",))]
    screen = look([("OK", 100, 100), (name, 300, 100)])
    once = reply(screen, "click OK", *turns)
    assert once.endswith(f"mouse {at(300 + 9 * len(name) // 2, 112)} 1")
    parsed = decide(history("click OK", *turns, once), EMPTY, screen).parsed
    assert parsed
    [done] = parsed.actions
    assert isinstance(done, Done)
    assert done.refused is left_out


def test_what_was_refused_is_not_entered_either() -> None:
    screen, task = look([("OK", 100, 100)]), 'type "rm", press enter, click OK'
    refused = Turn("# [1/3] x\ntypestr rm", "refused")
    asked = reply(screen, task, refused)
    for answer, then in (("press esc", "# [1/2] press Esc"), ("skip", "# [1/1] click “OK”")):
        turns = [refused, Turn(asked, "ended", (answer,))]
        assert reply(screen, task, *turns).startswith(then)


@pytest.mark.parametrize(
    ("answer", "then"),
    [
        ("cancel", CANCEL_BOX),
        ("取消", CANCEL_BOX),
        *(
            (answer, None)
            for answer in ("no", "don't replace it", "nothing", "不要删除", "算了，别删")
        ),
    ],
)
@pytest.mark.parametrize("before", [(), ("hm",)])
def test_an_answer_that_refuses_again_clicks_what_it_names_and_leaves_the_rest_out(
    answer: str, then: tuple[int, int, int, int] | None, before: tuple[str, ...]
) -> None:
    task = 'click "Replace"; check that "Replace" is not shown'
    turns: list[Turn | str] = [Turn("# [1/2] x\nmouse 0.5 0.5 1", "refused")]
    for said in (*before, answer):
        turns += [Turn(reply(ASKS, task, *turns), "ended", (said,))]
    if then:
        turns += [clicks := reply(ASKS, task, *turns)]
        left, top, right, bottom = then
        assert commands(clicks) == [f"mouse {at((left + right) // 2, (top + bottom) // 2)} 1"]
    found = decide(history(task, *turns), ASKS, ASKS).parsed
    assert found
    assert found.actions == (Done(answer=Message("local.left_out"), refused=True),)


RESULT = 'press Ctrl+S; check that "Replace file?" is not shown; check that "Save as" is not shown'
ASKS_ALONE = look(
    [("Replace file?", 430, 210), REPLACE, CANCEL],
    [(400, 240, 880, 410), REPLACE_BOX, CANCEL_BOX],
)
SAVED_AS = ("a.txt - Notepad", 430, 60)


@pytest.mark.parametrize(
    ("answer", "clicks"),
    [
        ("Cancel", 1),
        ("no", 1),
        ("click Cancel", 1),
        ("点击“取消”", 1),
        ("press esc", 1),
        ("skip", 0),
    ],
)
@pytest.mark.parametrize("before", [(), ("hm",)])
def test_a_dialog_that_the_person_cancels_leaves_out_what_it_asked_about(
    answer: str, clicks: int, before: tuple[str, ...]
) -> None:
    """That it is gone is no proof."""
    task, turns = RESULT + "; press F5", list[Turn | str](["# [2/4] x\nsleep 1"])
    for said in (*before, answer):
        turns += [Turn(reply(ASKS_ALONE, task, *turns, before=ASKS_ALONE), "ended", (said,))]
    for _ in range(clicks):
        turns += [reply(ASKS_ALONE, task, *turns, before=ASKS_ALONE)]
    turns += [reply(EMPTY, task, *turns, before=ASKS_ALONE)]
    assert commands(str(turns[-1])) == ["keyboard F5"]
    found = decide(history(task, *turns), EMPTY, EMPTY).parsed
    assert found
    [done] = found.actions
    assert isinstance(done, Done)
    assert done.refused


def test_after_a_dialog_was_closed_by_hand_only_a_result_beside_it_shows_that_it_was_done() -> None:
    turns: list[Turn | str] = ["# [2/3] x\nsleep 1"]
    turns += [Turn(reply(ASKS, RESULT, *turns, before=ASKS), "ended")]
    asked = reply(look([("Text under it", 430, 250)]), RESULT, *turns, before=ASKS)
    assert commands(asked) == [
        "$ “Replace file?” is no longer shown, but I can't see a result. Is it done? "
        "Say “yes” or “no”."
    ]
    assert commands(reply(look([SAVED_AS]), RESULT, *turns, before=ASKS)) == ["Done"]
    for answer, refused in (("yes", False), ("no", True), ("是", False), ("否", True)):
        told = history(RESULT, *turns, Turn(asked, "ended", (answer,)))
        found = decide(told, EMPTY, EMPTY).parsed
        assert found
        [done] = found.actions
        assert isinstance(done, Done)
        assert done.refused == refused


NOTEPAD_BOX, TERMINAL_BOX = (200, 84, 900, 500), (400, 134, 1100, 550)
NOTEPAD = look([("Untitled - Notepad", 220, 56), ("hello", 220, 100)], [NOTEPAD_BOX])
COVERED = look([("*Untitled - Notepad", 216, 56), ("Terminal", 420, 106)], [TERMINAL_BOX])
TO_NOTEPAD = f"mouse {at(301, 68)} 1"
NOTE = "open Notepad, type hello, press F5"
OPENED = "# [1/3] x\nmouse 0.1 0.1 3"


def by_hand(text: str, outcome: OutcomeKind | None = "executed", *, progress: str = "") -> Turn:
    return Turn(text, outcome, progress=progress, by_hand=True)


def test_after_actions_by_hand_the_window_of_the_plan_is_brought_to_the_front_before_keys() -> None:
    typed = by_hand("# [2/3] x\ntypestr hello")
    front = reply(COVERED, NOTE, OPENED, typed, before=NOTEPAD)
    assert commands(front) == [TO_NOTEPAD]
    found = history(NOTE, OPENED, typed, front)
    assert (found.front_unknown, len(found.own)) == (False, 1)
    assert commands(reply(NOTEPAD, NOTE, OPENED, typed, front, before=COVERED)) == ["keyboard F5"]
    stale = history(NOTE, OPENED, typed, Turn(front, "stale"))
    assert (stale.front_unknown, len(stale.all)) == (True, 2)


def test_after_actions_by_hand_only_the_rest_of_a_text_is_typed() -> None:
    progress = Message("progress.typed", typed=2, count=5)
    typed = by_hand("# [2/3] x\ntypestr hello", None, progress=progress)
    front = reply(COVERED, NOTE, OPENED, typed, before=NOTEPAD)
    assert commands(front) == [TO_NOTEPAD]
    again = reply(COVERED, NOTE, OPENED, typed, front, before=COVERED)
    assert commands(again) == ["typestr llo"]


def test_a_window_that_is_out_of_sight_is_opened_again_if_nothing_was_done_in_it() -> None:
    screen = look([("Notepad", 100, 100)], icons=[ICON_BOX])
    text = reply(screen, NOTE, by_hand(OPENED), before=NOTEPAD)
    assert text.startswith("# [1/3] open “Notepad”")
    assert text.endswith(" 3")
    assert not history(NOTE, by_hand(OPENED), OPENED).front_unknown


DIARY = ("diary.txt - Notepad", 420, 106)
MOVED = ("Untitled - Notepad", 420, 106)


@pytest.mark.parametrize(
    ("task", "turns", "now", "before"),
    [
        (NOTE, [OPENED], look([DIARY], [TERMINAL_BOX]), EMPTY),
        (NOTE, [OPENED, "# [2/3] x\ntypestr hello"], EMPTY, NOTEPAD),
        (NOTE, [OPENED, "# [2/3] x\ntypestr hello"], look([MOVED], [TERMINAL_BOX]), NOTEPAD),
        (
            NOTE,
            [OPENED, "# [2/3] x\ntypestr hello"],
            NOTEPAD,
            look([MOVED, ("Untitled - Notepad", 220, 56)], [NOTEPAD_BOX, TERMINAL_BOX]),
        ),
        (
            "open Notepad, click Edit, press F5",
            [OPENED, "# [2/3] x\nmouse .1 .1 1"],
            COVERED,
            NOTEPAD,
        ),
        ("type hello, press F5", ["# [1/2] x\ntypestr hello"], NOTEPAD, EMPTY),
    ],
)
def test_it_asks_for_the_window_of_the_plan_where_that_may_be_another(
    task: str, turns: list[Turn | str], now: ScreenLayout, before: ScreenLayout
) -> None:
    *earlier, last = turns
    turns = [*earlier, by_hand(str(last))]
    asked = reply(now, task, *turns, before=before)
    what = asked.split("\n$ ")[1]
    assert "another window may be in front" in what
    assert ("Bring “Notepad” to the front" in what) == ("open Notepad" in task)
    for answer in (Turn(asked, "ended", ("continue",), by_hand=True), by_hand(asked, "ended")):
        assert not history(task, *turns, answer).front_unknown
    other = Turn(asked, "ended", ("type bye",), by_hand=True)
    assert history(task, *turns, other).front_unknown


def test_it_asks_for_the_window_of_the_plan_before_it_scrolls_in_another() -> None:
    plan = "open Notepad, click Edit, click Options"
    turns: list[Turn | str] = [OPENED, by_hand("# [2/3] x\nmouse .1 .1 1")]
    waits = reply(COVERED, plan, *turns, before=NOTEPAD)
    assert commands(waits) == ["sleep 1.5"]
    asked = reply(COVERED, plan, *turns, waits, before=COVERED)
    assert "Bring “Notepad” to the front" in asked.split("\n$ ")[1]


def test_keys_go_where_the_person_is_if_the_plan_has_used_no_window() -> None:
    told = task("press F5")
    told.steps[0].by_hand = True
    assert commands(decide(read_task(told), NOTEPAD, None).text) == ["keyboard F5"]


def test_the_result_says_that_what_was_refused_was_left_out() -> None:
    refused = Turn("# [1/1] x\ntypestr rm", "refused")
    asked = Turn(reply(EMPTY, 'type "rm"', refused), "ended", ("skip",))
    parsed = decide(history('type "rm"', refused, asked), EMPTY, None).parsed
    assert parsed
    assert parsed.actions == (Done(answer=Message("local.left_out"), refused=True),)
    asked = asked._replace(said=("press esc",))
    instead = Turn(reply(EMPTY, 'type "rm"', refused, asked))
    parsed = decide(history('type "rm"', refused, asked, instead), EMPTY, None).parsed
    assert parsed
    [done] = parsed.actions
    assert isinstance(done, Done)
    assert done.answer.startswith("What you declined was left out.")


def test_of_two_refusals_only_what_the_person_skipped_is_left_out() -> None:
    """Whatever is done instead of the other one, or allowed later; unless it is done after all."""
    goal = 'type "rm a", type "rm b"'
    turns = [Turn("# [1/2] x\ntypestr rm a", "refused"), Turn("# [1/2] x\n$ What?", "ended")]
    turns[-1] = turns[-1]._replace(said=("skip",))
    turns += [Turn("# [1/1] x\ntypestr rm b", "refused"), Turn("# [1/1] x\n$ What?", "ended")]
    for words, left_out in (("type date", True), ("again", True), ("type rm a", False)):
        turns[-1] = turns[-1]._replace(said=(words,))
        found = task(goal, *turns, "# [1/1] all done\nDone")
        found.steps[-2].allowed = Keypress(keys=("ENTER",))
        assert bool(read_task(found).left_out) == left_out


def test_words_at_the_end_are_still_done() -> None:
    done = Turn("# [1/1] Done.\nDone", "user_spoke", ("press esc",))
    text = reply(EMPTY, "press tab", "# [1/1] x\nkeyboard TAB", done)
    assert commands(text) == ["keyboard ESC"]


def test_words_during_a_run_that_have_to_wait_are_told_so_once() -> None:
    goal, hint = "press tab, press F1, press F2", "“press esc” comes after what is planned."
    said = Turn(reply(EMPTY, goal), said=("press esc",))
    waits = reply(EMPTY, goal, said)
    assert waits.startswith(f"# [2/4] press F1: {hint} ")
    assert commands(waits) == ["keyboard F1"]
    assert hint not in reply(EMPTY, goal, said, waits)
    assert hint not in reply(EMPTY, "press tab", Turn(reply(EMPTY, "press tab"), said=said.said))
    for other in (said._replace(said=("then press esc",)), said._replace(outcome=None)):
        assert "planned" not in reply(EMPTY, goal, other)
    assert "planned" not in reply(EMPTY, f"{goal}\npress esc")
    skipped = Turn("# [1/1] x\n$ What now?", "ended", ("skip",))
    assert "planned" not in reply(EMPTY, "press tab", skipped), "nothing is left of the plan"


def test_a_correction_in_between_is_done_first() -> None:
    screen = look([("Save", 100, 100)])
    stopped = Turn(reply(screen, "click Save"), None, ("press esc",), Message("progress.begun"))
    assert reply(screen, "click Save", stopped) == "# [2/2] press Esc\nkeyboard ESC"


def test_the_rest_of_a_half_typed_text_is_asked_about_after_a_correction() -> None:
    half = Message("progress.typed", typed=4, count=11)
    stopped = Turn(reply(EMPTY, "type hello world"), None, ("press esc",), half)
    text = reply(EMPTY, "type hello world", stopped, reply(EMPTY, "type hello world", stopped))
    assert commands(text)[0].startswith("$ I typed only “hell” of “hello world”")


def test_the_result_of_a_command_is_what_it_shows_once_the_prompt_is_back() -> None:
    goal, entered = "read the output of `dir x`", [("C:\\>dir x", 100, 100), ("14:05", 900, 690)]
    window = (90, 90, 800, 400)

    def after(*lines: str) -> ScreenLayout:
        shown = [(line, 100, 124 + 24 * number) for number, line in enumerate(lines)]
        return look([*entered, *shown], [window])

    waits = reply(after("Searching"), goal)
    assert commands(waits) == ["sleep 1"]
    assert says(after("Searching", "Not found", "C:\\>"), goal, waits) == (
        "The output that I see:\nSearching\nNot found"
    )
    assert says(after("Not found", "C:\\>"), goal) == "The output is “Not found”."
    scrolled = look([("Not found", 100, 124), ("C:\\>", 100, 148)], [window])
    entering = reply(after(), f"press enter; {goal}")
    said = says(scrolled, f"press enter; {goal}", entering, before=after())
    assert said == "The output is “Not found”."
    assert says(after("C:\\>_"), goal) == "I see no output."
    assert says(EMPTY, goal) == "I see no output."


@pytest.mark.parametrize(
    ("command", "line", "failed"),
    [
        ("rm a.txt", "rm: a.txt: there is no such file", True),
        ("sudo rm a.txt", "rm: a.txt: there is no such file", True),
        ("lss", "lss: command not found", True),
        ("lss", "bash: lss: command not found", True),
        ("ip", "DNS server: 8.8.8.8", False),
        ("ls", "rm", False),
        ("lss -p {{secret:wifi}}", "lss: command not found", True),
    ],
)
def test_a_command_that_failed_is_asked_about(command: str, line: str, *, failed: bool) -> None:
    typed = command.replace("{{secret:wifi}}", "Tr0ub4dor&3")
    shown = [(f"$ {typed}", 100, 100), (line, 100, 124), ("$", 100, 148)]
    screen = look(shown, [(90, 90, 800, 400)])
    asks = f"$ The command failed: “{line}”. What should I do?"
    assert (commands(reply(screen, f"read the output of `{command}`"))[-1] == asks) == failed


def says(
    screen: ScreenLayout, goal: str, *turns: Turn | str, before: ScreenLayout | None = None
) -> str:
    found = decide(history(goal, *turns), screen, before).parsed
    assert found
    [end] = found.actions
    assert isinstance(end, Done)
    return end.answer


TASKS = st.sampled_from(
    [
        "open Files, type hello, press enter, check that hello is shown",
        'click "OK", scroll until End, drag OK to End, clear OK, wait for OK',
        "set dns server to 8.8.8.8 and 1.1.1.1",
        "download the esp32 datasheet",
        "write hello in the notepad and save it as note.txt",
        "open the terminal and run ls",
    ]
)
LABELS = st.sampled_from([
    "OK", "Later", "Cancel", "Save", "Files", "Start", "hello", "a.txt", "End", "DNS",
    "Preferred_DNS", "8.8.8.8", "Untitled_-_Notepad", "File_name", "Delete", "Restart",
    "Are_you_sure?", "user@pc:~$", "Terminal", "Browser", "Download_PDF", "14:05", "•",
    "-",
])  # fmt: skip
PLACES = st.tuples(st.integers(0, WIDTH - 200), st.integers(0, HEIGHT - 40))
SCREENS = st.builds(
    lambda texts, boxes: look(
        [(label.replace("_", " "), x, y) for label, (x, y) in texts],
        [(x, y, x + 180, y + 34) for x, y in boxes],
        [(x, y - 50, x + 48, y - 2) for _, (x, y) in texts[:2]],
    ),
    st.lists(st.tuples(LABELS, PLACES), max_size=12),
    st.lists(PLACES, max_size=4),
)


@given(TASKS, st.lists(SCREENS, min_size=1, max_size=6))
def test_every_reply_can_be_executed(task: str, screens: list[ScreenLayout]) -> None:
    turns: list[str] = []
    for before, now in zip([None, *screens], screens, strict=False):
        text = reply(now, task, *turns, before=before)
        turn = parsed(text)
        assert 1 <= len(turn.actions) <= 3
        if isinstance(turn.actions[-1], (Done, Ask)):
            return
        turns += [text]
