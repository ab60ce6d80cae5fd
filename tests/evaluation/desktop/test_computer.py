"""The real desktop is ready when it says so, and says so only then."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest
from Xlib import X
from Xlib.display import Display

from cua.evaluation.desktop.programs import describe_missing
from cua.evaluation.desktop.xserver import XServer
from tests.support.x_display import connect

from .real_desktop import NEWS, desktop

pytestmark = pytest.mark.skipif(bool(describe_missing()), reason=describe_missing())


def windows(x: Display) -> list[int]:
    found = x.screen().root.get_full_property(
        x.intern_atom("_NET_CLIENT_LIST_STACKING"), X.AnyPropertyType
    )
    return list(found.value) if found else []


@pytest.mark.parametrize("number", range(3))
def test_no_window_is_overlooked_that_opens_at_once(tmp_path: Path, number: int) -> None:
    screen = XServer(tmp_path / "x", (640, 480))
    try:
        screen.run("xterm", "-e", "sh")
        with contextlib.closing(connect(screen.display)) as x:
            until = time.monotonic() + 20
            while not windows(x) and time.monotonic() < until:
                time.sleep(0.05)
            assert len(windows(x)) == 1
    finally:
        screen.stop()


async def test_a_page_is_there_though_nothing_to_click_is_in_sight() -> None:
    async with desktop(NEWS) as there:
        page = (await there.state())["page"]
        assert page["title"] == "Daily news"
        assert page["targets"] == []


def without(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In its place one that ends at once."""
    instead = folder / program
    instead.write_text("#!/bin/sh\nexit 1\n")
    instead.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_a_screen_without_a_window_manager_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("openbox", tmp_path, monkeypatch)
    with pytest.raises(RuntimeError, match="openbox does not manage"):
        XServer(tmp_path / "x", (640, 480))


def test_a_program_that_does_not_come_up_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("xterm", tmp_path, monkeypatch)
    scenario = '{"open": [{"program": "Terminal"}]}'
    command = [sys.executable, "-m", "cua.evaluation.desktop.computer", "--dir", str(tmp_path)]
    done = subprocess.run(
        [*command, "--scenario", scenario], stdin=subprocess.PIPE, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "Terminal did not come up" in done.stderr
    assert not done.stdout
