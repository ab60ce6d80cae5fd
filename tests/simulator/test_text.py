"""Text in the simulated computer: the editor, how lines break, and how they scroll."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cua.simulator.paint import Rect, text_width, wrap_text
from cua.simulator.scroll_view import ScrollArea
from cua.simulator.textbox import TextArea
from cua.simulator.usbhost import KeyDown

CHORDS = ["left", "right", "up", "down", "home", "end", "backspace", "delete", "x"]
CHORDS += ["ctrl+left", "ctrl+right", "ctrl+a", "ctrl+z", "shift+left", "shift+end", "shift+up"]
words = st.text("ab z.\n", max_size=40)


def press(chord: str) -> KeyDown:
    *mods, key = chord.split("+")
    return KeyDown(key, "" if mods or len(key) > 1 else key, frozenset(mods))


def typed(char: str) -> KeyDown:
    return KeyDown("enter" if char == "\n" else char, char)


def area(text: str = "", width: int = 200) -> TextArea:
    made = TextArea()
    made.rect = Rect(0, 0, width, 120)
    for char in text:
        made.key(typed(char))
    return made


@given(words)
def test_typed_text_is_shown_and_can_be_undone(text: str) -> None:
    editor = area(text)
    assert editor.text == text
    while editor.text:
        before = editor.text
        editor.key(press("ctrl+z"))
        assert len(editor.text) < len(before)


@given(words, st.lists(st.sampled_from(CHORDS)))
def test_no_key_moves_the_caret_out_of_the_text(text: str, chords: list[str]) -> None:
    editor = area(text)
    for chord in chords:
        editor.key(press(chord))
        assert 0 <= min(editor.selection) <= max(editor.selection) <= len(editor.text)


@given(words, st.integers(0, 40))
def test_left_and_right_are_opposite(text: str, place: int) -> None:
    editor = area(text)
    editor.move_to(min(place, len(text)))
    before = editor.caret
    editor.key(press("right"))
    editor.key(press("left"))
    assert editor.caret == (before if before < len(text) else max(len(text) - 1, 0))


def test_typing_replaces_the_selection() -> None:
    editor = area("one two three")
    for chord in ("ctrl+left", "ctrl+left", "shift+ctrl+right"):
        editor.key(press(chord))
    assert editor.copy() == "two "
    editor.paste("2, ")
    assert editor.text == "one 2, three"
    editor.key(press("ctrl+a"))
    editor.key(typed("x"))
    assert editor.text == "x"


def test_up_and_down_keep_the_column() -> None:
    editor = area("abcdef\nabcdef\nabcdef")
    for chord in ("left", "left", "up", "up", "down"):
        editor.key(press(chord))
    editor.key(typed("|"))
    assert editor.text == "abcdef\nabcd|ef\nabcdef"


@given(st.text("abc \n", max_size=200), st.integers(20, 300))
def test_lines_are_the_whole_text_and_fit(text: str, width: int) -> None:
    lines = wrap_text(text, 18, width)
    assert "".join(text[start:end] for start, end in lines) == text.replace("\n", "")
    for start, end in lines:
        line = text[start:end].rstrip()
        assert text_width(line, 18) <= width or len(line) == 1


@given(st.integers(1, 500), st.integers(0, 2000), st.lists(st.integers(-300, 300)))
def test_scrolling_stays_within_the_content(view: int, total: int, steps: list[int]) -> None:
    scroll = ScrollArea()
    scroll.rect = Rect(0, 0, 100, view)
    scroll.set_children([], total)
    for step in steps:
        scroll.scroll_by(step)
        assert 0 <= scroll.offset <= max(total - view, 0)
    scroll.scroll_to(total - 1, total)
    assert scroll.offset == max(total - view, 0)
