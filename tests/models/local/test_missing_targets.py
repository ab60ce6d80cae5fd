"""What is done when a target cannot be seen, or a dialog is in the way."""

from __future__ import annotations

from cua.models.local.decide import decide
from cua.screen.ocr.layout import ScreenLayout
from tests.models.local.screens import at, button, commands, history, look, reply

EMPTY = look([("Desktop", 600, 20)])


def replies_until_question(screen: ScreenLayout, task: str, most: int = 12) -> list[list[str]]:
    turns: list[str] = []
    for _ in range(most):
        turns += [reply(screen, task, *turns, before=screen), "Carried out."]
        if "\n$" in turns[-2]:
            break
    return [commands(turn) for turn in turns[::2]]


def test_a_missing_label_is_searched_for_then_asked_about() -> None:
    said = replies_until_question(EMPTY, "click Save")
    assert [lines[0].split()[0] for lines in said] == ["sleep", "mouse", "$"]
    assert said[-1] == ["$ I can't see “Save” on the screen. I see: “Desktop”. What should I do?"]


def test_a_question_quotes_the_three_most_likely_whole_texts() -> None:
    text, edge = button("保存", 600, 300)
    fragments = ["| rn ~", "a", "14:05", "_sk/var/lib", "x" * 60, "== {ok}"]
    seen = [(each, 100, 40 + 40 * n) for n, each in enumerate([*fragments, "Desktop", "Help"])]
    screen = look([*seen, text, ("Save all", 900, 600)], [edge])
    asked = replies_until_question(screen, "click Save as")[-1][0]
    assert "I see: “Save all”, “保存” and “Desktop”, among others." in asked
    few = replies_until_question(look([*seen[-2:], text], [edge]), "click Save as")[-1][0]
    assert "I see: “保存”, “Desktop” and “Help”. What" in few


def test_scraps_of_texts_are_not_offered() -> None:
    window, (ok, ok_box) = (400, 134, 1100, 550), button("OK", 600, 400)
    cut = [("lder", 1096, 300), ("New fol", 334, 340), ("ments", 1096, 110), ("bin", 60, 600)]
    seen = [("Documents", 120, 300), ("Help", 1120, 300), ok]
    asked = replies_until_question(look([*cut, *seen], [window, ok_box]), "click folder")[-1][0]
    assert "I see: “OK”, “Documents” and “Help”. What" in asked
    few = replies_until_question(look(cut[3:]), "click folder")[-1][0]
    assert "I see: “bin”." in few


def test_scrolling_goes_on_while_something_new_appears() -> None:
    pages = [look([(f"Page {n}", 100, 100)]) for n in ("one", "two", "three", "four")]
    turns: list[str] = []
    task = "scroll until four"
    for old, new in zip([None, *pages], pages, strict=False):
        turns += [reply(new, task, *turns, before=old), "Carried out."]
    assert [commands(turn)[0][-2:] for turn in turns[:-2:2]] == [" 5"] * 3
    assert commands(turns[-2]) == ["Done"]


def test_the_end_of_scrolling_is_asked_about() -> None:
    said = replies_until_question(EMPTY, "scroll until Imprint")
    assert len(said) == 2
    assert said[-1][0].startswith("$ I scrolled to the end and can't see “Imprint”")


def test_waiting_ends() -> None:
    said = replies_until_question(EMPTY, "wait for Ready")
    assert [lines[0] for lines in said[:3]] == ["sleep 1", "sleep 2", "sleep 4"]
    assert said[-1][0].startswith("$ I can't see “Ready”. I see")


def test_a_check_that_fails_is_asked_about() -> None:
    said = replies_until_question(EMPTY, "check that Saved is shown")
    assert said[0] == ["sleep 1"]
    assert said[1][0].startswith("$ I can't see “Saved”. I see: “Desktop”.")


def test_a_program_without_an_icon_is_searched_for_in_the_menu() -> None:
    screen = look([("Start", 20, 690)])
    turns: list[str] = []
    for _ in range(2):
        turns += [reply(screen, "open Paint", *turns, before=screen), "Carried out."]
    assert commands(turns[2]) == [f"mouse {at(42, 702)} 1"]
    menu = look([("Start", 20, 690), ("Paint", 20, 400)])
    assert reply(menu, "open Paint", *turns, before=screen).endswith(f"mouse {at(42, 412)} 1")


LATER_TEXT, LATER_BOX = button("Later", 600, 400)
UPDATE = look([("Update available", 500, 300), LATER_TEXT], [(480, 280, 800, 450), LATER_BOX])


def test_a_dialog_in_the_way_is_closed() -> None:
    text = reply(UPDATE, "click Save")
    assert "A dialog is in the way, so I click its “Later”." in text
    assert text.endswith(f"mouse {at(622, 412)} 1")


def test_the_click_on_a_dialog_is_named_by_its_button() -> None:
    """Also if it is in the way of an instruction that was begun."""
    once = reply(MESSAGE_BOX, "click Save")
    for screen, turns, label in ((UPDATE, [], "Later"), (MESSAGE_BOX, [once], "OK")):
        found = decide(history("click Save", *turns), screen, screen).parsed
        assert found
        assert found.label == label


def test_the_instruction_starts_after_the_dialog() -> None:
    aside = reply(UPDATE, "click Save")
    screen = look([("Save", 100, 100)])
    text = reply(screen, "click Save", aside, "Carried out.", before=UPDATE)
    assert text.endswith(f"mouse {at(118, 112)} 1")


OK_TEXT, OK_BOX = button("OK", 600, 400)
MESSAGE_BOX = look(
    [("Battery low", 500, 300), OK_TEXT, ("Save", 100, 100)], [(480, 280, 800, 450), OK_BOX]
)


def test_a_message_that_takes_a_click_is_closed() -> None:
    once = reply(MESSAGE_BOX, "click Save")
    text = reply(MESSAGE_BOX, "click Save", once, "Carried out.", before=MESSAGE_BOX)
    assert text.endswith(f"mouse {at(609, 412)} 1")


def test_a_button_in_a_large_window_is_not_in_the_way() -> None:
    texts = [("Form", 110, 60), OK_TEXT]
    screen = look(texts, [(100, 50, 1200, 650), OK_BOX])
    assert all(
        f"mouse {at(609, 412)} 1" not in said for said in replies_until_question(screen, "click X")
    )
