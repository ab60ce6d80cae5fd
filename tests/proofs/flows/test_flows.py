"""The command works: one of its flows, on the demo, at the size of a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browser import needs_browser

from . import __main__ as flows

pytestmark = needs_browser
FEW = ("approval_refused",)


def test_one_flow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = flows.run_flows(tmp_path, FEW, ["phone"])
    assert found == {(name, "phone"): [] for name in FEW}
    assert "approval_refused" in (tmp_path / "index.html").read_text("utf-8")
    assert (tmp_path / "phone" / "approval_refused-1.webp").exists()
    assert "ok" in flows.format_table(found, FEW, ["phone"])
