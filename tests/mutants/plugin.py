"""In place of `tests/conftest.py`, which imports the whole service.

Hypothesis need not look for the smallest example: that a test fails is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from tests.support.devices import Fifos

settings.register_profile(
    "mutants", phases=[Phase.explicit, Phase.generate], database=None, deadline=None
)
settings.load_profile("mutants")


@pytest.fixture
def fifos(tmp_path: Path) -> Iterator[Fifos]:
    fifos = Fifos(tmp_path)
    yield fifos
    fifos.close()
