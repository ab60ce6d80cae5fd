"""The licences of all dependencies, of each extra, as the installed packages state them."""

from __future__ import annotations

import functools
import importlib.metadata
import re
import sys
from importlib import import_module
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.kvm_hardware import ROOT

PERMISSIVE = {
    "0BSD", "Apache 2.0", "Apache License, Version 2.0", "Apache Software License", "Apache-2.0",
    "BSD", "BSD License", "BSD-2-Clause", "BSD-3-Clause", "3-Clause BSD License", "CC0-1.0",
    "CNRI-Python", "ISC", "ISC License", "ISC License (ISCL)", "MIT", "MIT License", "MIT-0",
    "MIT-CMU", "PSF-2.0", "Python Software Foundation License", "Zlib",
}  # fmt: skip
OTHERS = {
    # Weak copyleft: used as they are, and never changed here.
    "certifi": "MPL-2.0: list of authorities of requests",
    "tqdm": "MPL-2.0 AND MIT: progress of downloads, in local",
    "python-xlib": "LGPLv2+: the real desktop of eval, and the tests",
    # Only tests and benchmarks install these.
    "hypothesis": "MPL-2.0: tests",
    "pytest-rerunfailures": "MPL-2.0: tests",
    "pathspec": "MPL-2.0: mypy",
    "bidict": "MPL-2.0: the vendor's way of the benchmarks",
    "axe-playwright-python": "states none (MIT in its repository; its axe-core is MPL-2.0): tests",
}
"""Packages that are not permissive -> licence and use."""

_toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
PROJECT: dict[str, Any] = _toml.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_every_dependency_is_permissive_or_named(extra: str) -> None:
    found = {name: licence(name) for name in sorted(dependencies(extra))}
    assert found
    refused = {
        name: stated
        for name, stated in found.items()
        if name not in OTHERS and not is_permissive(stated)
    }
    assert refused == {}, f"not permissive; all of them: {found}"


def test_named_are_only_those_that_need_it() -> None:
    all_names = {name for extra in ("", *EXTRAS) for name in dependencies(extra, may_lack=True)}
    needless = [n for n in OTHERS if n in all_names and is_permissive(licence(n))]
    assert needless == []
    assert OTHERS.keys() - all_names <= {"bidict"}, "of the benchmarks, which may not be installed"


@pytest.mark.parametrize(
    ("stated", "permissive"),
    [
        ("MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("GNU General Public License v3 (GPLv3)", False),
        ("", False),
    ],
)
def test_every_part_of_a_licence_counts(stated: str, permissive: bool) -> None:
    assert is_permissive(stated) == permissive


def is_permissive(stated: str) -> bool:
    choices = (choice.split(" AND ") for choice in stated.split(" OR "))
    return any(all(part in PERMISSIVE for part in choice) for choice in choices)


def licence(name: str) -> str:
    """An SPDX expression, or what older packages state."""
    about = importlib.metadata.metadata(name)
    if about["License-Expression"]:
        return str(about["License-Expression"])
    classified = re.findall(
        r"^License :: OSI Approved :: (.+)",
        "\n".join(about.get_all("Classifier") or ()),
        re.MULTILINE,
    )
    if classified:
        return " AND ".join(classified)
    return (about["License"] or "").partition("\n")[0]


def dependencies(extra: str, may_lack: bool = False) -> set[str]:
    """All that `kvm-cua[extra]` installs here, transitively. Skips the test if one is missing."""
    wanted = [*required("kvm-cua", extra)]
    found: set[tuple[str, str]] = set()
    while wanted:
        requirement = wanted.pop()
        for of in {"", *requirement.extras}:
            name = canonicalize_name(requirement.name)
            if (name, of) in found:
                continue
            found.add((name, of))
            try:
                wanted += required(name, of)
            except importlib.metadata.PackageNotFoundError:
                found.discard((name, of))
                if not may_lack:
                    pytest.skip(f"pip install '.[{extra}]': {name} is missing")
    return {name for name, _ in found} - {"kvm-cua"}


@functools.cache
def required(name: str, extra: str) -> list[Requirement]:
    if name == "kvm-cua":
        requirements = EXTRAS[extra] if extra else PROJECT["dependencies"]
    else:
        requirements = importlib.metadata.requires(name) or []
    parsed = map(Requirement, requirements)
    return [each for each in parsed if not each.marker or each.marker.evaluate({"extra": extra})]
