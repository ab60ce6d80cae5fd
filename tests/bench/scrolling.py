"""What a frame costs while a list is scrolled, beside a plain one: what this machine can do at all.

The time between two frames hangs on whatever else runs there; the time that the page's own thread
worked, from a trace of the browser, hardly does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median

from playwright.sync_api import Browser, Page

FRAMES = 300
FLUNG, PULLED = 120, 24
"""Pixels a frame: a finger's throw, and about as fast as one can still see what goes by."""
SCROLL = """([id, by, frames]) => new Promise((done) => {
  const room = document.getElementById(id), gaps = [];
  let before = performance.now(), left = frames;
  const move = (now) => {
    gaps.push(now - before);
    before = now;
    room.scrollBy(0, -by);
    if (left--) requestAnimationFrame(move); else done(gaps);
  };
  requestAnimationFrame(move);
})"""
PLAIN = """() => {
  document.body.style.margin = 0;
  document.body.innerHTML = '<div id="plain" style="height: 100vh; overflow: auto"></div>';
  const room = document.getElementById('plain');
  for (let step = 1; step <= 500; step++) {
    const block = room.appendChild(document.createElement('p'));
    block.style.cssText = 'margin: 0; height: 100px';
    block.textContent = `Step ${step}: plain text which is long enough for two lines of a phone.`;
  }
  room.scrollTop = room.scrollHeight;
}"""


@dataclass(frozen=True)
class Scrolled:
    """Milliseconds a frame."""

    median: float
    within: float
    """95 of 100 frames."""
    busy: float
    """The page's main thread: scripts, style, layout, paint and all else."""

    def __str__(self) -> str:
        return f"{self.median:.0f}; {self.within:.0f}; {self.busy:.1f} ms"


def scrolled(browser: Browser, page: Page, id: str, by: int) -> Scrolled:
    browser.start_tracing(page=page, categories=["-*", "disabled-by-default-devtools.timeline"])
    gaps = sorted(page.evaluate(SCROLL, [id, by, FRAMES]))
    events = json.loads(browser.stop_tracing())["traceEvents"]
    mains = {
        (e["pid"], e["tid"])
        for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    tasks = [e for e in events if e["name"] == "RunTask" and (e["pid"], e["tid"]) in mains]
    assert tasks, "the browser traced nothing"
    busy = sum(task.get("tdur", 0) for task in tasks) / 1000 / FRAMES
    return Scrolled(median(gaps), gaps[int(len(gaps) * 0.95)], busy)


def beside(ours: Scrolled, plain: Scrolled) -> str:
    return f"{ours} | {plain} | {ours.busy / plain.busy:.1f}"
