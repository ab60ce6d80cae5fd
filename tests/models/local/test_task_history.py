"""The plan, the position in it and the person's texts, read from the steps of a task."""

from __future__ import annotations

import pytest

from cua.messages import Message
from cua.models.local.decide import decide
from cua.models.local.instructions import Send, Write
from cua.models.local.task_history import TaskHistory, find_meaning, find_order, read_task
from cua.types import Ask
from tests.models.local.screens import Turn, frame, history, look, task

TASK = 'open "Notepad", type "hello", press enter'
FIRST = '# [1/3] open "Notepad": I see it.\nmouse 0.1 0.1 3'
SECOND = '# [2/3] type "hello": I type it.\ntypestr hello'


def plan(found: TaskHistory) -> list[str]:
    return [wanted.words for wanted in found.plan]


def rest(found: TaskHistory) -> list[str]:
    return plan(found)[found.at :]


def test_a_new_task() -> None:
    found = history(TASK)
    assert plan(found) == ["open “Notepad”", "type “hello”", "press Enter"]
    assert (found.at, found.own) == (0, [])


def test_the_last_reply_marks_the_position() -> None:
    found = history(TASK, FIRST, SECOND)
    assert found.at == 1
    assert [own.text for own in found.own] == [SECOND]
    assert found.own[0].frame == frame(1)
    assert not found.refused


def test_replies_for_the_same_instruction_are_kept_together() -> None:
    found = history(TASK, FIRST, FIRST)
    assert (found.at, len(found.own)) == (0, 2)


ASKED = '# [2/3] type "hello": I need your help.\n$ I can\'t see it. What should I do?'
REST = ["type “hello”", "press Enter"]


def spoken(*said: str) -> Turn:
    return Turn(SECOND, said=said)


def interrupted(*said: str) -> Turn:
    """Before the next reply."""
    return Turn(SECOND, said=said, interrupted=True)


def held(*said: str) -> Turn:
    """Stopped when the person was asked about it."""
    return Turn(SECOND, None, said, interrupted=True)


def answered(*said: str) -> Turn:
    return Turn(ASKED, "ended", said)


@pytest.mark.parametrize(
    ("turn", "planned"),
    [
        (spoken('click "Later"'), [*REST, "click “Later”"]),
        (spoken("then press tab"), [*REST, "press Tab"]),
        (spoken("no, press tab instead"), ["press Tab", "press Enter"]),
        (spoken("不，按 Tab"), ["press Tab", "press Enter"]),
        (spoken("skip it"), ["press Enter"]),
        (interrupted('click "Later"'), ["click “Later”", "press Enter"]),  # it was typed already
        (interrupted("press esc", "press tab"), ["press Esc", "press Tab", "press Enter"]),
        (interrupted("然后按 Tab"), [*REST, "press Tab"]),
        (interrupted("改为点击“OK”"), ["click “OK”", "press Enter"]),
        (held('click "Later"'), ["click “Later”", *REST]),
        (held("wait 2 seconds", "press tab"), ["wait 2 s", "press Tab", *REST]),
        (held("press tab instead"), ["press Tab"]),
        (held("then press tab"), [*REST, "press Tab"]),
        (answered('click "OK", press tab'), ["click “OK”", "press Tab", "press Enter"]),
        (answered("click OK", "press tab"), ["click “OK”", "press Tab", "press Enter"]),
        (answered("click OK instead"), ["click “OK”", "press Enter"]),
        (
            answered("click OK instead")._replace(interrupted=True),
            ["click “OK”", "press Enter"],
        ),
        (answered("go on", "press tab"), [*REST, "press Tab"]),
        (answered("skip it"), ["press Enter"]),
    ],
)
def test_where_new_instructions_are_put(turn: Turn, planned: list[str]) -> None:
    assert rest(history(TASK, FIRST, turn)) == planned


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        *(((each,), REST[1:]) for each in ("continue", "yes", "ok", "done", "继续", "是的")),
        *(((each,), REST) for each in ("again", "retry", "try again", "重试", "再输入一次")),
        ((), REST[1:]),
    ],
)
def test_a_text_that_could_not_be_read_is_typed_again_only_if_the_person_says_so(
    answer: tuple[str, ...], left: list[str]
) -> None:
    asked = "# [2/3 unread] x\n$ I typed “hello” but can't see it."
    assert rest(history(TASK, FIRST, SECOND, Turn(asked, "ended", answer))) == left


def test_what_was_refused_is_left_out_when_the_person_goes_on_without_words() -> None:
    found = history(TASK + ', click "Save"', FIRST, Turn(SECOND, "refused"), answered())
    assert rest(found) == ["click “Save”"]
    turns = Turn("# [5/6] x\nmouse 1 1 1", "refused"), Turn("# [5/6] x\n$ What now?", "ended")
    found = history("delete notes.txt", *turns)
    assert rest(found) == []


@pytest.mark.parametrize(
    ("turn", "taken_back"),
    [
        (Turn(SECOND), 5),
        (Turn(SECOND, interrupted=True), 5),
        (Turn(SECOND, None, progress=Message("progress.typed", typed=3, count=5)), 3),
    ],
)
def test_a_text_instead_of_what_was_typed_last_takes_it_back(turn: Turn, taken_back: int) -> None:
    found = history(TASK, FIRST, turn._replace(said=("type bye instead",)))
    retyped = [f"press Backspace {taken_back} times", "type “bye”"]
    assert rest(found) == [*retyped, "press Enter"]
    end = Turn("# [1/1] all done\nDone", "user_spoke", ("type bye instead",))
    typed = "# [1/1] x\ntypestr hello"
    assert rest(history("type hello", typed, end))[0].startswith("press Backspace 5")


ENTERED = "# [3/3] press Enter\nkeyboard ENTER"


@pytest.mark.parametrize("words", ['type "bye" instead', "改成输入 “bye”"])
def test_a_text_instead_takes_back_what_was_typed_before_a_step_that_was_not_done(
    words: str,
) -> None:
    """What was refused is not done after it; what was only held back is."""
    retyped = ["press Backspace 5 times", "type “bye”"]
    waited = '# [2/3] type "hello": I look again.\nsleep 1'
    refused = Turn(ENTERED, "refused")
    asked = Turn("# [3/3] help needed\n$ What should I do instead?", "ended", (words,))
    unknown = asked._replace(said=("hm",))
    for turns in ((refused, asked), (waited, refused, asked), (refused, unknown, asked)):
        assert rest(history(TASK, FIRST, SECOND, *turns)) == retyped
    later = history(TASK, FIRST, SECOND, refused, asked._replace(said=("press tab", words)))
    assert rest(later) == ["press Tab", "type “bye”"]
    held = Turn(ENTERED, None, (words,))
    assert rest(history(TASK, FIRST, SECOND, held)) == [*retyped, "press Enter"]
    partly = Turn(ENTERED, "refused", progress=Message("progress.none"))
    assert rest(history(TASK, FIRST, SECOND, partly, asked)) == ["type “bye”"]


EXPLANATIONS = (
    *("enter is dangerous here", "no, enter is dangerous here", "wait for me", "press nothing"),
    *("check with me first", "open files would be lost", "write it down first", "不对，输入错了"),
    *("等一下", "按错了", "输入错了", "点错了", "点错“保存”", "点“保存”是错的"),
    *('press "Delete" is wrong', 'type "rm" is dangerous', 'type is wrong into "Name"'),
)


@pytest.mark.parametrize(
    ("reason", "planned"),
    [
        ("no, click Cancel", ["click “Cancel”", "click “Later”"]),
        ("no, press esc", ["press Esc", "click “Later”"]),
        ("click the “Cancel” button", ["click “Cancel”", "click “Later”"]),
        ('输入 "bye"', ["type “bye”", "click “Later”"]),
        ("不，点击“取消”", ["click “取消”", "click “Later”"]),
        ('type "bye" instead', ["press Backspace 5 times", "type “bye”", "click “Later”"]),
    ],
)
def test_a_reason_of_a_refusal_that_is_an_instruction_is_done_instead(
    reason: str, planned: list[str]
) -> None:
    refused = Turn("# [3/5] x\nkeyboard ENTER", "refused", reason=reason)
    goal = TASK + ", check that a is shown, click Later"
    found = history(goal, FIRST, SECOND, refused)
    assert (rest(found), found.refused) == (planned, None)
    assert bool(found.left_out) == ("bye" not in reason), "Cancel and Escape do nothing instead"
    assert rest(history(goal, FIRST, SECOND, refused._replace(said=("press F1",))))[-2:] == [
        "press F1",
        "click “Later”",
    ]
    for words in ("too risky", "no", "2", "continue", *EXPLANATIONS):
        found = history(goal, FIRST, SECOND, refused._replace(reason=words))
        assert found.refused, "it asks what to do instead"
        assert found.at == 2


@pytest.mark.parametrize("words", ['type "ls" instead', 'type "ls"'])
def test_a_text_instead_of_a_refused_one_leaves_the_keys_behind_it_in_the_plan(words: str) -> None:
    refused = Turn('# [2/6] type "rm a.txt": x\ntypestr rm a.txt', "refused")
    goal = "run rm a.txt in the terminal, type date, press enter"
    left = ["press Enter", "read the output of “ls”", "type “date”", "press Enter"]
    asked = Turn("# [2/6] help needed\n$ What should I do instead?", "ended", (words,))
    for turns in ((refused._replace(reason=words),), (refused, asked)):
        assert rest(history(goal, FIRST, *turns)) == ["type “ls”", *left]
    asked = asked._replace(said=(f"{words}, press tab",))
    assert rest(history(goal, FIRST, refused, asked))[1:] == ["press Tab", *left[2:]]


@pytest.mark.parametrize("words", ['type "ls" instead', "no, type 'ls'"])
@pytest.mark.parametrize("end", [", then ", "\n"])
def test_what_was_done_instead_of_a_refused_part_of_the_goal_takes_its_place_in_another_run(
    words: str, end: str
) -> None:
    goal = f'open “Notepad”{end}type "rm, a"\npress enter'
    refused = Turn("# [2/3] x\ntypestr rm, a", "refused")
    parsed = decide(history(goal, FIRST, refused), look(), None).parsed
    assert parsed
    [ask] = parsed.actions
    assert isinstance(ask, Ask)
    assert ask.replaces == 'type "rm, a"'
    followed = task(goal, FIRST, refused._replace(reason=words))
    order = {"text": words, "replaces": 'type "rm, a"', "queued": False, "reason": True}
    assert find_order(followed, read_task(followed)) == order
    explained = task(goal, FIRST, refused._replace(reason="enter is dangerous here"))
    assert find_order(explained, read_task(explained)) == {}
    if end == "\n" or "instead" in words:
        again = history(goal.replace('type "rm, a"', words))
        assert rest(again) == ["open “Notepad”", "type “ls”", "press Enter"]


def test_a_text_instead_of_a_secret_before_a_step_that_was_not_done_is_asked_about() -> None:
    """Its length is not known here, and the new text must not be typed behind it."""
    secret = "{{secret:bank}}"
    goal, typed = TASK.replace("hello", secret), SECOND.replace("hello", secret)
    refused = Turn(ENTERED, "refused", reason="no, type 'bye'")
    asked = Turn("# [3/3] help needed\n$ What?", "ended", ("type bye instead",))
    for turns, left in (
        ((refused,), []),
        ((refused._replace(reason=""), asked), []),
        ((Turn(ENTERED, None, ("type bye instead",)),), ["press Enter"]),
    ):
        found = history(goal + ', type "b"', FIRST, typed, *turns)
        assert found.plan[found.at] == Write("bye", instead=secret)
        assert rest(found)[1:] == [*left, "type “b”"]


def test_a_text_instead_of_one_that_more_was_done_after_is_asked_about() -> None:
    for turn, left in (
        (Turn(ENTERED), []),
        (Turn(SECOND, by_hand=True), ["press Enter"]),
    ):
        found = history(TASK, FIRST, turn._replace(said=("type bye instead",), interrupted=True))
        assert found.plan[found.at] == Write("bye", instead="hello")
        assert rest(found)[1:] == left
        asked = f"# [{found.at + 1}/4] x\n$ It is typed already."
        turns = (
            turn._replace(said=("type bye instead",), interrupted=True),
            Turn(asked, "ended", ("continue",)),
        )
        found = history(TASK, FIRST, *turns)
        assert found.plan[found.at] == Write("bye")


def test_a_text_instead_replaces_the_next_text() -> None:
    found = history(TASK, Turn(FIRST, said=("type bye instead",)))
    assert rest(found) == ["open “Notepad”", "type “bye”", "press Enter"]
    asked = Turn('# [1/3] open "Notepad": x\n$ What now?', "ended", ("type bye instead",))
    assert rest(history(TASK, asked)) == ["type “bye”", *REST], "an answer replaces what it is to"


DNS = "set dns server to 8.8.8.8"


@pytest.mark.parametrize(
    "words",
    [
        "use 1.1.1.1 instead",
        "no, use 1.1.1.1",
        "1.1.1.1 instead",
        "instead use 1.1.1.1",
        "改用 1.1.1.1",
    ],
)
@pytest.mark.parametrize("done", [0, 2, 4, 5, 7])
def test_a_value_instead_of_another_is_that_of_the_whole_goal(words: str, done: int) -> None:
    wanted = plan(history(DNS.replace("8.8.8.8", "1.1.1.1")))
    reply = f"# [{min(done + 1, 7)}/7] x\n{'Done' if done == 7 else 'sleep 1'}"
    redone = {2: wanted[2:], 4: wanted[3:]}.get(done, wanted)  # its dialog is open, or not
    assert rest(history(DNS, Turn(reply, said=(words,)))) == redone


def test_a_further_line_of_a_task_corrects_it() -> None:
    found = history(DNS + "\nuse 9.9.9.9 instead")
    assert (rest(found), found.not_understood) == (
        plan(history(DNS.replace("8.8.8.8", "9.9.9.9"))),
        "",
    )
    assert history(DNS + "\nwash the dishes").not_understood == "wash the dishes"
    assert history("wash the dishes\npress tab").not_understood == "wash the dishes"


@pytest.mark.parametrize(
    ("goal", "answers", "planned"),
    [
        ("open A\nhm\npress tab", ("press esc",), ["open “A”", "press Esc", "press Tab"]),
        ("open A\nhm\npress tab", ("skip",), ["open “A”", "press Tab"]),
        ("open A\nhm\npress tab", ("A", "skip"), ["open “A”", "press Tab"]),
        ("hm\n\npress tab", ("press esc",), ["press Esc", "press Tab"]),
        ("hm\npress tab", ("skip",), ["press Tab"]),
        (
            "hm\npress tab\nhm\npress F1",
            ("skip", "press esc"),
            ["press Tab", "press Esc", "press F1"],
        ),
        (
            DNS + "\nhm\nuse 9.9.9.9 instead",
            ("skip",),
            plan(history(DNS.replace("8.8.8.8", "9.9.9.9"))),
        ),
    ],
)
def test_after_the_answer_to_a_line_that_was_not_understood_the_other_lines_follow(
    goal: str, answers: tuple[str, ...], planned: list[str]
) -> None:
    asked = Turn("# [1/1] help needed\n$ I don't understand.", "ended")
    turns = [asked._replace(said=(words,)) for words in answers]
    found = history(goal, *turns)
    assert (rest(found), found.not_understood) == (planned, "")
    assert history(goal, *turns[:-1]).not_understood
    parsed = decide(history(goal), look(), None).parsed
    assert parsed
    [ask] = parsed.actions
    assert isinstance(ask, Ask)
    assert (ask.anew, ask.replaces) == (False, "hm"), "for another run"
    rerun = goal
    for words in answers:
        rerun = rerun.replace("hm", words, 1)
    assert plan(history(rerun)) == planned or "A" in answers


def test_after_a_task_another_value_means_that_task_with_it() -> None:
    known = {"text": "set dns server to 1.1.1.1", "instead": ["8.8.8.8", "1.1.1.1"]}
    for words in ("use 1.1.1.1 instead", "no, use 1.1.1.1", "1.1.1.1 instead", "改用 1.1.1.1"):
        assert find_meaning(words, DNS) == {**known, "said": words}
    for words, goal in (
        ("open Notepad", DNS),
        ("use 1.1.1.1 instead", "open Notepad"),
        ("use b instead", 'type "a" into "A a"'),  # the field has this name too
        ("look", 'clear "Name"'),
    ):
        assert find_meaning(words, goal) == {"text": words}


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (DNS, "use Firefox instead"),
        ("set dns server to 8.8.8.8 and 9.9.9.9", "use 1.1.1.1 instead"),  # for which?
        ("press tab", "use 1.1.1.1 instead"),
    ],
)
def test_a_value_that_stands_for_none_or_several_is_not_understood(goal: str, words: str) -> None:
    assert history(goal, Turn("# [1/1] x\nsleep 1", said=(words,))).not_understood
    assert find_meaning(words, goal) == {"text": words}


@pytest.mark.parametrize(
    ("reply", "words", "planned"),
    [
        (SECOND, "press tab", [*REST, "press Tab"]),
        (SECOND, "skip", REST),
        (ASKED, "press tab", ["press Tab", "press Enter"]),
        (ASKED, "skip", ["press Enter"]),
    ],
)
def test_words_after_others_that_were_not_understood_take_their_place(
    reply: str, words: str, planned: list[str]
) -> None:
    found = history(TASK, FIRST, Turn(reply, said=("hm",)), answered(words))
    assert rest(found) == planned
    assert [own.text for own in found.own] == ([] if reply == ASKED else [SECOND])  # typed already
    found = history(TASK, FIRST, Turn(reply, "refused", ("hm",)), answered(words))
    assert found.own == []


def test_words_after_others_that_were_not_understood_follow_what_was_done_before_a_pause() -> None:
    found = history(TASK, FIRST, interrupted("hm"), answered("press tab"))
    assert (rest(found), found.own) == (["press Tab", "press Enter"], [])
    found = history(TASK, FIRST, spoken("skip it"))
    assert found.own == [], "what is left out is no attempt at what follows"


@pytest.mark.parametrize(
    ("words", "planned"),
    [
        ("no, press tab", ["press Tab", "press Enter"]),
        ("type bye instead", ["press Backspace 5 times", "type “bye”", "press Enter"]),
    ],
)
@pytest.mark.parametrize("turn", [spoken("hm"), interrupted("hm")])
def test_instead_in_answer_to_words_that_were_not_understood_is_as_without_them(
    turn: Turn, words: str, planned: list[str]
) -> None:
    assert rest(history(TASK, FIRST, turn, answered(words))) == planned
    assert rest(history(TASK, FIRST, turn._replace(said=(words,)))) == planned
    goal = history(TASK + "\nhm", Turn("# [1/3] help needed\n$ What?", "ended", (words,)))
    assert rest(goal)[:3] == plan(history(TASK)), "nothing was done that it could replace"


def test_words_for_later_do_not_restart_the_current_instruction() -> None:
    found = history(TASK, FIRST, spoken("then press tab"))
    assert [own.text for own in found.own] == [SECOND]


def test_a_new_instruction_keeps_its_position() -> None:
    done = '# [2/4] click "Later": I see it.\nmouse 0.5 0.5 1'
    found = history(TASK, interrupted()._replace(reply=FIRST, said=('click "Later"',)), done)
    assert rest(found) == ["click “Later”", *REST]
    assert [own.text for own in found.own] == [done]


def test_instructions_in_several_lines_and_messages() -> None:
    said = Turn("# [1/1] x", said=("click A\npress esc", "press tab"))
    planned = ["press Enter", "click “A”", "press Esc", "press Tab"]
    assert plan(history("press enter", said)) == planned


def test_words_of_dropped_steps_are_kept() -> None:
    later = task("press enter", "# [2/2] x\nkeyboard TAB")
    later.dropped.said = ["press tab"]
    found = read_task(later)
    assert (plan(found), found.at) == (["press Enter", "press Tab"], 1)


def test_a_refusal_in_a_dropped_step_is_kept() -> None:
    later = task("press tab")
    later.dropped.leaves_out = True
    assert read_task(later).left_out


def test_the_label_of_a_button_in_a_dropped_step_is_no_task() -> None:
    later = task("press enter, press tab", "# [2/2] x\nkeyboard TAB")
    later.dropped.said = ["Replace"]
    assert read_task(later).not_understood == ""


def test_a_dropped_picture_is_none() -> None:
    old = task(TASK, FIRST)
    old.steps[0].frame = frame(0, jpeg=b"")
    assert read_task(old).own[0].frame is None


def test_a_reply_that_was_not_executed_is_ignored() -> None:
    assert history(TASK, Turn(FIRST, None)).own == []
    assert history(TASK, Turn(FIRST, "stale")).own == []
    assert history(TASK, Turn(FIRST, None, progress=Message("progress.none"))).own == []
    begun = Turn(FIRST, None, progress=Message("progress.begun"))
    assert [own.text for own in history(TASK, begun).own] == [FIRST]


@pytest.mark.parametrize(("at", "redone_from"), [(2, 2), (4, 3), (5, 0), (6, 0)])
def test_the_same_goal_with_another_value_replaces_what_is_left_of_it(
    at: int, redone_from: int
) -> None:
    """A field that is still open gets the new value; what is saved already is done again."""
    turn = Turn(f"# [{at}/8] x\nkeyboard TAB", said=("set dns server to 1.1.1.1",))
    found = history("set dns server to 8.8.8.8, press esc", turn._replace(interrupted=True))
    new = plan(history("set dns server to 1.1.1.1"))
    assert rest(found) == [*new[redone_from:], "press Esc"]


def test_the_same_goal_as_an_answer_replaces_what_is_left_of_it() -> None:
    asked = Turn("# [4/7] x\n$ I can't see it.", "ended", ("set dns server to 1.1.1.1",))
    found = history("set dns server to 8.8.8.8", asked)
    assert rest(found) == plan(history("set dns server to 1.1.1.1"))[3:]


def test_a_text_that_is_typed_already_is_not_typed_beside_the_new_one() -> None:
    turn = Turn("# [5/5] x\nkeyboard CTRL+S", said=("write bye in the notepad and save it",))
    found = history("write hello in the notepad and save it", turn._replace(interrupted=True))
    assert rest(found)[:2] == ["open “Notepad”", "press Ctrl+N"]


TYPED_3 = Message("progress.typed", typed=3, count=5)


def test_an_interruption_leaves_what_was_not_typed() -> None:
    assert history(TASK, FIRST, Turn(SECOND, None, progress=TYPED_3)).own[-1].rest == (
        "typestr lo",
    )
    assert history(TASK, FIRST, Turn(SECOND, progress=TYPED_3)).own[-1].rest == ()


def test_a_text_that_was_half_typed_before_a_correction_is_not_typed_again() -> None:
    half = Turn(SECOND, None, ("type bye",), TYPED_3)
    found = history(TASK, FIRST, half)
    assert rest(found) == ["type “bye”", *REST]
    assert found.plan[2] == Write("hello", typed="hel")
    bye = '# [2/4] type "bye": x\ntypestr bye'
    asked = Turn('# [3/4] type "hello": x\n$ I typed only "hel".', "ended", ("continue",))
    assert rest(history(TASK, FIRST, half, bye, asked)) == ["type “lo”", "press Enter"]
    skipped = asked._replace(said=("skip",))
    assert rest(history(TASK, FIRST, half, bye, skipped)) == ["press Enter"]


def test_another_text_for_a_field_after_a_pause_is_not_replaced_by_the_first_one() -> None:
    new = plan(history(DNS.replace("8.8.8.8", "1.1.1.1")))
    words = "type 1.1.1.1 into preferred DNS"
    for done, left in ((3, 3), (4, 4)):
        found = history(DNS, Turn(f"# [{done}/7] x\nmouse 1 1 1", said=(words,), interrupted=True))
        assert rest(found)[1:] == new[left:]
    found = history(TASK, FIRST, interrupted("type bye"))
    assert rest(found) == ["type “bye”", "press Enter"]


def test_keys_that_were_pressed_before_a_correction_are_not_pressed_again() -> None:
    keys = "# [1/1] press Tab 4 times\n" + "\n".join(["keyboard TAB"] * 3)
    [esc, tab] = history(
        "press tab 4 times", Turn(keys, said=("press esc",), interrupted=True)
    ).plan
    assert isinstance(tab, Send)
    assert (esc.words, tab.commands) == ("press Esc", ("keyboard TAB",))


def test_a_choice_among_equals() -> None:
    asked = '# [1/1] click "OK": I need your help.\n$ Which one?'
    found = history("click OK", Turn(asked, "ended", ("the second one",)))
    assert plan(found) == ["click “OK” (number 2)"]


def test_a_text_that_is_not_understood_is_kept_for_the_question() -> None:
    assert history("do the dishes").not_understood == "do the dishes"
    assert history(TASK, Turn(FIRST, said=("hm",))).not_understood == "hm"


def test_a_second_try_at_the_task() -> None:
    asked = "# [0/0] I need other words.\n$ I do not understand."
    found = history("do the dishes", Turn(asked, "ended", (TASK,)))
    assert (len(found.plan), found.at, found.not_understood) == (3, 0, "")


def test_a_text_after_the_end_is_a_new_part() -> None:
    found = history(TASK, FIRST, Turn("# [3/3] Done.\nDone", "ended", ("press tab",)))
    assert rest(found) == ["press Tab"]


def test_a_preparation_is_read_from_its_mark() -> None:
    first = '# [1/1 dialog] click "a b", but first: A dialog is in the way.\nmouse 0.5 0.5 1'
    lookalike = '# [1/1] click "a b": I see ", but first: " and click it.\nmouse 0.5 0.5 1'
    found = history('click "a  b"', first, lookalike)
    assert [own.preparation for own in found.own] == ["dialog", ""]
