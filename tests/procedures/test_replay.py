"""What a replay does where a screen is not as it was."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from cua.messages import Message, to_json
from cua.procedures.from_record import add_alternative
from cua.procedures.procedure import read, write
from cua.procedures.replay import Replay
from cua.screen.ocr.layout import ScreenLayout
from cua.types import (
    Area,
    Ask,
    Click,
    Done,
    Fail,
    Frame,
    Keypress,
    Move,
    Outcome,
    ProcedureError,
    Step,
    Task,
    Type,
    Wait,
)
from cua.types.actions import Action, Scroll
from tests.models.local.screens import button, look
from tests.procedures.test_signs import drawn, paint, reads
from tests.servers.mjpeg_server import picture
from tests.support.fakes import ScriptedModel

EXECUTED = Outcome("executed", Message("agent.executed"))
PLAIN = drawn((600, 300, "#808890"))
LOGIN, MENU, OTHER = look([("Login", 100, 100)]), look([("Menu", 50, 50)]), look([("Update", 9, 9)])
STEPS = """
name: enter
parameters: {user: ann}
steps:
- name: login
  when: {text: Login}
  do: [{kind: click}, {kind: type, text: "{user}"}]
  expect: {text: Menu}
"""


class Rehearsal:
    """A replay in front of screens that are shown to it one by one."""

    def __init__(self, steps: str, first: int = 0, **values: str) -> None:
        self.screens: dict[int, ScreenLayout] = {}
        self.parts: list[Area | None] = []
        """What was read of the screens; None: all."""
        self.model = ScriptedModel("mouse 0.5 0.5 1")
        self.task = Task("enter")
        self.replay = Replay(read(steps), values, self._read, first)
        self.replay.stand_in_for(self.model)

    async def _read(self, frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        self.parts.append(part)
        return self.screens[frame.seq]

    async def see(
        self, screen: ScreenLayout, words: str = "", outcome: Outcome | None = EXECUTED
    ) -> tuple[Action, ...]:
        """Return what it does on this screen; `outcome`: of what it did before."""
        if self.task.steps:
            self.task.steps[-1].outcome = outcome
        else:
            await self.replay.begin(self.task)
        number = len(self.task.steps) + 1
        self.screens[number] = screen
        frame = replace(paint(screen), seq=number)
        step = Step(number, words, frame, user_words=(words,) if words else ())
        self.task.steps.append(step)
        step.reply = await self.replay.complete([])
        step.parsed = step.reply.parsed or step.parsed
        return step.parsed.actions

    def said(self) -> str:
        reply = self.task.steps[-1].reply
        assert reply
        assert reply.is_scripted
        return str(reply.parsed.thought if reply.parsed else "")


async def test_it_acts_on_its_sign_and_ends_when_it_sees_what_it_expects() -> None:
    run = Rehearsal(STEPS, user="bob")
    click, typed = await run.see(LOGIN)
    assert isinstance(click, Click)
    assert click.at
    assert typed == Type(text="bob")
    assert "Login" in run.said()
    assert isinstance((await run.see(LOGIN))[0], Wait), "the screen is slow"
    assert isinstance((await run.see(MENU))[0], Done)
    acts, waits, ends = (each.parsed for each in run.task.steps)
    assert [acts.awaits, waits.awaits, ends.awaits] == [False, True, False]
    parsed = run.task.steps[-1].parsed
    assert parsed
    assert to_json(parsed.thought)["values"] == {"number": 1}, "not that of the task's step"


async def test_the_next_screenshot_is_for_the_next_step_until_this_one_waits_for_its_effect() -> (
    None
):
    press = "do: {kind: keypress, keys: [TAB]}"
    steps = (f"{{{press}}}", f"{{{press}, expect: {{text: Login}}}}", f"{{{press}}}")
    run = Rehearsal(f"{{name: go, steps: [{', '.join(steps)}]}}")
    places = [run.replay.place]
    for screen in (LOGIN, LOGIN, OTHER, LOGIN):
        await run.see(screen)
        places.append(run.replay.place)
    assert places == [{"number": n, "count": 3} for n in (1, 2, 3, 2, 3)]


async def test_the_whole_screen_is_read_only_once_the_sign_was_waited_for() -> None:
    run = Rehearsal(STEPS.replace("{text: Login}", "{text: Login, at: [0.5, 0.5, 0.6, 0.55]}"))
    assert isinstance((await run.see(LOGIN))[0], Wait)
    assert None not in run.parts, "it may come to its old place in a moment"
    assert isinstance((await run.see(LOGIN))[0], Click)
    assert None in run.parts


async def test_it_never_acts_without_its_sign() -> None:
    run = Rehearsal(STEPS.replace("expect", "timeout_s: 0\n  expect"))
    [asked] = await run.see(OTHER)
    assert isinstance(asked, Ask)
    assert "Login" in asked.question
    assert "Update" in asked.question
    assert "What should happen next?" in asked.question
    assert isinstance((await run.see(OTHER, "look again"))[0], Ask)
    for _ in range(2):
        [asked] = await run.see(LOGIN, "it looks odd")
        assert isinstance(asked, Ask), "words that are no answer do nothing"
        assert asked.question.startswith("“it looks odd” is not one of the answers. Step 1 of")
    assert isinstance((await run.see(LOGIN, "Try again"))[0], Click)
    assert isinstance((await run.see(OTHER))[0], Ask)
    assert await run.see(OTHER, "skip") == (Done(answer="The check of step 1 was skipped."),)
    run = Rehearsal(STEPS.replace("expect", "timeout_s: 0\n  expect"))
    await run.see(OTHER)
    assert await run.see(OTHER, "skip") == (Done(answer="Step 1 was skipped.", refused=True),)
    assert not run.said(), "nor that it is done"


async def test_a_pointer_that_may_cover_a_sign_is_moved_aside_once() -> None:
    for sign, covers in (("Menu, at: [0.1, 0.1, 0.2, 0.2]", True), ("Menu", False)):
        run = Rehearsal(STEPS.replace("Menu", sign).replace("expect", "timeout_s: 0\n  expect"))
        [click, _] = await run.see(LOGIN)
        assert isinstance(click, Click)
        assert click.at
        [aside] = await run.see(OTHER)
        assert isinstance(aside, Move) == covers
        if isinstance(aside, Move):
            assert aside.at.y > 0.3, "apart from the sign"
            assert isinstance((await run.see(OTHER))[0], Ask)
        assert isinstance((await run.see(MENU, "again"))[0], Done)


async def test_an_answer_looks_again_and_does_not_repeat_what_was_sent() -> None:
    run = Rehearsal(STEPS.replace("expect", "timeout_s: 0\n  expect"))
    await run.see(LOGIN)
    for words in ("", "try again"):
        [asked] = await run.see(LOGIN, words)
        assert isinstance(asked, Ask)
        assert "“skip”" in asked.question
        assert "look again" in asked.question
    assert isinstance((await run.see(MENU, "try again"))[0], Done)


@pytest.mark.parametrize(
    ("at", "seen"),
    [
        ("", "“Home”, “Folder” and “Reports”"),
        (", at: [0, 0.3, 0.1, 0.4]", "“Pictures”, “Reports” and “Folder”"),
    ],
    ids=["anywhere", "at its place"],
)
async def test_a_question_names_three_texts_once_each(at: str, seen: str) -> None:
    sign = f"Login{at}}}\n  timeout_s: 0"
    run = Rehearsal(STEPS.replace("Login}", sign))
    names = ("Home", "Folder", "Folder", "Reports", "Pictures")
    [asked] = await run.see(look([(name, 9, 60 * at) for at, name in enumerate(names)]))
    assert isinstance(asked, Ask)
    assert f"saw {seen}, among others." in asked.question


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (["Login", "Login"], "“Login” is on the screen 2 times."),
        (["Login as a guest"], "There is “Login as a guest”. A sign is a whole line."),
    ],
)
async def test_a_question_tells_why_a_sign_in_sight_is_none(seen: list[str], why: str) -> None:
    run = Rehearsal(STEPS.replace("expect", "timeout_s: 0\n  expect"))
    [asked] = await run.see(look([(text, 100, 100 + 200 * at) for at, text in enumerate(seen)]))
    assert isinstance(asked, Ask)
    assert why in asked.question


async def test_a_text_that_is_only_waited_for_may_be_there_twice() -> None:
    twice = [("Menu", 50, 50), ("Menu", 50, 300)]
    for there, ends in (("", True), (", at: [0.5, 0.5, 0.6, 0.6]", False)):
        run = Rehearsal(STEPS.replace("Menu", f"Menu{there}"))
        await run.see(LOGIN)
        assert isinstance((await run.see(look(twice)))[0], Done if ends else Wait)
    run = Rehearsal(STEPS)
    await run.see(LOGIN)
    dialog = [(500, 380, 900, 560), button(*ok)[1]]
    for text in (("Battery", 700, 400), ("Menu", 700, 400)):
        assert isinstance((await run.see(look([twice[0], text, ok], dialog)))[0], Wait)


@pytest.mark.parametrize(("y", "label"), [(0.15, "Login"), (0.6, "")], ids=["icon", "far off"])
async def test_what_is_clicked_is_called_by_a_sign_only_beside_it(y: float, label: str) -> None:
    """The gate would take the sign for the name of what is clicked."""
    click = f"{{kind: click, at: {{x: 0.1, y: {y}}}}}"
    when = "{text: Login, at: [0.08, 0.2, 0.12, 0.24]}"
    run = Rehearsal(f"{{name: go, steps: [{{when: {when}, do: {click}}}]}}")
    assert isinstance((await run.see(look([("Login", 102, 144)])))[0], Click)
    parsed = run.task.steps[-1].parsed
    assert parsed
    assert parsed.label == label


async def test_a_step_without_a_sign_says_its_number_alone() -> None:
    run = Rehearsal("{name: go, steps: [{do: {kind: keypress, keys: [CTRL, N]}}]}")
    await run.see(LOGIN)
    assert run.said() == Message("procedure.place", number=1, count=1)


async def test_it_never_waits_for_no_time() -> None:
    run = Rehearsal(STEPS.replace("expect", "timeout_s: 0.04\n  expect"))
    assert isinstance((await run.see(OTHER))[0], Ask)


async def test_what_happens_when_a_sign_does_not_come() -> None:
    at_once = STEPS.replace("expect", "timeout_s: 0\n  expect")
    stop = Rehearsal(f"{at_once}  otherwise: stop\n")
    [failed] = await stop.see(OTHER)
    assert isinstance(failed, Fail)
    assert "Login" in failed.reason

    again = Rehearsal(f"{at_once}  retry: 1\n")
    assert [isinstance((await again.see(LOGIN))[0], kind) for kind in (Click, Click, Ask)] == [
        True
    ] * 3

    back = Rehearsal(f"{at_once}- when: {{text: Boot}}\n  timeout_s: 0\n  otherwise: login\n")
    await back.see(LOGIN)
    assert isinstance((await back.see(MENU))[0], Ask), "step 1 has no sign any more either"
    assert isinstance((await back.see(LOGIN, "again"))[0], Click)


async def test_a_question_has_the_picture_that_was_expected() -> None:
    png = base64.b64encode(picture(size=(40, 30), text="Save")).decode()
    run = Rehearsal(f"{{name: go, steps: [{{when: {{picture: {png}}}, timeout_s: 0}}]}}")
    [asked] = await run.see(OTHER)
    assert isinstance(asked, Ask)
    assert png in json.dumps(to_json(asked.question))
    [named] = await Rehearsal(STEPS.replace("expect", "timeout_s: 0\n  expect")).see(OTHER)
    assert isinstance(named, Ask)
    assert '"picture": ""' in json.dumps(to_json(named.question))


async def test_the_model_does_the_rest() -> None:
    run = Rehearsal(f"{STEPS}  timeout_s: 0\n  otherwise: model\n")
    [pause] = await run.see(OTHER)
    assert isinstance(pause, Wait)
    assert "model" in run.said()
    assert run.model.begun_for == run.task.goal
    await run.see(OTHER)
    assert run.task.steps[-1].reply
    assert run.task.steps[-1].reply.text == "mouse 0.5 0.5 1"


EVENTS = [
    {"kind": "reply", "data": {"step": 1, "actions": []}},
    {"kind": "frame", "data": {"step": 2}, "picture": "2"},
    {"kind": "reply", "data": {"step": 2, "actions": [{"kind": "type", "text": "ann"}]}},
    {"kind": "step", "data": {"step": 2, "outcome_kind": "executed"}},
    {"kind": "done", "data": {}},
]


async def test_what_the_model_did_becomes_an_alternative() -> None:
    at_once = STEPS.replace("expect", "timeout_s: 0\n  otherwise: model\n  expect")
    run = Rehearsal(at_once)
    with pytest.raises(ProcedureError):
        await add_alternative(run.replay, EVENTS, lambda _: b"", reads(OTHER))
    await run.see(OTHER)
    more = await add_alternative(run.replay, EVENTS, lambda _: PLAIN.jpeg, reads(OTHER))
    again = Rehearsal(write(more), user="bob")
    assert await again.see(OTHER) == (Type(text="bob"),)
    assert isinstance((await again.see(OTHER))[0], Done)
    usual = Rehearsal(write(more))
    await usual.see(LOGIN)
    assert isinstance((await usual.see(MENU))[0], Done), "the alternative is not done too"


async def test_what_may_have_been_done_is_not_done_again() -> None:
    run = Rehearsal(STEPS)
    await run.see(LOGIN)
    run.task.steps[-1].actions_started = 2
    run.task.steps[-1].progress = "3 of 9 characters"
    [asked] = await run.see(LOGIN, outcome=None)
    assert isinstance(asked, Ask)
    assert "3 of 9 characters" in asked.question
    assert "do this one again" in asked.question
    assert isinstance((await run.see(LOGIN, "again"))[0], Click)

    held_back = Rehearsal(STEPS)
    await held_back.see(LOGIN)
    stale = Outcome("stale", Message("agent.executed"))
    assert isinstance((await held_back.see(LOGIN, outcome=stale))[0], Click)

    refused = Rehearsal(STEPS)
    await refused.see(LOGIN)
    [asked] = await refused.see(LOGIN, outcome=Outcome("refused", Message("agent.executed")))
    assert isinstance(asked, Ask)

    untypable = Rehearsal(STEPS)
    await untypable.see(LOGIN)
    not_possible = Outcome("not_possible", Message("agent.executed"), "layout")
    [failed] = await untypable.see(LOGIN, outcome=not_possible)
    assert isinstance(failed, Fail)
    assert failed.setting == "layout"
    retried = await untypable.see(LOGIN, outcome=None)
    assert isinstance(retried[0], Click), "nothing of it was done"


RENAME = """
name: rename
steps:
- when: {text: Login}
  do: {kind: click}
  expect: {text: "New name:"}
- do: {kind: type, text: hello}
"""
FORM = [("New name:", 300, 200), ("Login", 100, 100)]
BATTERY = look([*FORM, ok := ("OK", 700, 500)], [(500, 380, 900, 560), button(*ok)[1]])


@pytest.mark.parametrize(
    "do", ["{kind: type, text: hello}", "{kind: scroll, at: {x: 0.5, y: 0.5}}"]
)
async def test_keys_and_scrolls_do_not_go_to_a_dialog_that_has_come(do: str) -> None:
    run = Rehearsal(RENAME.replace("{kind: type, text: hello}", do))
    await run.see(LOGIN)
    assert isinstance((await run.see(BATTERY))[0], Wait), "its button is new"
    assert "New name:" in run.said()
    assert isinstance((await run.see(look(FORM)))[0], (Type, Scroll))


async def test_the_parts_of_a_new_window_are_read_with_it() -> None:
    run = Rehearsal(RENAME)
    await run.see(LOGIN)
    run.parts.clear()
    window = [(500, 200, 900, 640), (520, 260, 700, 410), (710, 260, 890, 410)]
    await run.see(look(FORM, window))
    assert len([*filter(None, run.parts)]) == 1


async def test_a_window_that_is_covered_in_part_is_no_new_dialog() -> None:
    run = Rehearsal(RENAME)
    login, cover = ("Login", 200, 200), (372, 200, 1000, 560)
    await run.see(
        look([login, ("Download", 340, 300)], [(100, 150, 900, 600), (330, 290, 440, 330)])
    )
    shown = [login, ("Dow", 340, 300), ("New name:", 600, 300)]
    left = [(100, 150, 372, 600), (330, 290, 372, 330)]
    assert await run.see(look(shown, [cover, *left])) == (Type(text="hello"),)


async def test_a_question_beside_a_dialog_says_so() -> None:
    run = Rehearsal(RENAME.replace("text: hello}", "text: hello}\n  timeout_s: 0"))
    await run.see(LOGIN)
    [asked] = await run.see(BATTERY)
    assert isinstance(asked, Ask)
    assert "“New name:” is on the screen, but something else asks" in asked.question


@pytest.mark.parametrize("alternatives", ["", "alternatives: [[press ENTER]]"])
async def test_it_is_not_done_beside_a_dialog_that_its_last_action_has_opened(
    alternatives: str,
) -> None:
    run = Rehearsal(STEPS + alternatives)
    await run.see(LOGIN)
    dialog = [(500, 380, 900, 560), button(*ok)[1]]
    assert isinstance((await run.see(look([("Menu", 50, 50), ok], dialog)))[0], Wait)
    assert isinstance((await run.see(MENU))[0], Done)


async def test_the_title_of_a_dialog_is_a_part_of_it() -> None:
    run = Rehearsal(RENAME)
    await run.see(LOGIN)
    dialog = look([("New name:", 520, 350), ok], [(500, 380, 900, 560), button(*ok)[1]])
    assert await run.see(dialog) == (Type(text="hello"),)


async def test_keys_that_were_held_back_need_what_was_there() -> None:
    run = Rehearsal(RENAME)
    await run.see(LOGIN)
    assert await run.see(look(FORM)) == (Type(text="hello"),)
    stale = Outcome("stale", Message("agent.executed"))
    assert isinstance((await run.see(OTHER, outcome=stale))[0], Wait)
    assert await run.see(look(FORM)) == (Type(text="hello"),)


async def test_keys_need_what_was_there_after_an_answer_too() -> None:
    run = Rehearsal(f"{RENAME}  timeout_s: 0\n")
    await run.see(LOGIN)
    await run.see(look(FORM))
    stale = Outcome("stale", Message("agent.executed"))
    assert isinstance((await run.see(OTHER, outcome=stale))[0], Ask)
    assert isinstance((await run.see(OTHER, "again"))[0], Ask)
    assert await run.see(look(FORM), "again") == (Type(text="hello"),)


async def test_a_condition_is_looked_at_once() -> None:
    steps = """
name: boot
steps:
- if_shown: {text: Update}
  steps: [{do: {kind: keypress, keys: [ESC]}}]
- when: {text: Login}
  do: {kind: keypress, keys: [ENTER]}
"""
    run = Rehearsal(steps)
    assert await run.see(OTHER) == (Keypress(keys=("ESC",)),)
    assert await run.see(LOGIN) == (Keypress(keys=("ENTER",)),)
    assert await Rehearsal(steps).see(LOGIN) == (Keypress(keys=("ENTER",)),)
    assert isinstance((await Rehearsal(steps, first=1).see(OTHER))[0], Wait), "begins with Login"


async def test_a_run_numbers_the_steps_as_the_editor_does() -> None:
    """A loop and a condition have one number each, and an alternative that of its step."""
    steps = """
name: users
steps:
- for_each: {key: [a, b]}
  steps: [{do: {kind: type, text: "{key}"}}, {when: {text: Lost}, timeout_s: 0}]
- if_shown: {text: Update}
  steps: [{do: {kind: keypress, keys: [ESC]}}]
- {when: {text: Login}, timeout_s: 0, otherwise: other}
alternatives:
- [{name: other, do: {kind: keypress, keys: [F1]}}]
"""
    run = Rehearsal(steps)
    said = []
    for words in ("", "", "skip", "", "skip", ""):
        await run.see(OTHER, words)
        said.append(run.said())
    assert said == ["Step 1 of 3", "", "Step 1 of 3", "", "Step 2 of 3", "Step 3 of 3"]
    [done] = await run.see(OTHER)
    assert done == Done(answer="Step 1 was skipped.", refused=True)
    await (later := Rehearsal(steps, first=1)).see(OTHER)
    assert later.said() == "Step 2 of 3"
