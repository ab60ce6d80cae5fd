"""The command works: one of its flows on the demo and one on a stage, at the size of a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import needs_browser

from . import __main__ as flows

pytestmark = needs_browser
FEW = ("offline_and_reconnect", "approval_refused")


def test_two_flows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = flows.went(tmp_path, FEW, ["phone"])
    assert found == {(name, "phone"): [] for name in FEW}
    assert "offline_and_reconnect" in (tmp_path / "index.html").read_text("utf-8")
    assert (tmp_path / "phone" / "approval_refused-1.webp").exists()
    assert "ok" in flows.table(found, FEW, ["phone"])
