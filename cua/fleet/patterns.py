"""Patterns that select computers of an inventory, like Ansible's `--limit`.

Terms are separated by `:` or `,`. `web*` adds the computers whose name or group matches, `&web*`
keeps only those, `!web*` removes them; the order of the terms does not matter. `all` is a group of
every computer, `@failed` the computers that did not end Done in the last run. Without a term that
adds computers, all are selected.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

from ..types import CuaError

ALL = "all"
LAST_FAILED = "@failed"
_SEPARATOR = re.compile(r"[:,]")


def select(
    pattern: str, groups: Mapping[str, Collection[str]], failed: Collection[str]
) -> list[str]:
    """Return the selected names in the order of the inventory.

    `groups`: computer -> its groups. `failed`: names from the last run. Raises `CuaError` for a
    term that matches nothing, as a misspelt exclusion would select too many, and if no computer
    remains.
    """
    kinds: dict[str, list[set[str]]] = {"": [], "&": [], "!": []}
    for term in filter(None, map(str.strip, _SEPARATOR.split(pattern))):
        kind = term[0] if term[0] in "&!" else ""
        kinds[kind].append(_match(term.removeprefix(kind), groups, failed))
    selected = set().union(*kinds[""]) if kinds[""] else set(groups)
    selected = selected.intersection(*kinds["&"]).difference(*kinds["!"])
    if not selected:
        raise CuaError(f"No computer is left by --limit {pattern!r}.")
    return [name for name in groups if name in selected]


def _match(term: str, groups: Mapping[str, Collection[str]], failed: Collection[str]) -> set[str]:
    if term == LAST_FAILED:
        return {name for name in groups if name in failed}
    if term == ALL:
        return set(groups)
    found = {
        name
        for name, member_of in groups.items()
        if any(fnmatchcase(each, term) for each in (name, *member_of))
    }
    if not found:
        known = sorted({ALL, *groups, *(each for of in groups.values() for each in of)})
        raise CuaError(f"--limit: {term!r} matches no computer and no group of {', '.join(known)}.")
    return found
