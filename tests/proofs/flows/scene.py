"""A page for a flow, at a size, in a language and a color scheme, and its screenshots."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.browser import DESKTOP, SIZES, STEP, fingers, opened
from tests.support.kvm_hardware import ROOT
from tests.support.page_checks import LOST, THUMB, WIDE, axe
from tests.support.page_views import Light
from tests.support.scripted_service import Stage, stage

WORDS = {
    language: json.loads((ROOT / f"static/messages/{language[:2]}/page.json").read_text("utf-8"))
    for language in ("en-US", "zh-CN")
}
LISTS = "#panel-history, #panel-log, #panel-settings"
TO_THE_TOP = f"for (const panel of document.querySelectorAll('{LISTS}')) panel.scrollTop = 0;"
LOOKS: tuple[tuple[str, Light], ...] = (
    ("en-US", "light"),
    ("zh-CN", "dark"),
    ("en-US", "dark"),
    ("zh-CN", "light"),
)
"""Each flow has another one at each size."""
_SOME = re.compile(".")
DROPPED_PICTURE = "status of 404"
"""The fault of a picture that the page asks for when a reset has dropped it."""
WITH_STOP = ("running", "asking", "paused", "stopped")


class Demo(NamedTuple):
    url: str
    state: str
    """Where its computer says how it is."""


@dataclass
class Scene:
    """`demo` is the program with its simulated computer."""

    browser: Browser
    demo: Demo
    folder: Path
    flow: str
    size: str
    language: str
    light: Light
    faults: list[str] = field(default_factory=list)
    allowed_fault: str = "\0"
    """Text of browser errors that the flow causes on purpose."""
    _pages: list[Page] = field(default_factory=list)
    _count: int = 0

    @property
    def touch(self) -> bool:
        return SIZES[self.size] != DESKTOP

    def t(self, key: str) -> str:
        return str(WORDS[self.language][key])

    def open(self, url: str = "about:blank") -> Page:
        page = opened(
            self.browser, url, SIZES[self.size], self.faults, self.language, color_scheme=self.light
        )
        self._pages.append(page)
        return page

    def open_demo(self) -> Page:
        """Open the demo, idle, with the safety notice acknowledged."""
        page = self.open(self.demo.url)
        expect(page.locator("#caption .is-live")).to_be_visible(timeout=STEP)
        if page.locator("#notice").is_visible():
            self.press(page.locator("#understood"))
        expect(page.locator("#notice")).to_be_hidden()
        expect(page.locator("body")).to_have_attribute("data-status", _SOME)
        if page.locator("#state .is-stopped").is_visible():
            page.locator("#pause").click()
            expect(page.locator("#state .is-stopped")).to_be_hidden()
        page.locator("#reset").dblclick()  # twice while it is at work
        expect(page.locator("#state .is-idle")).to_be_visible()
        expect(page.locator(".empty")).to_be_visible()
        return page

    @contextmanager
    def open_stage(self, *options: str) -> Iterator[tuple[Stage, Page]]:
        """Open a scripted service, for what the demo cannot cause."""
        with stage(*options) as live:
            try:
                yield live, self.open(live.url)
                self.finish()
            except Exception:
                self.keep_failure()
                raise

    def press(self, what: Locator) -> None:
        """Tap on touch screens, else click."""
        if self.touch:
            what.tap()
        else:
            what.click()

    def turn_to(self, page: Page, view: str) -> None:
        tab = page.locator(f"#tab-{view}")
        self.press(tab)
        expect(tab).to_have_attribute("aria-selected", "true")

    def send(self, page: Page, words: str) -> None:
        page.locator("#box").fill(words)
        self.press(page.locator("#send"))

    def pinch(self, page: Page) -> None:
        """Zoom in the middle, with two fingers or with Ctrl and the wheel."""
        x, y = (part / 2 for part in SIZES[self.size])
        if not self.touch:
            page.mouse.move(x, y)
            page.keyboard.down("Control")
            page.mouse.wheel(0, -200)
            return page.keyboard.up("Control")
        send = fingers(page)
        for kind, far in (("touchStart", 40), ("touchMove", 80), ("touchMove", 120)):
            send(kind, (x - far, y), (x + far, y))
        return send("touchEnd")

    def check_stage(self, page: Page) -> None:
        """Save a screenshot of this stage and check that everything can be reached."""
        self._count += 1
        page.wait_for_timeout(250)  # until what slides in stands
        expect(page.locator("#composer [inert]")).to_have_count(0)  # it takes no press at first
        self.keep(page, str(self._count))
        found = [*page.evaluate(WIDE), *page.evaluate(THUMB), *page.evaluate(LOST)]
        if page.locator("body").get_attribute("data-status") in WITH_STOP:
            found += self._check_stop(page)
        self.faults += [f"{self._count}: {each}" for each in found]

    def _check_stop(self, page: Page) -> list[str]:
        if page.locator("dialog:modal:not(#lightbox)").count():
            return []
        box, (width, height) = page.locator("#stop").bounding_box(), SIZES[self.size]
        if not box:
            return ["Stop is not there"]
        inside = min(box["x"], box["y"]) >= 0 and box["x"] + box["width"] <= width
        return [] if inside and box["y"] + box["height"] <= height else ["Stop is out of sight"]

    def keep(self, page: Page, what: str) -> None:
        place = self.folder / self.size
        place.mkdir(parents=True, exist_ok=True)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        picture.save(place / f"{self.flow}-{what}.webp", quality=80)

    def finish(self) -> None:
        """Run axe on the pages and close them.

        Lists are scrolled to the top, because half-hidden targets would count as too small.
        """
        for page in self._pages:
            page.evaluate(TO_THE_TOP)
            self.faults += axe(page)
        self._close()
        allowed = (self.allowed_fault, DROPPED_PICTURE)
        self.faults = [each for each in self.faults if not any(it in each for it in allowed)]

    def keep_failure(self) -> None:
        """Save screenshots of the pages and close them."""
        for page in self._pages:
            self.keep(page, "fell")
        self._close()

    def _close(self) -> None:
        while self._pages:
            self._pages.pop().context.close()
