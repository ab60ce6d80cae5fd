from __future__ import annotations

import gc
import logging
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from playwright.sync_api import Browser

from cua.settings.file import DEFAULT_PATH
from tests.support import canaries
from tests.support.browser import chromium
from tests.support.devices import Fifos
from tests.support.kvm_hardware import Kvm, hid_devices, hid_devices_in_place, kvm_box
from tests.support.scripted_service import Stage, stage
from tests.support.service import Service, in_this_process

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.load_profile("default")


SLOW = pytest.StashKey[int]()
"""How many slow tests are not run."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays until the end: no search for garbage goes through it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The guest in QEMU first, whose tests follow each other; browsers between what only waits."""
    places: dict[bool, dict[Path, float]] = {True: {}, False: {}}
    for item in items:
        of_kind = places[item.get_closest_marker("browser") is not None]
        of_kind.setdefault(item.path, len(of_kind))
    shares = {
        path: (place + 0.5) / len(of_kind)
        for of_kind in places.values()
        for path, place in of_kind.items()
    }
    items.sort(key=lambda item: (item.get_closest_marker("usb") is None, shares[item.path]))


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    slow = [item for item in items if item.get_closest_marker("slow")]
    items[0].config.stash[SLOW] = len(slow)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["slow"] = session.config.stash.get(SLOW, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker deselects the same tests; one that crashed says nothing."""
    if hasattr(node, "workeroutput"):
        node.config.stash[SLOW] = node.workeroutput["slow"]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if slow := config.stash.get(SLOW, 0):
        terminalreporter.write_line(f"{slow} slow tests not run: pytest -m slow")


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


@pytest.fixture(scope="session", autouse=True)
def _no_test_changes_the_settings_of_this_machine() -> Iterator[None]:
    before = DEFAULT_PATH.exists()
    yield
    assert DEFAULT_PATH.exists() == before, "a test started the program without a CUA_CONFIG"


@pytest.fixture
def fifos(tmp_path: Path) -> Iterator[Fifos]:
    with hid_devices(tmp_path) as fifos:
        yield fifos


@pytest.fixture
async def kvm(tmp_path: Path, fifos: Fifos) -> AsyncIterator[Kvm]:
    async with kvm_box(tmp_path, fifos) as kvm:
        yield kvm


@pytest.fixture
async def kvm_in_place(tmp_path: Path) -> AsyncIterator[Kvm]:
    """At the paths and ports of a real KVM, where that is possible."""
    with hid_devices_in_place(tmp_path) as fifos:
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
