"""The faults that the command plants are programs, and different from the original."""

from __future__ import annotations

import ast

from .__main__ import _all_files
from .covering import covering_tests
from .edits import mutants

PROGRAM = '''
def keep(self, early: int = 3) -> float:
    """Documentation."""
    if not early > 0 and self.on:
        self.rest(early)
    return 0.5
'''


def test_every_kind_of_fault_is_planted() -> None:
    assert {(each.before, each.after) for each in mutants(PROGRAM)} == {
        ("def keep(self, early: int=3) -> float:", "def keep(self, early: int=4) -> float:"),
        ("if not early > 0 and self.on:", "return"),
        ("if not early > 0 and self.on:", "if not (not early > 0 and self.on):"),
        ("if not early > 0 and self.on:", "if not early > 0 or self.on:"),
        ("if not early > 0 and self.on:", "if not not early > 0 and self.on:"),
        ("if not early > 0 and self.on:", "if not early >= 0 and self.on:"),
        ("if not early > 0 and self.on:", "if not early > 1 and self.on:"),
        ("self.rest(early)", "pass"),
        ("return 0.5", "return 1.0"),
        ("return 0.5", "return None"),
    }
    for each in mutants(PROGRAM):
        assert ast.dump(ast.parse(each.source)) != ast.dump(ast.parse(PROGRAM))


def test_tests_are_listed_for_every_file_on_which_safety_rests() -> None:
    files = _all_files()
    assert {
        "cua/agent/session.py",
        "cua/hid/writer/device_files.py",
        "cua/hid/writer_client.py",
    } <= set(files)
    assert all(covering_tests(path) for path in files)
