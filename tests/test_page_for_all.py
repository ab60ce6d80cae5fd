"""The page for everybody: every view of it, whatever the size, the language and the light."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import DESKTOP, PHONE, ZOOMED, keep, needs_browser
from tests.views import Light, everything

pytestmark = needs_browser
AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
THUMB = """() => [...document.querySelectorAll('button, select, summary, input, textarea, a[href]')]
    .filter((node) => node.checkVisibility() && node.getClientRects().length)
    .map((node) => [node.id || node.textContent, node.closest('label') ?? node])
    .map(([name, node]) => [name, node.getBoundingClientRect()])
    .filter(([, box]) => box.height < 43.5 && box.width > 0)
    .map(([name, box]) => `small: ${name}: ${box.width}x${box.height}`)"""
"""Less than 44 px high; of a box to tick the label counts, which ticks it too."""
WIDE = """() => {
  const rolls = (node) => node && (/auto|scroll/.test(getComputedStyle(node).overflowX)
    && node.scrollWidth > node.clientWidth && node !== document.body || rolls(node.parentElement));
  const room = document.scrollingElement, edge = document.documentElement.clientWidth;
  const out = [...document.querySelectorAll('button, select, input, textarea, h1, h2, p, li')]
    .filter((node) => node.checkVisibility() && !node.closest('.sr') && !rolls(node.parentElement))
    .filter((node) => node.getBoundingClientRect().right > edge + 1)
    .map((node) => `beyond the edge: ${node.id || node.textContent.slice(0, 40)}`);
  return room.scrollWidth > edge + 1 ? [`scrolls sideways`, ...out] : out;
}"""
REACHABLE = """() => [...document.querySelectorAll(
    'button, select, summary, input, textarea, a[href], [tabindex="0"]')]
  .filter((node) => node.checkVisibility({visibilityProperty: true}) && !node.disabled)
  .filter((node) => node.tabIndex >= 0 && node.getClientRects().length)
  .filter((node) => !document.querySelector('dialog:modal') || node.closest('dialog:modal'))
  .map((node, n) => (node.dataset.n = n))"""
FOCUSED = """() => {
  const node = document.activeElement, style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  const seen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const shown = style.outlineStyle !== 'none' || node.tagName === 'DIALOG';
  return [node.dataset.n ?? '', seen && shown ? '' : node.id || node.textContent.slice(0, 40)];
}"""


def axe(page: Page) -> list[str]:
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", RULES
    )
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def by_keyboard(page: Page) -> list[str]:
    """What the tab key does not reach, or reaches out of sight."""
    wanted = {str(each) for each in page.evaluate(REACHABLE)}
    reached: set[str] = set()
    hidden: set[str] = set()
    for _ in range(3 * len(wanted) + 10):
        page.keyboard.press("Tab")
        number, unseen = page.evaluate(FOCUSED)
        reached.add(number)
        if number and unseen:
            hidden.add(f"focus is not seen: {unseen}")
        if wanted <= reached:
            break
    name = "n => {const node = document.querySelector(`[data-n='${n}']`);"
    name += "return node && `no way to: ${node.id || node.textContent || node.tagName}`}"
    missed = [page.evaluate(name, each) for each in wanted - reached]
    return [*filter(None, missed), *hidden]


@pytest.mark.parametrize(
    ("name", "size", "language", "light"),
    [
        pytest.param("desktop", DESKTOP, "en-US", "light", marks=pytest.mark.slow),
        ("phone", PHONE, "zh-CN", "dark"),
        pytest.param("zoomed", ZOOMED, "en-US", "dark", marks=pytest.mark.slow),
    ],
)
def test_every_view_is_for_everybody(
    browser: Browser, tmp_path: Path, name: str, size: tuple[int, int], language: str, light: Light
) -> None:
    faults: list[str] = []
    for view, page in everything(browser, tmp_path, size, language, light):
        page.wait_for_timeout(200)
        keep(page, f"all-{name}-{view}")
        found = [*axe(page), *page.evaluate(WIDE)]
        if view != "exported":
            found += page.evaluate(THUMB)
        if name == "desktop" and view != "helm":
            found += by_keyboard(page)
        faults += [f"{view}: {each}" for each in found]
    assert faults == []
