"""Where a flow takes place: a page at a size, in a language and a light, and what is kept of it."""

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
"""A flow is seen in another one at each size: both languages and both lights for each."""
_SOME = re.compile(".")
WITH_STOP = ("running", "asking", "paused", "stopped")


class Demo(NamedTuple):
    url: str
    state: str
    """Where its computer says how it is."""


@dataclass
class Scene:
    """`demo` is the program with its virtual computer."""

    browser: Browser
    demo: Demo
    folder: Path
    flow: str
    size: str
    language: str
    light: Light
    faults: list[str] = field(default_factory=list)
    bearable: str = "\0"
    """What the browser may complain of: a flow that breaks a line, or is refused, says so."""
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

    def at_demo(self) -> Page:
        """With nothing at work, and the notice acknowledged."""
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
    def on_stage(self, *options: str) -> Iterator[tuple[Stage, Page]]:
        """For what the demo cannot bring about. The page is left before the stage is gone."""
        with stage(*options) as live:
            try:
                yield live, self.open(live.url)
                self.finish()
            except Exception:
                self.fell()
                raise

    def press(self, what: Locator) -> None:
        """With a finger where there is one."""
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
        """Two fingers in the middle, which go apart; at a desk the wheel with Ctrl."""
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

    def seen(self, page: Page) -> None:
        """A stage of the flow: its picture is kept, and nothing of it is out of reach."""
        self._count += 1
        page.wait_for_timeout(250)  # until what slides in stands
        self.keep(page, str(self._count))
        found = [*page.evaluate(WIDE), *page.evaluate(THUMB), *page.evaluate(LOST)]
        if page.locator("body").get_attribute("data-status") in WITH_STOP:
            found += self._stop(page)
        self.faults += [f"{self._count}: {each}" for each in found]

    def _stop(self, page: Page) -> list[str]:
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
        """The pages as the flow leaves them, before they are closed.

        What happens to lie half under the bar over its list would count as too small a target.
        """
        for page in self._pages:
            page.evaluate(TO_THE_TOP)
            self.faults += axe(page)
        self._close()
        self.faults = [each for each in self.faults if self.bearable not in each]

    def fell(self) -> None:
        """It went no further: how it stood."""
        for page in self._pages:
            self.keep(page, "fell")
        self._close()

    def _close(self) -> None:
        while self._pages:
            self._pages.pop().context.close()
