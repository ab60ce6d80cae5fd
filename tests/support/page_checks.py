"""What any view of the page has to stand, whatever its size, language and light."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
THUMB = """() => [...document.querySelectorAll('button, select, summary, input, textarea, a[href]')]
    .filter((node) => node.checkVisibility() && !node.closest('.sr'))
    .filter((node) => node.getClientRects().length)
    .map((node) => [node.id || node.textContent, node.closest('label') ?? node])
    .map(([name, node]) => [name, node.getBoundingClientRect()])
    .filter(([, box]) => Math.min(box.height, box.width) < 43.5 && box.width > 0)
    .map(([name, box]) => `small: ${name}: ${box.width}x${box.height}`)"""
"""Less than 44 px high or wide; of a box to tick the label counts, which ticks it too."""
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
UNNAMED = """() => [...document.querySelectorAll('button')]
    .filter((node) => node.checkVisibility() && !node.innerText.trim() && !node.title)
    .map((node) => `no tooltip: ${node.id || node.ariaLabel}`)"""
LOST = """() => {
  const room = document.querySelector('dialog:modal') ?? document.body;
  const before = [...document.querySelectorAll('*')]
    .filter((node) => node.scrollTop || node.scrollLeft)
    .map((node) => [node, node.scrollTop, node.scrollLeft]);
  const controls = [...room.querySelectorAll('button, select, summary, input, textarea, a[href]')]
    .filter((node) => node.checkVisibility({visibilityProperty: true}) && !node.closest('.sr'))
    .filter((node) => !node.disabled && !node.classList.contains('sr') && node.type !== 'file');
  const told = (node) => node.id || node.ariaLabel || node.textContent.slice(0, 40) || node.name;
  const found = controls.flatMap((node) => {
    node.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    const face = node.closest('label') ?? node, box = face.getBoundingClientRect();
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (box.left < -1 || box.right > innerWidth + 1 || box.top < -1)
      return [`cut off: ${told(node)}`];
    if (!hit || !face.contains(hit)) return [`covered: ${told(node)} by ${hit && told(hit)}`];
    const cut = node.matches('button') && node.scrollWidth > node.clientWidth + 1;
    return cut ? [`its words are cut: ${told(node)}`] : [];
  });
  for (const node of document.querySelectorAll('*'))
    if (node.scrollTop || node.scrollLeft) [node.scrollTop, node.scrollLeft] = [0, 0];
  for (const [node, top, left] of before) [node.scrollTop, node.scrollLeft] = [top, left];
  const cut = [...document.querySelectorAll('#state > *')]
    .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1)
    .map((node) => `cut off: ${node.textContent}`);
  return [...found, ...cut];
}"""
"""What a finger cannot get at, though it may scroll."""


def axe(page: Page) -> list[str]:
    page.evaluate(_AXE)
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", _RULES
    )
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
