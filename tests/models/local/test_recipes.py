"""Goals: a rule for every screen, undone steps are done again, and no end without its proof."""

from __future__ import annotations

import pytest

from cua.screen.ocr.layout import ScreenLayout
from tests.models.local.screens import button, commands, look, reply

DNS = "set dns server to 8.8.8.8"
NOTE = "write hello in the notepad and save it as note.txt"
NETWORK = look([("Network", 20, 100)], pictures=[(30, 50, 80, 98)])
VIEW_BUTTON, VIEW_BOX = button("Edit DNS", 400, 300)
SAVE_TEXT, SAVE_BOX = button("Save", 500, 500)
FIELD = (600, 196, 800, 230)


def view(server: str) -> ScreenLayout:
    return look(
        [("Network", 310, 60), (f"DNS server: {server}", 400, 200), VIEW_BUTTON], [VIEW_BOX]
    )


def fields(server: str) -> ScreenLayout:
    texts = [("Network", 310, 60), ("Preferred DNS", 400, 200), SAVE_TEXT]
    return look([*texts, *([(server, 610, 200)] if server else [])], [FIELD, SAVE_BOX])


def work(task: str, *screens: ScreenLayout) -> list[str]:
    """The replies to one screen after another."""
    turns: list[str] = []
    before: ScreenLayout | None = None
    for screen in screens:
        turns += [reply(screen, task, *turns, before=before), "Carried out."]
        before = screen
    return turns[::2]


def rules(replies: list[str]) -> list[str]:
    """The name of the rule that acted, or the command that ended it."""
    return [
        commands(text)[-1] if commands(text)[-1][0] in "D$" else text.split(": ")[1].split(".")[0]
        for text in replies
    ]


def test_dns_step_by_step() -> None:
    replies = work(DNS, NETWORK, view("Automatic"), fields(""), fields("8.8.8.8"), view("8.8.8.8"))
    assert rules(replies) == [
        "open the network settings",
        "edit the servers",
        "enter the first server",
        "save the settings",
        "Done",
    ]
    assert "The saved settings show 8.8.8.8." in replies[-1]


def test_what_was_there_before_is_no_proof() -> None:
    assert rules(work(DNS, view("8.8.8.8"))) == ["edit the servers"]


def test_an_address_that_only_begins_alike_is_no_proof() -> None:
    replies = work(DNS, fields("8.8.8.8"), view("8.8.8.80"))
    assert rules(replies) == ["save the settings", "edit the servers"]


def test_a_field_that_was_emptied_again_is_filled_again() -> None:
    replies = work(DNS, fields(""), fields("8.8.8.8"), fields("10.0.0.1"))
    assert rules(replies) == [
        "enter the first server",
        "save the settings",
        "enter the first server",
    ]


def test_the_cursor_behind_the_address_is_not_part_of_it() -> None:
    assert rules(work(DNS, fields("8.8.8.8|"))) == ["save the settings"]


def test_a_window_that_shows_no_result_is_opened_again_for_the_proof() -> None:
    replies = work(DNS, fields("8.8.8.8"), NETWORK, fields("8.8.8.8"))
    assert rules(replies) == ["save the settings", "open the network settings", "Done"]


def test_what_does_not_work_is_not_repeated_at_once() -> None:
    replies = work(DNS, view("Automatic"), view("Automatic"), view("Automatic"))
    assert commands(replies[1]) == ["sleep 1"]
    assert commands(replies[0]) == commands(replies[2])


def test_it_ends_with_a_question_when_nothing_helps() -> None:
    replies = work(DNS, *[look([("Nothing here", 100, 100)])] * 3)
    assert commands(replies[-1])[0].startswith(
        "$ I do not know how to go on with: set the DNS server to 8.8.8.8."
    )


def test_it_waits_while_the_computer_is_loading() -> None:
    assert commands(work(DNS, look([("Loading ...", 100, 100)]))[0]) == ["sleep 1.5"]


PAGE = (300, 100, 1000, 600)


def notepad(title: str, *texts: str) -> ScreenLayout:
    lines = [(text, 320, 120 + 40 * n) for n, text in enumerate(texts)]
    return look([(title, 310, 70), *lines], [PAGE])


UNSAVED = [("*Untitled - Notepad", 310, 70), ("hello", 320, 120)]


def test_a_note_step_by_step() -> None:
    dialog = [*UNSAVED, ("File name", 400, 200), SAVE_TEXT]
    asked = look(dialog, [PAGE, FIELD, SAVE_BOX])
    named = look([*dialog, ("note.txt", 610, 200)], [PAGE, FIELD, SAVE_BOX])
    replies = work(
        NOTE,
        notepad("Untitled - Notepad"),
        notepad("*Untitled - Notepad", "hello"),
        asked,
        named,
        notepad("note.txt - Notepad", "hello"),
    )
    assert rules(replies) == [
        "write the text",
        "save the text",
        "enter the name",
        "confirm the name",
        "Done",
    ]


def test_a_text_of_somebody_else_is_not_overwritten() -> None:
    replies = work(NOTE, notepad("letter.txt - Notepad", "Dear Ada"))
    assert commands(replies[0]) == ["keyboard CTRL+N"]
    unsaved = work(NOTE, notepad("*Untitled - Notepad", "Dear Ada"))
    assert commands(unsaved[0])[0].startswith("$ There is an unsaved text in the notepad.")


def test_a_file_of_somebody_else_is_not_replaced() -> None:
    texts = ["hello", "note.txt exists already. Do you want to replace it?"]
    asked = work(NOTE, notepad("*Untitled - Notepad", *texts))
    assert commands(asked[0])[0].startswith('$ There is a file "note.txt" already.')


SURE = look(
    [("Do you want to restart this computer?", 400, 300), button("Restart", 500, 400)[0]],
    [button("Restart", 500, 400)[1]],
)
DESKTOP = look([("Start", 20, 690), ("Files", 20, 100)])


def test_a_restart_is_proved_by_what_lies_between() -> None:
    boot = look([("Press F2 to enter setup", 100, 100)])
    replies = work("restart", SURE, boot, DESKTOP)
    assert rules(replies) == ["confirm it", "watch it start", "Done"]


def test_a_desktop_that_never_went_away_is_no_restart() -> None:
    replies = work("restart", SURE, DESKTOP)
    assert rules(replies) == ["confirm it", "wait for it to go down"]


@pytest.mark.parametrize("words", ["It is now safe to turn off your computer.", ""])
def test_a_dark_screen_after_the_confirmation_is_off(words: str) -> None:
    dark = look([(words, 400, 300)] if words else [])
    sure = look(
        [("Do you want to shut down this computer?", 400, 300), button("Shut down", 500, 400)[0]],
        [button("Shut down", 500, 400)[1]],
    )
    assert rules(work("shut down", sure, dark)) == ["confirm it", "Done"]
    assert rules(work("shut down", dark)) != ["Done"]
