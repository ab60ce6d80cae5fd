"""The plan, the position in it and the person's texts, read from the chat."""

from __future__ import annotations

import pytest

from cua.models.local.chat_history import ChatHistory, read_chat
from cua.types import ChatMessage, ModelError
from tests.models.local.screens import chat, frame

TASK = 'open "Notepad", type "hello", press enter'
FIRST = '# [1/3] open "Notepad": I see it.\nmouse 0.1 0.1 3'
SECOND = '# [2/3] type "hello": I type it.\ntypestr hello'


def plan(history: ChatHistory) -> list[str]:
    return [wanted.words for wanted in history.plan]


def test_a_new_task() -> None:
    history = read_chat(chat(TASK))
    assert plan(history) == ['open "Notepad"', 'type "hello"', "press ENTER"]
    assert (history.at, history.own, history.frame) == (0, [], frame(0))


def test_the_last_reply_marks_the_position() -> None:
    history = read_chat(chat(TASK, FIRST, "Carried out.", SECOND, "Carried out."))
    assert history.at == 1
    assert [own.text for own in history.own] == [SECOND]
    assert (history.own[0].frame, history.frame, history.feedback) == (
        frame(1),
        frame(2),
        "Carried out.",
    )


def test_replies_for_the_same_instruction_are_kept_together() -> None:
    history = read_chat(chat(TASK, FIRST, "Carried out.", FIRST, "Carried out."))
    assert (history.at, len(history.own)) == (0, 2)


INTERRUPTED = "You were interrupted before you answered.\n"
ASKED = '# [2/3] type "hello": I need your help.\n$ I can\'t see it. What should I do?'
REST = ['type "hello"', "press ENTER"]
PLACES = [
    (SECOND, "Carried out.\n", 'click "Later"', [*REST, 'click "Later"']),
    (SECOND, "Carried out.\n", "then press tab", [*REST, "press TAB"]),
    (SECOND, "Carried out.\n", "no, press tab instead", ["press TAB", "press ENTER"]),
    (SECOND, "Carried out.\n", "skip it", ["press ENTER"]),
    (SECOND, INTERRUPTED, 'click "Later"', ['click "Later"', *REST]),
    (SECOND, INTERRUPTED, "然后按 Tab", [*REST, "press TAB"]),
    (SECOND, INTERRUPTED, "改为点击“OK”", ['click "OK"', "press ENTER"]),
    (ASKED, "", 'click "OK", press tab', ['click "OK"', "press TAB", "press ENTER"]),
    (ASKED, "", "click OK\nThe person says: press tab", ['click "OK"', "press TAB", "press ENTER"]),
    (ASKED, "", "click OK instead", ['click "OK"', "press ENTER"]),
    (ASKED, "", f"click OK instead\n{INTERRUPTED}", ['click "OK"', "press ENTER"]),
    (ASKED, "", "go on\nThe person says: press tab", [*REST, "press TAB"]),
    (ASKED, "", "skip it", ["press ENTER"]),
]


@pytest.mark.parametrize(("reply", "outcome", "words", "rest"), PLACES)
def test_where_new_instructions_are_put(
    reply: str, outcome: str, words: str, rest: list[str]
) -> None:
    feedback = f"{outcome}The person says: {words}"
    history = read_chat(chat(TASK, FIRST, "Carried out.", reply, feedback))
    assert plan(history)[history.at :] == rest


@pytest.mark.parametrize(
    ("reply", "words", "rest"),
    [
        (SECOND, "press tab", [*REST, "press TAB"]),
        (SECOND, "skip", REST),
        (ASKED, "press tab", ["press TAB", "press ENTER"]),
        (ASKED, "skip", ["press ENTER"]),
    ],
)
def test_words_after_others_that_were_not_understood_take_their_place(
    reply: str, words: str, rest: list[str]
) -> None:
    history = read_chat(
        chat(TASK, FIRST, "", reply, "The person says: hm", ASKED, f"The person says: {words}")
    )
    assert (plan(history)[history.at :], history.own) == (rest, [])


def test_words_for_later_do_not_restart_the_current_instruction() -> None:
    feedback = "Carried out.\nThe person says: then press tab"
    history = read_chat(chat(TASK, FIRST, "Carried out.", SECOND, feedback))
    assert [own.text for own in history.own] == [SECOND]


def test_a_new_instruction_keeps_its_position() -> None:
    feedback = f'{INTERRUPTED}The person says: click "Later"'
    done = '# [2/4] click "Later": I see it.\nmouse 0.5 0.5 1'
    history = read_chat(chat(TASK, FIRST, "Carried out.", SECOND, feedback, done, "Carried out."))
    assert plan(history)[history.at :] == ['click "Later"', 'type "hello"', "press ENTER"]
    assert [own.text for own in history.own] == [done]


def test_instructions_in_several_lines_and_messages() -> None:
    feedback = "The person says: click A\npress esc\nThe person says: press tab"
    assert plan(read_chat(chat("press enter", "# [1/1] x", feedback))) == [
        "press ENTER",
        'click "A"',
        "press ESC",
        "press TAB",
    ]


def test_the_placeholder_of_a_dropped_picture_is_not_an_instruction() -> None:
    messages = chat(TASK, FIRST, "Carried out.")
    messages[1] = ChatMessage("user", (TASK, "(earlier screenshot, no longer shown)"))
    history = read_chat(messages)
    assert len(history.plan) == 3
    assert (history.own[0].frame, history.not_understood) == (None, "")


def test_an_interruption_before_the_first_reply_is_not_a_task() -> None:
    messages = chat(TASK)
    messages[1] = ChatMessage("user", (TASK, "You were interrupted before you answered.", frame(0)))
    assert len(read_chat(messages).plan) == 3


def test_a_reply_that_was_not_executed_is_ignored() -> None:
    feedback = "You were interrupted before anything of it was done."
    assert read_chat(chat(TASK, FIRST, feedback)).own == []


def test_the_number_of_typed_characters_is_read_from_an_interruption() -> None:
    feedback = "You were interrupted at action 1 (Type “hello”): 3 of its 5 characters were typed."
    assert read_chat(chat(TASK, FIRST, "Carried out.", SECOND, feedback)).typed == 3


def test_skip() -> None:
    feedback = "The person was asked.\nThe person says: skip it"
    history = read_chat(chat(TASK, FIRST, feedback))
    assert plan(history)[history.at :] == ['type "hello"', "press ENTER"]


def test_a_choice_among_equals() -> None:
    asked = '# [1/1] click "OK": I need your help.\n$ Which one?'
    history = read_chat(
        chat("click OK", asked, "The person was asked.\nThe person says: the second one")
    )
    assert plan(history) == ['click "OK" (number 2)']


def test_a_text_that_is_not_understood_is_kept_for_the_question() -> None:
    assert read_chat(chat("do the dishes")).not_understood == "do the dishes"
    assert read_chat(chat(TASK, FIRST, "The person says: hm")).not_understood == "hm"


def test_a_second_try_at_the_task() -> None:
    asked = "# [0/0] I need other words.\n$ I do not understand."
    history = read_chat(
        chat("do the dishes", asked, f"The person was asked.\nThe person says: {TASK}")
    )
    assert (len(history.plan), history.at, history.not_understood) == (3, 0, "")


def test_a_text_after_the_end_is_a_new_part() -> None:
    done = "# [3/3] Done.\nDone"
    history = read_chat(chat(TASK, FIRST, "Carried out.", done, "The person says: press tab"))
    assert plan(history)[history.at :] == ["press TAB"]


def test_a_chat_without_a_picture() -> None:
    with pytest.raises(ModelError, match="no screenshot"):
        read_chat([ChatMessage("user", (TASK,))])


def test_a_preparation_is_read_from_its_mark() -> None:
    first = '# [1/1 dialog] click "a b", but first: A dialog is in the way.\nmouse 0.5 0.5 1'
    lookalike = '# [1/1] click "a b": I see ", but first: " and click it.\nmouse 0.5 0.5 1'
    history = read_chat(chat('click "a  b"', first, "", lookalike, ""))
    assert [own.preparation for own in history.own] == ["dialog", ""]
