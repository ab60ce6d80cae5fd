"""Where the work stands, read from the chat: the plan, the place in it, and what was said."""

from __future__ import annotations

import pytest

from cua.models.local.progress import Progress, read
from cua.types import ChatMessage, ModelError
from tests.models.local.screens import chat, frame

TASK = 'open "Notepad", type "hello", press enter'
FIRST = '# [1/3] open "Notepad": I see it.\nmouse 0.1 0.1 3'
SECOND = '# [2/3] type "hello": I type it.\ntypestr hello'


def plan(progress: Progress) -> list[str]:
    return [wanted.words for wanted in progress.plan]


def test_a_new_task() -> None:
    progress = read(chat(TASK))
    assert plan(progress) == ['open "Notepad"', 'type "hello"', "press ENTER"]
    assert (progress.at, progress.own, progress.frame) == (0, [], frame(0))


def test_the_place_is_what_the_last_reply_says() -> None:
    progress = read(chat(TASK, FIRST, "Carried out.", SECOND, "Carried out."))
    assert progress.at == 1
    assert [own.text for own in progress.own] == [SECOND]
    assert (progress.own[0].frame, progress.frame, progress.feedback) == (
        frame(1),
        frame(2),
        "Carried out.",
    )


def test_replies_for_the_same_instruction_are_kept_together() -> None:
    progress = read(chat(TASK, FIRST, "Carried out.", FIRST, "Carried out."))
    assert (progress.at, len(progress.own)) == (0, 2)


def test_new_words_come_before_what_is_left() -> None:
    told = 'Carried out.\nThe person says: click "Later"'
    progress = read(chat(TASK, FIRST, "Carried out.", SECOND, told))
    assert plan(progress)[progress.at :] == ['click "Later"', 'type "hello"', "press ENTER"]
    assert progress.own == []


def test_they_stay_where_they_were_put() -> None:
    told = 'Carried out.\nThe person says: click "Later"'
    done = '# [2/4] click "Later": I see it.\nmouse 0.5 0.5 1'
    progress = read(chat(TASK, FIRST, "Carried out.", SECOND, told, done, "Carried out."))
    assert plan(progress)[progress.at :] == ['click "Later"', 'type "hello"', "press ENTER"]
    assert [own.text for own in progress.own] == [done]


def test_words_in_several_lines_and_messages() -> None:
    told = "The person says: click A\npress esc\nThe person says: press tab"
    assert plan(read(chat("press enter", "# [1/1] x", told))) == [
        "press TAB",
        'click "A"',
        "press ESC",
        "press ENTER",
    ]


def test_the_placeholder_of_a_dropped_picture_is_nobody_s_word() -> None:
    messages = chat(TASK, FIRST, "Carried out.")
    messages[1] = ChatMessage("user", (TASK, "(earlier screenshot, no longer shown)"))
    progress = read(messages)
    assert len(progress.plan) == 3
    assert (progress.own[0].frame, progress.not_understood) == (None, "")


def test_an_interruption_before_the_first_answer_is_no_task() -> None:
    messages = chat(TASK)
    messages[1] = ChatMessage("user", (TASK, "You were interrupted before you answered.", frame(0)))
    assert len(read(messages).plan) == 3


def test_what_was_not_begun_counts_as_not_said() -> None:
    told = "You were interrupted before anything of it was done."
    assert read(chat(TASK, FIRST, told)).own == []


def test_how_much_was_typed_before_an_interruption() -> None:
    told = "You were interrupted at action 1 (Type 'hello'): 3 of its 5 characters were typed."
    assert read(chat(TASK, FIRST, "Carried out.", SECOND, told)).typed == 3


def test_skip() -> None:
    told = "The person was asked.\nThe person says: skip it"
    progress = read(chat(TASK, FIRST, told))
    assert plan(progress)[progress.at :] == ['type "hello"', "press ENTER"]


def test_a_choice_among_equals() -> None:
    asked = '# [1/1] click "OK": I need your help.\n$ Which one?'
    progress = read(chat("click OK", asked, "The person was asked.\nThe person says: the left one"))
    assert plan(progress) == ['click "OK" (the left one)']


def test_what_is_not_understood_is_kept_for_the_question() -> None:
    assert read(chat("do the dishes")).not_understood == "do the dishes"
    assert read(chat(TASK, FIRST, "The person says: hm")).not_understood == "hm"


def test_a_second_try_at_the_task() -> None:
    asked = "# [0/0] I need other words.\n$ I do not understand."
    progress = read(chat("do the dishes", asked, f"The person was asked.\nThe person says: {TASK}"))
    assert (len(progress.plan), progress.at, progress.not_understood) == (3, 0, "")


def test_after_the_end_new_words_are_a_new_part() -> None:
    done = "# [3/3] All is done.\nDone"
    progress = read(chat(TASK, FIRST, "Carried out.", done, "The person says: press tab"))
    assert plan(progress)[progress.at :] == ["press TAB"]


def test_a_chat_without_a_picture() -> None:
    with pytest.raises(ModelError, match="no screenshot"):
        read([ChatMessage("user", (TASK,))])


def test_a_reply_that_only_clears_the_way() -> None:
    first = '# [1/1] click "a b", but first: A dialog is in the way.\nmouse 0.5 0.5 1'
    lookalike = '# [1/1] click "a b": I see ", but first: " and click it.\nmouse 0.5 0.5 1'
    progress = read(chat('click "a  b"', first, "", lookalike, ""))
    assert [own.helps for own in progress.own] == [True, False]
