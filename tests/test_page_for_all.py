"""The page for everybody: axe-core finds nothing, whatever the size, language and light."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import SIZES, keep, needs_browser, opened
from tests.stage import Stage, answered, looked, stage

pytestmark = needs_browser
AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ASKED = {"id": 1, "digest": "d", "words": "Press ALT + F4", "why": "It closes a program."}


@pytest.fixture(scope="module")
def live() -> Iterator[Stage]:
    with stage() as made:
        made.begin()
        made.step(1, reasoning="The printer is on the left.")
        made.tell(
            ("step", {"step": 1, "ok": False, "outcome": "Not carried out.", "seconds": 1.0}),
            ("said", {"text": "the other one", "queued": True}),
            ("question", {"text": "Which printer?"}),
            ("failed", {"text": "The model server is gone."}),
            ("log", {"level": "warning", "text": "slow"}),
            ("done", {"text": "Printed."}),
        )
        made.tell(*looked(2), *answered(2))
        yield made


def faults_of(page: Page) -> list[str]:
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", RULES
    )
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("language", "light"), [("en-US", "light"), ("zh-CN", "dark")])
def test_axe_finds_nothing(
    browser: Browser, live: Stage, size: str, language: str, light: str
) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, SIZES[size], faults, language, color_scheme=light)
    expect(page.locator("article.step").last).to_be_visible()
    for view in ("chat", "log", "settings"):
        page.locator(f"#tab-{view}").click()
        expect(page.locator(f"#panel-{view} > *").first).to_be_visible()
        page.wait_for_timeout(200)
        keep(page, f"all-{size}-{language[:2]}-{light}-{view}")
        assert faults_of(page) == [], view
    page.locator("#tab-chat").click()
    page.locator("article.step .shot button").first.click()
    expect(page.locator("#lightbox")).to_be_visible()
    assert faults_of(page) == []
    assert faults == []
    page.context.close()


@pytest.mark.parametrize("size", SIZES)
def test_what_can_be_pressed_is_large_enough_for_a_thumb(
    browser: Browser, live: Stage, size: str
) -> None:
    """44 px high; of a box to tick the label counts, which ticks it too."""
    page = opened(browser, live.url, SIZES[size], [])
    expect(page.locator("article.step").last).to_be_visible()
    small = []
    for view in ("chat", "log", "settings"):
        page.locator(f"#tab-{view}").click()
        page.wait_for_timeout(200)
        small += page.evaluate(
            """() => [...document.querySelectorAll('button, select, summary, input, a[href]')]
                .filter((node) => node.checkVisibility() && node.getClientRects().length)
                .map((node) => [node.id || node.textContent, node.closest('label') ?? node])
                .map(([name, node]) => [name, node.getBoundingClientRect()])
                .filter(([, box]) => box.height < 43.5 && box.width > 0)
                .map(([name, box]) => `${name}: ${box.width}x${box.height}`)"""
        )
    page.context.close()
    assert small == []
