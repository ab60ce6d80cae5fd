"""A sign is found where it is, and never anything beside it."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from cua.procedures.choose_sign import (
    add_picture,
    choose_expect,
    choose_screen_sign,
    choose_sign_in,
    choose_when,
)
from cua.procedures.procedure import Sign
from cua.procedures.recorded_steps import RecordedStep, Shot
from cua.procedures.replay import move_with
from cua.procedures.signs import SignFinder, find_longer_line, find_picture, find_text
from cua.screen.image import encode_jpeg
from cua.screen.ocr.client import Read
from cua.screen.ocr.layout import Box, ScreenLayout
from cua.types import Area, Click, Drag, Frame, Keypress, Point, ProcedureError, Type
from tests.models.local.screens import HEIGHT, WIDTH, Rect, Text, button, look

SIZE = (WIDTH, HEIGHT)


def area(left: int, top: int, right: int, bottom: int) -> Area:
    return Area(left=left / WIDTH, top=top / HEIGHT, right=right / WIDTH, bottom=bottom / HEIGHT)


def reads(layout: ScreenLayout) -> Read:
    async def read(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        del frame, part
        return layout

    return read


def drawn(*rows: tuple[int, int, str], scale: int = 1, text: str = "USB Drive") -> Frame:
    """Rows of a list at x, y, each a box of this colour with a text in it; `scale`: enlarged."""
    image = Image.new("RGB", SIZE, "#203040")
    draw = ImageDraw.Draw(image)
    for x, y, color in rows:
        draw.rectangle((x, y, x + 120, y + 30), color)
        draw.text((x + 20, y + 6), text, "white", font_size=16)
    shown = image.crop((0, 0, WIDTH // scale, HEIGHT // scale)).resize(SIZE)
    return Frame(encode_jpeg(shown, 90), *SIZE, 1, 1.0)


def paint(screen: ScreenLayout) -> Frame:
    """Draw a screen's boxes and texts."""
    image = Image.new("RGB", SIZE, "#203040")
    draw = ImageDraw.Draw(image)
    for box in sorted(screen.boxes, key=lambda box: -box.area):
        draw.rectangle(box, "#808890", "white")
    for line in screen.lines:
        draw.text(line.box[:2], line.text, "white", font_size=16)
    return Frame(encode_jpeg(image, 90), *SIZE, 1, 1.0)


def clicked(at: Point, *screens: Frame) -> RecordedStep:
    return RecordedStep([*map(Shot, screens)], [Click(at=at)])


def pressed(*screens: Frame) -> RecordedStep:
    return RecordedStep([*map(Shot, screens)], [Keypress(keys=("ENTER",))])


def cut(frame: Frame, box: tuple[int, int, int, int]) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(frame.jpeg)).crop(box).save(out, "PNG")
    return out.getvalue()


def test_a_text_is_a_whole_line_and_the_only_one() -> None:
    save, frame = button("Save", 400, 300)
    screen = look(
        [save, ("Save all", 100, 100), ("Delete", 100, 200), ("Delete", 500, 600)], [frame]
    )
    found = find_text(Sign(text="save"), screen)
    assert found == area(400, 300, 436, 324)
    assert find_text(Sign(text="all"), screen) is None
    assert find_text(Sign(text="Delete"), screen) is None
    for part, line in (("all", "Save all"), ("Delete", ""), ("Open", ""), ("…", "")):
        assert find_longer_line(part, screen) == line
    at_old_place = Sign(text="Delete", at=area(505, 602, 560, 625))
    assert find_text(at_old_place, screen) == area(500, 600, 554, 624)


def test_a_field_is_found_by_its_label_wherever_it_is() -> None:
    label, field = ("Name", 700, 408), (800, 400, 1000, 440)
    sign = Sign(text="Name", field=True, at=area(300, 100, 500, 140))
    assert find_text(sign, look([label], [field])) == area(*field)
    assert find_text(sign, look([label])) is None


async def test_the_title_of_a_window_is_not_taken_for_its_button() -> None:
    (name, frame), title = button("Open", 400, 300), ("Open", 300, 100)
    shown, place = drawn(), Point(x=415 / WIDTH, y=312 / HEIGHT)
    for lines in ([name, title], [name, ("0 Open", 300, 100)]):
        sign = await choose_when(clicked(place, shown), reads(look(lines, [frame])))
        assert sign == Sign(text="Open", button=True, at=area(400, 300, 436, 324))
        assert find_text(sign, look([title])) is None, "its button is covered"
        moved = button("Open", 500, 500)
        assert find_text(sign, look([title, moved[0]], [moved[1]])) == area(500, 500, 536, 524)
        assert await SignFinder(reads(look([name])), SIZE).find(sign, shown), "at its old place"


async def test_a_sign_is_chosen_in_a_part_of_the_screen_as_if_nothing_had_moved() -> None:
    screen, frame = look([("Name", 400, 300), ("Save", 400, 400)]), drawn((700, 500, "#808890"))
    finder = SignFinder(reads(screen), SIZE)
    name, there = (find_text(Sign(text=text), screen) for text in ("Name", "Save"))
    assert name
    assert there
    await finder.find(Sign(text="Name", at=name.moved(-0.1, -0.1)), frame)
    found = await choose_sign_in(finder, frame, area(380, 390, 500, 430))
    assert found.text == "Save"
    assert found.at
    assert found.at.middle == pytest.approx(there.moved(-0.1, -0.1).middle)
    assert (await choose_sign_in(finder, frame, area(680, 490, 840, 540))).picture
    for part, size in ((area(20, 20, 60, 60), SIZE), (area(380, 390, 500, 430), (800, 600))):
        with pytest.raises(ProcedureError):
            await choose_sign_in(SignFinder(reads(screen), size), frame, part)


async def test_the_old_place_is_read_first_and_a_cut_line_is_none() -> None:
    frame, at = drawn(), area(600, 300, 680, 324)
    widths: list[int | None] = []

    async def read(_: Frame, part: Area | None = None, /) -> ScreenLayout:
        widths.append(round((part.right - part.left) * WIDTH) if part else None)
        return look([("Settings", 600, 300), ("Settings", 672 if part else 20, 300)])

    found = await SignFinder(read, SIZE).find(Sign(text="Settings", at=at), frame)
    assert found
    assert found.middle == pytest.approx(area(600, 300, 672, 324).middle)
    assert widths == [208]
    assert await SignFinder(read, SIZE).find(Sign(text="Settings"), frame) is None
    assert widths[1:] == [None]


def test_a_picture_has_its_colours_and_letters_and_is_the_only_one() -> None:
    blue, grey = "#3060f0", "#808890"
    marked = drawn((300, 200, grey), (300, 240, blue))
    sign = Sign(picture=cut(marked, (300, 240, 421, 271)))
    found = find_picture(sign, drawn((300, 400, blue), (300, 440, grey)))
    assert found
    assert found.middle == area(300, 400, 421, 431).middle
    assert find_picture(sign, drawn((300, 400, grey))) is None
    for text in ("HDD Drive", "USB Drlve", "USB Drive 2"):
        assert find_picture(sign, drawn((300, 400, blue), text=text)) is None
    assert find_picture(sign, drawn((300, 400, blue), (600, 400, blue))) is None
    rows = drawn(*((300, y, grey) for y in (200, 240, 280)))
    overlapping = Sign(picture=cut(rows, (300, 200, 421, 270)))
    assert find_picture(overlapping, rows) is None
    twice = drawn((300, 100, blue), (300, 200, blue), scale=2)
    assert find_picture(sign, drawn((300, 200, blue), scale=2), HEIGHT // 2)
    assert find_picture(sign, twice, HEIGHT // 2) is None


async def test_a_text_is_found_by_its_picture_until_it_is_edited_or_looks_different() -> None:
    blue, grey = "#3060f0", "#808890"
    before, now = drawn((300, 200, blue)), drawn((500, 400, blue), (500, 440, grey))
    sign = add_picture(Sign(text="USB Drive", at=area(320, 206, 400, 224)), before)
    read: list[Frame] = []

    async def read_none(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        read.append(frame)
        return look([])

    finder = SignFinder(read_none, SIZE)
    found = await finder.find(sign, now)
    assert found
    assert found.middle == pytest.approx(area(520, 406, 600, 424).middle)
    assert not read
    for other in (sign.model_copy(update={"text": "HDD Drive"}), Sign(text="USB Drive")):
        assert await finder.find(other, now) is None
        assert read.pop() == now
    assert await finder.find(sign, grey_now := drawn((500, 440, grey))) is None
    assert read.pop() == grey_now
    corner = Sign(text="File", at=area(0, 0, 40, 20))
    assert add_picture(corner, before) == corner, "it could be a part of a longer text"


async def test_what_is_chosen_is_unique() -> None:
    (save, frame), field = button("Save", 400, 300), (300, 100, 500, 140)
    screen = look(
        [("12:30", 10, 10), save, ("Name", 200, 108), ("File", 40, 600), ("File", 90, 600)],
        [frame, field],
    )
    shown = drawn((30, 590, "#3060f0"))
    by_label = await choose_when(
        clicked(Point(x=400 / WIDTH, y=120 / HEIGHT), shown), reads(screen)
    )
    assert by_label == Sign(text="Name", field=True, at=area(*field))
    beside_text = Point(x=390 / WIDTH, y=300 / HEIGHT)
    on_button = await choose_when(clicked(beside_text, shown), reads(screen))
    assert on_button
    assert on_button.text == "Save"
    twice = await choose_when(clicked(Point(x=50 / WIDTH, y=605 / HEIGHT), shown), reads(screen))
    assert twice
    assert twice.picture
    assert not twice.text
    assert twice.at
    assert twice.at.left < 40 / WIDTH
    window = replace(screen, boxes=(Box(40, 560, 900, 700), *screen.boxes))
    inside = await choose_when(clicked(Point(x=50 / WIDTH, y=605 / HEIGHT), shown), reads(window))
    assert inside
    assert inside.at
    assert inside.at.left == 40 / WIDTH, "what is beside its window is no part of it"
    with pytest.raises(ProcedureError):  # a plain wall has no sign
        await choose_when(clicked(Point(x=0.8, y=0.3), shown), reads(screen))
    first = await choose_screen_sign(None, shown, reads(screen))
    assert first
    assert first.text == "Name"


async def test_the_name_of_an_icon_is_no_label_of_the_window_beside_it() -> None:
    icon, title = (100, 60, 140, 96), (200, 90, 900, 130)
    screen, place = look([("Network", 96, 100)], [title], [icon]), Point(x=0.6, y=110 / HEIGHT)
    chosen = await choose_when(clicked(place, drawn((760, 90, "#3060f0"))), reads(screen))
    assert chosen
    assert not chosen.field


@pytest.mark.parametrize(
    ("boxes", "icons", "is_text"),
    [([], [(60, 460, 140, 592)], True), ([(30, 592, 600, 632)], [], True), ([], [], False)],
    ids=["icon", "title", "row"],
)
async def test_a_name_that_is_shown_twice_is_told_by_its_place(
    boxes: list[Rect], icons: list[Rect], is_text: bool
) -> None:
    texts = [("Network", 60, 600), ("x", 580, 600), ("Network", 700, 100)]
    screen, on_name = look(texts, boxes, icons), Point(x=70 / WIDTH, y=610 / HEIGHT)
    sign = await choose_when(clicked(on_name, drawn((50, 590, "#3060f0"))), reads(screen))
    assert sign
    assert bool(sign.text) == is_text
    assert bool(sign.picture) != is_text
    if is_text:
        selected = drawn((50, 590, "#80b0ff"))
        assert await SignFinder(reads(screen), SIZE).find(sign, selected) == area(60, 600, 123, 624)


async def test_a_clock_is_no_sign_of_what_an_action_brought() -> None:
    before, after = drawn(), drawn((600, 300, "#3060f0"), text="12:30")
    for text, is_sign in (("12:30", False), ("Settings 3", True)):
        shown = look([(text, 620, 306)])
        assert bool(await choose_expect(pressed(before, after), None, reads(shown))) == is_sign


async def test_what_an_action_brought_is_new() -> None:
    before, after = drawn((300, 200, "#808890")), drawn((300, 200, "#3060f0"))
    screen = look([("Settings", 100, 100)])
    change = await choose_expect(pressed(before, after), None, reads(screen))
    assert change
    assert change.picture
    assert find_picture(change, after)
    assert find_picture(change, before) is None
    assert await choose_expect(pressed(before, before), None, reads(screen)) is None


async def test_a_text_that_is_read_only_once_is_no_sign() -> None:
    before, after = drawn((600, 300, "#808890")), drawn((600, 300, "#3060f0"))

    async def read(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        return look([("Lit", 620, 306)] if frame is after and part is None else [])

    change = await choose_expect(pressed(before, after), None, read)
    assert change
    assert change.picture
    assert not change.text


async def test_what_comes_to_light_again_is_a_sign_only_where_nothing_else_came() -> None:
    before, after = drawn((600, 300, "#808890")), drawn((600, 300, "#3060f0"))
    again, new, counter = ("Agenda", 100, 100), ("File name:", 300, 300), ("Memory: 64", 300, 400)
    title, name = ("may_24.txt - Notepad", 300, 400), "may_24.txt"

    async def choose(*texts: Text, seen: str = "Agenda") -> str:
        async def read(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
            return look(texts if frame is after else [(name, 900, 300)])

        change = await choose_expect(pressed(before, after), None, read, {seen})
        assert change
        return change.text

    assert await choose(again, new) == "File name:"
    assert await choose(again, counter) == "Agenda"
    # the name of what was clicked has a number, but does not count
    assert await choose(again, title) == "may_24.txt - Notepad"
    for caret in "|lI":
        assert await choose(again, new, seen=f"Agenda{caret}") == "File name:"
    assert await choose(again, new, seen="Agendas") == "Agenda"


async def test_what_is_left_of_a_line_behind_a_new_window_is_no_sign() -> None:
    before, after = drawn((600, 300, "#808890")), drawn((600, 300, "#3060f0"))

    async def read(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
        return look([("he", 100, 100), ("Wi-Fi", 300, 300)] if frame is after else [old])

    old = ("hello world", 100, 100)
    change = await choose_expect(pressed(before, after), None, read)
    assert change
    assert change.text == "Wi-Fi"
    old = ("hello world", 700, 100)
    change = await choose_expect(pressed(before, after), None, read)
    assert change
    assert change.text == "he"


async def test_what_a_caret_changes_is_no_sign() -> None:
    before, after = drawn((600, 300, "#808890")), drawn((600, 300, "#3060f0"))

    async def choose(text: str, *typed: str) -> Sign | None:
        async def read(frame: Frame, part: Area | None = None, /) -> ScreenLayout:
            return look([(text, 620, 306)] if frame is after else [])

        step = pressed(before, after)
        step.actions += [Type(text=each) for each in typed]
        return await choose_expect(step, None, read)

    for misread in ("[notes.txt]", "notes.txtl"):
        assert await choose(misread)
        assert await choose(misread, "notes.txt") is None, "not a picture either"
    assert await choose("notes.txt", "notes.txt")


async def test_of_several_changes_the_one_in_the_row_of_the_action_is_the_sign() -> None:
    before = drawn((600, 300, "#808890"))
    after = drawn((300, 100, "#3060f0"), (600, 300, "#f06030"))
    for x, y in ((300, 100), (600, 300)):
        at = Point(x=(x + 200) / WIDTH, y=(y + 5) / HEIGHT)
        change = await choose_expect(clicked(at, before, after), None, reads(look([])))
        assert change
        assert change.at
        assert change.at.top * HEIGHT <= y + 5 <= change.at.bottom * HEIGHT


async def test_the_pointer_and_a_field_before_it_is_typed_into_are_no_sign() -> None:
    before, after = drawn((600, 300, "#808890")), drawn((600, 300, "#3060f0"))

    async def choose(*pointers: Point, later: RecordedStep | None = None) -> Sign | None:
        step = RecordedStep([Shot(before), Shot(after, pointers)], pressed().actions)
        return await choose_expect(step, later, reads(look([])))

    on_row = Point(x=690 / WIDTH, y=310 / HEIGHT)
    typing = RecordedStep([], [Click(at=on_row), Type(text="x")])
    assert await choose(later=typing) is None
    beside = await choose(on_row)
    assert beside
    assert beside.at
    assert beside.at.right * WIDTH <= on_row.x * WIDTH - 24, "the row without the pointer on it"


def test_the_places_of_an_action_move_with_its_sign() -> None:
    sign = Sign(text="A", at=area(100, 100, 200, 120))
    drag = Drag(path=(Point(x=150 / WIDTH, y=110 / HEIGHT), Point(x=250 / WIDTH, y=110 / HEIGHT)))
    moved = move_with(drag, sign, area(300, 200, 400, 220), SIZE, SIZE)
    assert isinstance(moved, Drag)
    assert [(round(p.x * WIDTH), round(p.y * HEIGHT)) for p in moved.path] == [
        (350, 210),
        (450, 210),
    ]
    twice = move_with(drag, sign, area(300, 200, 500, 240), SIZE, SIZE)
    assert isinstance(twice, Drag)
    assert round(twice.path[1].x * WIDTH) == 600
    click = move_with(Click(), sign, area(300, 200, 400, 220), SIZE, SIZE)
    assert click == Click(at=Point(x=350 / WIDTH, y=210 / HEIGHT))
