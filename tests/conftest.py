from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests import canaries
from tests.browser import chromium
from tests.devices import Fifos
from tests.kvm_box import Kvm, hid_devices, kvm_box
from tests.service import Service, in_this_process
from tests.stage import Stage, stage


@pytest.fixture(scope="session", autouse=True)
def _no_canary_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """After the whole run: every log, record, export and trace that any test has left behind."""
    folder = tmp_path_factory.getbasetemp()
    log = logging.FileHandler(folder / "everything.log", encoding="utf-8")
    logging.getLogger().addHandler(log)
    yield
    logging.getLogger().removeHandler(log)
    log.close()
    assert canaries.found(folder) == []


@pytest.fixture
def fifos(tmp_path: Path) -> Iterator[Fifos]:
    with hid_devices(tmp_path) as fifos:
        yield fifos


@pytest.fixture
async def kvm(tmp_path: Path, fifos: Fifos) -> AsyncIterator[Kvm]:
    async with kvm_box(tmp_path, fifos) as kvm:
        yield kvm


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with in_this_process(tmp_path) as service:
        yield service


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not for longer than a module: its loop must not run beside those of other tests."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def live() -> Iterator[Stage]:
    with stage() as made:
        yield made
