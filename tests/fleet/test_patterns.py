"""`--limit`, against plain sets."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.fleet.patterns import select
from cua.types import CuaError

GROUPS = {
    "web1": ("web", "berlin"),
    "web2": ("web", "paris"),
    "web3": ("web", "berlin"),
    "db1": ("db", "berlin"),
    "kiosk": (),
}
FAILED = {"web2", "kiosk"}


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("", list(GROUPS)),
        ("all", list(GROUPS)),
        ("*", list(GROUPS)),
        ("db1,web1", ["web1", "db1"]),
        ("web*:!web3", ["web1", "web2"]),
        ("!web3:web*", ["web1", "web2"]),
        ("!web", ["db1", "kiosk"]),
        ("web:&berlin", ["web1", "web3"]),
        ("&berlin", ["web1", "web3", "db1"]),
        ("@failed", ["web2", "kiosk"]),
        ("@failed:&web", ["web2"]),
        ("!@failed", ["web1", "web3", "db1"]),
        ("web[12]", ["web1", "web2"]),
    ],
)
def test_selected(pattern: str, names: list[str]) -> None:
    assert select(pattern, GROUPS, FAILED) == names


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("web9", "'web9' matches no computer and no group of all, berlin"),
        ("all:!wbe", "'wbe' matches no computer"),
        ("kiosk:&web", "No computer is left"),
    ],
)
def test_what_selects_nothing_is_refused(pattern: str, words: str) -> None:
    with pytest.raises(CuaError, match=words):
        select(pattern, GROUPS, FAILED)


NAMES = st.text("abc", min_size=1, max_size=3)
FLEETS = st.dictionaries(NAMES, st.lists(NAMES.map("g-".__add__), max_size=3), min_size=1)
TERMS = st.lists(
    st.tuples(
        st.sampled_from(["", "&", "!"]),
        st.one_of(NAMES, NAMES.map("g-".__add__), st.sampled_from(["*", "a*", "?b*", "@failed"])),
    )
)


@given(FLEETS, TERMS, st.sets(NAMES), st.randoms(), st.sampled_from(":,"))
def test_terms_are_sets(fleet, terms, failed, random, separator) -> None:  # type: ignore[no-untyped-def]
    def members(term: str) -> set[str]:
        if term == "@failed":
            return set(failed & fleet.keys())
        return {
            name for name, of in fleet.items() if any(fnmatchcase(x, term) for x in (name, *of))
        }

    by_kind = {kind: [members(t) for k, t in terms if k == kind] for kind in ("", "&", "!")}
    expected = set().union(*by_kind[""]) if by_kind[""] else set(fleet)
    for kept in by_kind["&"]:
        expected &= kept
    for removed in by_kind["!"]:
        expected -= removed
    is_misspelt = any(not members(term) for _, term in terms if term != "@failed")
    shuffled = random.sample(terms, len(terms))
    pattern = separator.join(kind + term for kind, term in shuffled)
    if is_misspelt or not expected:
        with pytest.raises(CuaError):
            select(pattern, fleet, failed)
    else:
        assert select(pattern, fleet, failed) == [name for name in fleet if name in expected]
