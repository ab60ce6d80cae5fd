"""1,000 characters arrive through each KVM; `tests.kvms.figures` says how long they take."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("aiortc", reason="pip install '.[jetkvm]'")
from tests.kvms.figures import ALL, type_through

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore:.*_SSLProtocolTransport.__del__:pytest.PytestUnraisableExceptionWarning"
    ),
]


@pytest.mark.parametrize("sort", ALL)
async def test_a_thousand_characters_arrive(sort: str, tmp_path: Path) -> None:
    await type_through(sort, tmp_path)
