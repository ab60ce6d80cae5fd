"""Accessibility of every view of the page, by size, language and color scheme."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import DESKTOP, PHONE, ZOOMED, keep, needs_browser
from tests.support.page_checks import THUMB, UNNAMED, WIDE, axe
from tests.support.page_views import Light, everything

pytestmark = needs_browser
REACHABLE = """() => [...document.querySelectorAll(
    'button, select, summary, input, textarea, a[href], [tabindex="0"]')]
  .filter((node) => node.checkVisibility({visibilityProperty: true}) && !node.disabled)
  .filter((node) => node.tabIndex >= 0 || node.closest('#chat, .tasks, .strip'))
  .filter((node) => node.getClientRects().length)
  .filter((node) => !document.querySelector('dialog:modal') || node.closest('dialog:modal'))
  .map((node, n) => (node.dataset.n = n))"""
FOCUSED = """() => {
  const node = document.activeElement, style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  const seen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const shown = style.outlineStyle !== 'none' || node.tagName === 'DIALOG';
  const unseen = seen && shown ? '' : node.id || node.textContent.slice(0, 40);
  return [node.dataset.n ?? '', unseen, Boolean(node.closest('#chat, .tasks, .strip'))];
}"""


def by_keyboard(page: Page) -> list[str]:
    """What the tab key, and the arrows in a list, do not reach, or reach out of sight."""
    wanted = {str(each) for each in page.evaluate(REACHABLE)}
    reached: set[str] = set()
    hidden: set[str] = set()

    def pressed(key: str) -> tuple[str, bool]:
        page.keyboard.press(key)
        number, unseen, in_list = page.evaluate(FOCUSED)
        reached.add(number)
        if number and unseen:
            hidden.add(f"focus is not seen: {unseen}")
        return number, in_list

    for _ in range(3 * len(wanted) + 10):
        here, in_list = pressed("Tab")
        for arrow in ("ArrowUp", "ArrowDown") if in_list else ():
            while here != (here := pressed(arrow)[0]):
                pass
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
            found += [*page.evaluate(THUMB), *page.evaluate(UNNAMED)]
        if name == "desktop" and view != "manual-control":
            found += by_keyboard(page)
        faults += [f"{view}: {each}" for each in found]
    assert faults == []
