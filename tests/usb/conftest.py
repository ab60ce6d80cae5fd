from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from .debian import lacking
from .guest_machine import Guest, running, usb_port


def _need_a_guest() -> None:
    reason = lacking()
    if reason and not os.environ.get("CI"):
        pytest.skip(reason)
    assert not reason, reason


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guest(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guest]:
    """A Linux computer with a free USB port and a second serial port."""
    _need_a_guest()
    folder = tmp_path_factory.mktemp("guest")
    async with running(folder, *usb_port(folder), "-serial", "null") as guest:
        yield guest


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kvm_guest(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guest]:
    """A Linux computer that is its own KVM."""
    _need_a_guest()
    async with running(tmp_path_factory.mktemp("kvm")) as guest:
        await guest.run("gadget")
        await guest.until("grep -q configured /sys/class/udc/*/state")
        yield guest


@pytest.fixture
def firmware_folder(tmp_path: Path) -> Path:
    _need_a_guest()
    return tmp_path
