"""Text comes out at a computer of another layout as it was given, or is refused whole."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.hid import keymap, layouts
from cua.hid.action_to_reports import plan_reports
from cua.hid.input_profile import InputProfile
from cua.types import ActionError, CuaError, Keypress, Type
from tests.hid import presses
from tests.hid.presses import Press
from tests.hid.xkb import Desktop

LATIN = [name for name in layouts.names() if name not in ("ru", "gr")]
TARGETS = [
    InputProfile(name, system)
    for name in layouts.names()
    for system in ("unknown", "windows", "linux", "macos")
    if layouts.load_layout(name).table(system)
]
targets = st.sampled_from(TARGETS)


def reports(text: str, profile: InputProfile) -> list[bytes]:
    return [report.data for report in plan_reports(Type(text=text), None, profile)]


def texts(profile: InputProfile) -> st.SearchStrategy[str]:
    return st.text(sorted(profile.table), min_size=1, max_size=60)


@lru_cache(maxsize=40)
def desktop(layout: str) -> Desktop:
    try:
        return Desktop(layout)
    except OSError as reason:
        pytest.skip(str(reason))


def single(profile: InputProfile) -> dict[Press, str]:
    """What keys type alone."""
    table = profile.table.items()
    return {Press(key.modifiers, key.usage): char for char, (key, *rest) in table if not rest}


@pytest.mark.parametrize("name", layouts.names())
@pytest.mark.parametrize("system", ["linux", "unknown"])
def test_a_linux_desktop_reads_every_character(name: str, system: str) -> None:
    profile = InputProfile(name, system)
    text = "".join(sorted(profile.table))
    assert desktop(name).types(reports(text, profile)) == text


@given(
    targets.filter(lambda each: each.system in ("linux", "unknown")).flatmap(
        lambda profile: st.tuples(st.just(profile), texts(profile))
    )
)
def test_a_linux_desktop_reads_any_text(given: tuple[InputProfile, str]) -> None:
    profile, text = given
    assert desktop(profile.layout).types(reports(text, profile)) == text


@given(targets.flatmap(lambda profile: st.tuples(st.just(profile), texts(profile))))
def test_keys_are_those_of_the_table_one_at_a_time(given: tuple[InputProfile, str]) -> None:
    """Also where no other reading is at hand: Windows' and Apple's own dead keys."""
    profile, text = given
    made = reports(text, profile)
    expected = [Press(key.modifiers, key.usage) for char in text for key in profile.table[char]]
    assert [press for press in presses.presses(made) if press.usage] == expected
    assert not any(made[-1])
    for before, after in pairwise([bytes(8), *made]):
        assert not (before[0] & ~after[0] and after[0] & ~before[0]), "one up as another goes down"


def test_an_unknown_system_gets_what_windows_and_linux_agree_on() -> None:
    for name in layouts.names():
        known = layouts.load_layout(name)
        for char, keys in InputProfile(name).table.items():
            assert known.tables["windows"][char] == known.tables["linux"][char] == keys


@pytest.mark.parametrize("name", LATIN)
def test_shell_characters_can_be_typed_if_the_system_is_known(name: str) -> None:
    lacking = {
        char for char in map(chr, range(32, 127)) if char not in InputProfile(name, "linux").table
    }
    assert lacking <= {"ee": set("^"), "hu": set("^`~"), "sk": set("'")}.get(name, set())


@pytest.mark.parametrize(
    ("profile", "text", "words"),
    [
        (
            InputProfile("de"),
            "caf\u00e9 \u4e2d",
            r"German and Austrian keyboard has no key for '中' \(U\+4E2D",
        ),
        (InputProfile("fr"), "~", r"depends on the operating system, which can be set in Settings"),
        (InputProfile("de", "bios"), "\u00e4", r"US English keyboard"),
        (InputProfile("us", "windows"), "\u00e4", r"by their code, turn on .* in Settings"),
        (InputProfile("us", codes=True), "\u00e4", r"by their code, set the operating system in"),
        (
            InputProfile("us", "windows", codes=True),
            "\u96ea\u4e2d\u96ea",
            r"has no key for '雪' \(U\+96EA\), '中' \(U\+4E2D\)\.$",
        ),
        (InputProfile("de", "macos", codes=True), "\u4e2d", r"has no key for"),
    ],
)
def test_text_with_an_untypable_character_is_refused_as_a_whole(
    profile: InputProfile, text: str, words: str
) -> None:
    with pytest.raises(ActionError, match=words):
        plan_reports(Type(text=f"good {text}"), None, profile)


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        (InputProfile("klingon"), "no keyboard layout 'klingon'"),
        (InputProfile("hu", "macos"), "How a Mac"),
    ],
)
def test_an_unknown_layout_is_refused(profile: InputProfile, words: str) -> None:
    with pytest.raises(CuaError, match=words):
        plan_reports(Type(text="a"), None, profile)


def test_shortcuts_are_pressed_where_the_layout_has_their_letter() -> None:
    assert keymap.key("z", InputProfile("de").table) == keymap.key("y")
    assert keymap.key("Z", InputProfile("de").table) == keymap.key("y")
    assert keymap.key("y", InputProfile("de").table) == keymap.key("z")
    assert keymap.key("^", InputProfile("de").table).usage == 0x35
    assert keymap.key("c", InputProfile("ru").table) == keymap.key("c")
    (_, down, *_) = plan_reports(Keypress(keys=("ctrl", "a")), None, InputProfile("fr"))
    assert down.data == bytes([1, 0, 0x14, 0, 0, 0, 0, 0])


@given(st.text("äöüßéñ¿€™œ", min_size=1, max_size=9))
def test_windows_takes_the_numbers_of_its_code_page(text: str) -> None:
    made = reports(text, InputProfile("us", "windows", codes=True))
    assert presses.windows(made, "1252") == text


def test_windows_code_page_follows_the_layout() -> None:
    assert presses.windows(reports("€", InputProfile("ru", "windows", codes=True)), "1251") == "€"
    assert presses.windows(reports("đ", InputProfile("cz", "windows", codes=True)), "1250") == "đ"


@pytest.mark.parametrize("layout", ["us", "de", "fr", "dvorak", "jp"])
def test_linux_takes_any_number(layout: str) -> None:
    profile = InputProfile(layout, "linux", codes=True)
    assert presses.linux(reports("中文字😀þ", profile), single(profile)) == "中文字😀þ"


def test_a_mac_takes_utf_16() -> None:
    profile = InputProfile("us", "macos", codes=True)
    assert presses.macos(reports("é中😀", profile), single(profile)) == "é中😀"


@pytest.mark.parametrize("system", ["windows", "linux", "macos"])
def test_codes_among_letters_count_as_one_character_each(system: str) -> None:
    plan = list(plan_reports(Type(text="Aé\u00fcB"), None, InputProfile("us", system, codes=True)))
    typed = [report.typed for report in plan]
    assert typed == sorted(typed)
    assert set(typed) == {0, 1, 2, 3, 4}
    assert not any(plan[-1].data)
