"""What a person does by hand becomes a procedure, without the passwords."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from cua.events.archive import Archive
from cua.procedures.by_hand import HandRecording
from cua.procedures.from_record import make_from_steps, make_procedure, suggest_values
from cua.procedures.procedure import Procedure, Step, write
from cua.procedures.recorded_steps import find_goal, read_steps
from cua.procedures.signs import find_picture
from cua.safety.secrets import looks_secret
from cua.screen.image import encode_jpeg
from cua.screen.ocr.client import Read
from cua.screen.ocr.layout import ScreenLayout
from cua.types import Area, Click, Drag, Frame, Keypress, Move, Point, ProcedureError, Type
from cua.types.actions import Wait
from tests.models.local.screens import HEIGHT, WIDTH, look
from tests.procedures.test_signs import drawn, reads

SCREEN = look([("Name", 100, 100), ("Settings", 400, 300)])
ON_NAME = Point(x=110 / WIDTH, y=110 / HEIGHT)
PASSWORD = "Xk9-secure"


async def recorded(*typed: str) -> HandRecording:
    """A click at a label, then texts, each followed by Tab."""

    async def newest() -> object:
        return drawn((600, 300, "#808890"))

    recording = HandRecording(newest, lambda: None, reads(SCREEN))  # type: ignore[arg-type]
    await recording.record_action(Move(at=ON_NAME))
    await recording.record_action(Click(at=ON_NAME))
    for text in typed:
        for letter in text:
            await recording.record_action(Type(text=letter))
        await recording.record_action(Keypress(keys=("TAB",)))
    await recording.end()
    return recording


def steps(made: Procedure) -> list[Step]:
    return made.steps


async def test_what_is_typed_in_a_row_is_one_text_and_may_become_a_parameter() -> None:
    recording = await recorded("ann", "ops")
    assert recording.typed() == {"ann": "", "ops": ""}
    made = await recording.make("users", ["user", ""], lambda *_: None)
    click, name, tab, group, _ = steps(made)
    assert click.when
    assert click.when.text == "Name"
    assert name.do == (Type(text="{user}"),)
    assert tab.do == (Keypress(keys=("TAB",)),)
    assert group.do == (Type(text="ops"),)
    assert made.parameters == {"user": "ann"}


async def test_keys_wait_for_the_last_sign_that_is_still_shown() -> None:
    made = await (await login()).make("login", ["key"], lambda *_: None)
    assert [each.when.text for each in steps(made) if each.when] == ["Key", "Key"]


def _step(outcome: str) -> dict[str, Any]:
    return {"kind": "step", "data": {"outcome_kind": outcome}}


def test_what_was_typed_may_become_a_parameter_also_if_the_task_does_not_name_it() -> None:
    typed = [{"kind": "type", "text": text} for text in ("8.8.8.8", "ops", "{{secret:pw}}", "ann")]
    refused = [{"kind": "type", "text": "not this"}]
    events = [
        *({"kind": "reply", "data": {"actions": typed}}, _step("executed")),
        *({"kind": "reply", "data": {"actions": refused}}, _step("refused")),
    ]
    assert suggest_values(events) == ["8.8.8.8", "ops", "ann"]


def test_the_goal_has_the_correction_that_gave_another_value() -> None:
    typed = {"actions": [{"kind": "type", "text": "1.1.1.1"}]}
    events: list[dict[str, Any]] = [
        {"kind": "task", "data": {"text": "set dns server to 8.8.8.8"}},
        {"kind": "said", "data": {"text": "use 1.1.1.1 instead"}},
        {"kind": "said", "data": {"text": "go on"}},
        {"kind": "reply", "data": typed},
        _step("executed"),
        {"kind": "done", "data": {}},
    ]
    goal = find_goal(events)
    assert goal == "set dns server to 8.8.8.8\nuse 1.1.1.1 instead"
    assert suggest_values(events) == ["1.1.1.1"]
    events[0]["data"]["text"] = "ohm\nhm\npress tab, press esc"
    for text, replaces in (("set dns server to 1.1.1.1", "hm"), ("press F2", "press esc")):
        events.append({"kind": "said", "data": {"text": text, "replaces": replaces}})
    assert find_goal(events) == "ohm\nset dns server to 1.1.1.1\npress tab, press F2"


def test_the_goal_is_what_was_done_instead_of_the_one_thing_that_was_refused() -> None:
    def find(goal: str, outcome: str, *said: str) -> str:
        events: list[dict[str, Any]] = [
            {"kind": "task", "data": {"text": goal}},
            {"kind": "step", "data": {"outcome_kind": outcome}},
            *({"kind": "said", "data": {"text": text}} for text in said),
            {"kind": "done", "data": {}},
        ]
        return find_goal(events)

    assert find('click "Delete"', "refused", "no", "press F2 instead") == "press F2"
    assert find('click "Delete"', "refused", "go on") == 'click "Delete"'
    assert find('click "Delete"', "executed", "press F2 instead") == 'click "Delete"'
    both = 'click "Delete", click "Save"'
    assert find(both, "refused", "press F2 instead") == both


def record(folder: Path, about: Mapping[str, object], *actions: Click | Type) -> None:
    """Write a task that is done, with a step for each action."""
    folder.mkdir()
    (folder / "1.jpg").write_bytes(drawn((600, 300, "#808890")).jpeg)
    events: list[dict[str, object]] = [{"kind": "task", "data": about}]
    for each in actions:
        events += [
            {"kind": "frame", "data": {}, "picture": "1.jpg"},
            {"kind": "reply", "data": {"actions": [each.model_dump(mode="json")]}},
            {"kind": "step", "data": {"outcome_kind": "executed"}},
        ]
    events.append({"kind": "done", "data": {"text": ""}})
    (folder / "events.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in events))


@pytest.mark.parametrize(("named", "typed"), [({"name": "cy"}, "{name}"), ({}, "cy")])
async def test_a_task_that_repeats_another_has_its_steps(
    tmp_path: Path, named: dict[str, str], typed: str
) -> None:
    """It began where the first one had ended: here the second and the third do not click."""
    record(tmp_path / "000001", {"text": "log in as ann"}, Click(at=ON_NAME), Type(text="ann"))
    for place, (old, new) in enumerate((("ann", "bob"), ("bob", "cy")), 2):
        about = {"text": f"log in as {new}", "said": f"use {new} instead", "instead": [old, new]}
        record(tmp_path / f"00000{place}", about, Type(text=new))
    told: list[tuple[int, int]] = []
    made = await make_procedure(
        "login", Archive(tmp_path), "000003", named, reads(SCREEN), lambda *at: told.append(at)
    )
    assert told == [(1, 2), (2, 2)]
    click, text = steps(made)
    assert click.when
    assert click.when.text == "Name"
    assert text.do == (Type(text=typed),)
    assert (made.goal, made.parameters) == (f"log in as {typed}", named)


async def test_clicks_and_words_in_a_row_are_one_action() -> None:
    recording = await recorded()
    slipped = Point(x=ON_NAME.x + 0.002, y=ON_NAME.y)
    await recording.record_action(Click(at=slipped))
    await recording.record_action(Keypress(keys=("SPACE",)))
    for action in (Type(text="hi"), Keypress(keys=("SPACE",)), Type(text="you")):
        await recording.record_action(action)
    await recording.end()
    made = await recording.make("write", [""], lambda *_: None)
    assert [each.do for each in steps(made)] == [
        (Click(at=ON_NAME, count=2),),
        (Keypress(keys=("SPACE",)),),
        (Type(text="hi you"),),
    ]


@pytest.mark.parametrize("changed", [False, True], ids=["the same", "changed"])
async def test_the_hands_pointer_is_not_in_the_picture_of_its_target(changed: bool) -> None:
    """Unless the screen has changed since the pointer came near."""
    rows = [(600, 300, "#808890")]
    before = drawn(*rows)
    rows += [(100, 500, "#c06020")] * changed
    after, target = drawn(*rows), Point(x=650 / WIDTH, y=310 / HEIGHT)

    async def newest() -> Frame:
        return with_pointer(after, target)

    recording = HandRecording(newest, lambda: before, reads(SCREEN))
    for at in (Point(x=0.1, y=0.9), Point(x=0.2, y=0.8), target):
        await recording.record_action(Move(at=at))
    await recording.record_action(Click(at=target))
    await recording.end()
    [step] = steps(await recording.make("click", [], lambda *_: None))
    assert step.when
    assert bool(find_picture(step.when, after)) is not changed


@pytest.mark.parametrize("nearest", ["", "Notes"])
async def test_the_pointer_on_an_empty_place_is_no_sign(nearest: str) -> None:
    target = Point(x=0.3, y=0.7)
    window = [(300, 420, 700, 700)] if nearest else []
    screen = look([("Settings", 900, 100), ("Notes", 320, 440)], window)

    async def newest() -> Frame:
        return with_pointer(drawn((600, 300, "#808890")), target)

    recording = HandRecording(newest, lambda: None, reads(screen))
    await recording.record_action(Click(at=target))
    await recording.end()
    if nearest:
        [step] = steps(await recording.make("click", [], lambda *_: None))
        assert step.when
        assert step.when.text == nearest
    else:
        with pytest.raises(ProcedureError):
            await recording.make("click", [], lambda *_: None)


def with_pointer(frame: Frame, at: Point) -> Frame:
    image = Image.open(io.BytesIO(frame.jpeg))
    x, y = at.x * WIDTH, at.y * HEIGHT
    ImageDraw.Draw(image).polygon([(x, y), (x, y + 16), (x + 11, y + 11)], "white", "black")
    return replace(frame, jpeg=encode_jpeg(image, 90))


async def test_a_password_is_kept_as_a_secret_and_not_in_the_file() -> None:
    recording = await recorded("ann", PASSWORD)
    names = [*recording.typed().values()]
    assert names == ["", "secret:password_2"]
    kept: dict[str, str] = {}
    made = await recording.make("login", names, kept.__setitem__)
    assert kept == {"password_2": PASSWORD}
    assert steps(made)[3].do == (Type(text="{{secret:password_2}}"),)
    assert made.parameters == {}
    assert PASSWORD not in write(made)


def on(text: str, x: int, y: int) -> Click:
    return Click(at=Point(x=(x + 5) / WIDTH, y=(y + 12) / HEIGHT))


async def login(*clicks: Click) -> HandRecording:
    """A password that is readable in its field, as OCR reads it, and then these clicks."""

    async def newest() -> object:
        return drawn((600, 300, "#808890"), (100, 200, "#405060"), text=PASSWORD)

    misread = PASSWORD.replace("9", "g")
    texts = [
        ("Title", 40, 20),
        ("Key", 100, 100),
        (misread, 120, 200),
        (f"{PASSWORD} is set", 620, 300),
    ]
    recording = HandRecording(newest, lambda: None, reads(look(texts)))  # type: ignore[arg-type]
    await recording.record_action(on("Key", 100, 100))
    await recording.record_action(Type(text=PASSWORD))
    for click in clicks:
        await recording.record_action(click)
    await recording.end()
    return recording


async def test_a_password_that_can_be_read_on_the_screen_is_in_no_sign() -> None:
    names = ["secret:pw"]
    made = await (await login()).make("login", names, lambda *_: None)
    assert {each.when.text for each in steps(made) if each.when} == {"Key"}
    assert not any(each.expect for each in steps(made))
    for place in ((120, 200), (620, 300)):
        recording = await login(on("a line with it", *place))
        with pytest.raises(ProcedureError):
            await recording.make("login", names, lambda *_: None)
        assert await recording.make("login", [""], lambda *_: None), "it is no secret"


async def test_what_a_named_secret_brought_is_no_sign() -> None:
    label = ("Key", 100, 100)
    before = (drawn((600, 300, "#808890")), look([label]))
    after = (drawn((600, 300, "#3060f0")), look([label, (PASSWORD, 120, 200)]))
    for text, brought in (("{{secret:pw}}", None), ("another", PASSWORD)):
        typing = {"kind": "type", "text": text}
        events: list[dict[str, Any]] = [
            {"kind": "frame", "data": {}, "picture": "before"},
            {"kind": "reply", "data": {"actions": [typing]}},
            {"kind": "step", "data": {"step": 1, "outcome_kind": "executed"}},
            {"kind": "frame", "data": {}, "picture": "after"},
        ]
        shown = {"before": before[0].jpeg, "after": after[0].jpeg}
        made = await make_from_steps(
            "log in", "", read_steps(events, shown.get), {}, reads_each(before, after)
        )
        assert [each.expect and each.expect.text for each in steps(made)] == [brought]


async def test_a_drag_goes_where_it_ended() -> None:
    recording = await recorded()
    end = Point(x=0.5, y=0.5)
    await recording.record_action(Drag(path=(ON_NAME,)))
    recording.end_drag(Drag(path=(ON_NAME, end)))
    await recording.end()
    *_, drag = steps(await recording.make("move", [], lambda *_: None))
    assert drag.when
    assert drag.when.text == "Name"
    assert drag.do == (Drag(path=(ON_NAME, end)),)


async def test_a_value_is_replaced_in_texts_alone() -> None:
    made = await (await recorded("click")).make("word", ["word"], lambda *_: None)
    click, typed, _ = steps(made)
    assert click.do == (Click(at=ON_NAME),)
    assert typed.do == (Type(text="{word}"),)


async def test_a_value_is_typed_without_a_sign_that_depends_on_it() -> None:
    label, status = ("Name", 100, 100), ("Line 1, column 6", 100, 600)
    before = drawn((600, 300, "#808890")), look([label])
    after = drawn((600, 300, "#a0a890")), look([label, status])
    frames = [before[0], after[0], after[0]]

    async def newest() -> Frame:
        return frames.pop(0)

    recording = HandRecording(newest, lambda: None, reads_each(before, after))
    await recording.record_action(Type(text="hello"))
    await recording.record_action(Keypress(keys=("F2",)))
    await recording.end()
    typed, key = steps(await recording.make("write", [""], lambda *_: None))
    assert typed.expect
    assert typed.expect.text == "Line 1, column 6"
    typed, key = steps(await recording.make("write", ["word"], lambda *_: None))
    assert typed.expect is None
    assert key.when
    assert key.when.text == "Name"


async def test_names_that_would_lose_a_value_are_refused() -> None:
    recording = await recorded("ann", "ops")
    for names in (["user", "user"], ["user name", ""]):
        with pytest.raises(ProcedureError):
            await recording.make("users", names, lambda *_: None)


@pytest.mark.parametrize("text", [PASSWORD, "hunter22", "Tr0ub4dor&3"])
def test_mixed_words_look_like_passwords(text: str) -> None:
    assert looks_secret(text)


@pytest.mark.parametrize(
    "text",
    ["8.8.8.8", "hello world", "ann@example.org", "C:\\Users", "update", "host-1.lan", "ab1"],
)
def test_addresses_and_plain_words_do_not(text: str) -> None:
    assert not looks_secret(text)


def reads_each(*screens: tuple[Frame, ScreenLayout]) -> Read:
    async def read(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        layout = next(each for picture, each in screens if picture.jpeg == frame.jpeg)
        if part is None:
            return layout
        area = layout.box_of(part)
        lines = tuple(each for each in layout.lines if area.holds(each.box.middle))
        return replace(layout, lines=lines)

    return read


async def download(click_does: bool, wait_does: bool) -> Step:
    """The step of a task that clicks, waits and is done."""
    at, later = ("Download", 400, 300), ("report.pdf", 100, 100)
    pictures = {
        "asked": (drawn((600, 300, "#808890")), look([at])),
        "loading": (drawn((600, 300, "#a0a890")), look([at, later, ("Loading", 100, 200)])),
        "loaded": (drawn((600, 300, "#3060f0")), look([at, later, ("Complete", 100, 200)])),
    }

    click = Click(at=Point(x=410 / WIDTH, y=310 / HEIGHT)).model_dump(mode="json")
    wait = Wait(seconds=1).model_dump(mode="json")
    events = [{"kind": "task", "data": {"text": "load it"}}]
    for number, (picture, actions, does) in enumerate(
        (("asked", [click], click_does), ("loading", [wait], wait_does), ("loaded", [], False)), 1
    ):
        events += [
            {"kind": "frame", "data": {}, "picture": picture},
            {"kind": "reply", "data": {"actions": actions}},
            {"kind": "step", "data": {"step": number, "outcome_kind": "executed"}},
            {"kind": "effect", "data": {"step": number, "none": not does}},
        ]
    events.append({"kind": "done", "data": {"text": ""}})
    recorded = read_steps(events, lambda name: pictures[name][0].jpeg)
    made = await make_from_steps("load", "", recorded, {}, reads_each(*pictures.values()))
    [step] = steps(made)
    return step


async def test_what_a_wait_brought_shows_that_a_step_is_done() -> None:
    step = await download(click_does=True, wait_does=True)
    assert step.expect
    assert step.expect.text == "Complete"


async def test_a_click_is_kept_if_it_or_the_wait_after_it_had_an_effect() -> None:
    assert (await download(click_does=True, wait_does=False)).do
    assert (await download(click_does=False, wait_does=True)).do
    with pytest.raises(ProcedureError):
        await download(click_does=False, wait_does=False)


@pytest.mark.parametrize("steps_count", [1, 2])
async def test_a_step_that_moved_only_the_pointer_expects_nothing(steps_count: int) -> None:
    """What the pointer covered before the step has changed, too."""
    plain, places = drawn((600, 300, "#808890")), (ON_NAME, Point(x=410 / WIDTH, y=310 / HEIGHT))
    pictures = {
        "0": plain,
        **{str(number): with_pointer(plain, at) for number, at in enumerate(places, 1)},
    }
    events = [{"kind": "task", "data": {"text": "look"}}]
    for number, at in enumerate(places[:steps_count]):
        click = Click(at=at).model_dump(mode="json")
        events += [
            {"kind": "frame", "data": {}, "picture": str(number)},
            {"kind": "reply", "data": {"actions": [click]}},
            {"kind": "step", "data": {"step": number, "outcome_kind": "executed"}},
        ]
    events.append({"kind": "frame", "data": {}, "picture": str(steps_count)})
    recorded = read_steps(events, lambda name: pictures[name].jpeg)
    made = await make_from_steps("look", "", recorded, {}, reads(SCREEN))
    assert [each.expect for each in steps(made)] == [None] * steps_count
