"""An evaluation that is watched in a real Chromium while it runs, at two sizes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from cua.demo import ROOT
from tests.browser import DESKTOP, PHONE, STEP, keep, needs_browser, opened
from tests.kvm_box import any_free_port

pytestmark = needs_browser


@pytest.fixture
def evaluation(request: pytest.FixtureRequest) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Where it is to be watched, and the program. Its parameter: a model and its tasks."""
    port = any_free_port()
    model, tasks = getattr(request, "param", ("perfect", "notepad/three-lines,network/dns"))
    command = ["eval", "--model", model, "--tasks", tasks, "--watch", str(port)]
    process = subprocess.Popen(
        [sys.executable, "cua_webapp.py", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    line = process.stdout.readline()
    assert line == f"Watch it at http://127.0.0.1:{port}/\n"
    yield f"http://127.0.0.1:{port}/", process
    process.kill()
    process.communicate()


def test_it_is_seen_as_it_happens(
    browser: Browser, evaluation: tuple[str, subprocess.Popen[str]]
) -> None:
    address, process = evaluation
    faults: list[str] = []
    desk = opened(browser, address, DESKTOP, faults)
    expect(desk.locator("#chat")).to_contain_text("perfect: notepad/three-lines", timeout=STEP)
    expect(desk.locator("#chat img").first).to_be_visible(timeout=STEP)
    phone = opened(browser, address, PHONE, faults)
    expect(desk.locator("#chat")).to_contain_text("The checker: it is done.", timeout=60_000)
    expect(desk.locator("#chat")).to_contain_text("perfect: network/dns", timeout=STEP)
    expect(desk.get_by_role("textbox", name="Message")).to_be_hidden()
    keep(desk, "evaluation-desktop")
    keep(phone, "evaluation-phone")
    out, _ = process.communicate(timeout=60)
    assert "perfect: Good" in out
    assert process.returncode == 0
    # Steps come so fast here that a picture may leave the view before it is drawn.
    assert [fault for fault in faults if "ERR_FILE_NOT_FOUND" not in fault] == []


def test_stop_ends_it(browser: Browser, evaluation: tuple[str, subprocess.Popen[str]]) -> None:
    address, process = evaluation
    desk = opened(browser, address, DESKTOP, [])
    expect(desk.locator("#chat")).to_contain_text("perfect: notepad/three-lines", timeout=STEP)
    desk.get_by_role("button", name=re.compile("^Stop")).click()
    _, words = process.communicate(timeout=30)
    assert "It was stopped before all runs were over." in words
    assert process.returncode == 2


@pytest.mark.parametrize("evaluation", [("nearsighted", "network/wifi-dns")], indirect=True)
def test_what_the_model_looks_closer_at_is_framed(
    browser: Browser, evaluation: tuple[str, subprocess.Popen[str]]
) -> None:
    address, process = evaluation
    desk = opened(browser, address, DESKTOP, [])
    region = desk.locator("#chat .region").first
    expect(region).to_be_visible(timeout=STEP)
    region.scroll_into_view_if_needed()
    keep(desk, "evaluation-closer")
    frame, picture = region.bounding_box(), region.locator("xpath=..").bounding_box()
    assert frame
    assert picture
    assert frame["width"] / picture["width"] == pytest.approx(1 / 6, abs=0.02)
    process.communicate(timeout=60)
