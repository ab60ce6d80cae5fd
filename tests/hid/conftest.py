"""A simulated USB host behind the device files, for the tests of the writer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.usb.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path)
    yield host
    host.close()
