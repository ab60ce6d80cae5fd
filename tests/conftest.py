from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.devices import Fifos
from tests.kvm_box import Kvm, hid_devices, kvm_box


@pytest.fixture
def fifos(tmp_path: Path) -> Iterator[Fifos]:
    with hid_devices(tmp_path) as fifos:
        yield fifos


@pytest.fixture
async def kvm(tmp_path: Path, fifos: Fifos) -> AsyncIterator[Kvm]:
    async with kvm_box(tmp_path, fifos) as kvm:
        yield kvm
