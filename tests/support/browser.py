"""What the browser tests share: a Chromium, pages at the sizes that matter, pictures to look at."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Locator,
    Page,
    TimeoutError,
    expect,
    sync_playwright,
)

from tests.support.kvm_hardware import ROOT

ARTIFACTS = ROOT / ".artifacts"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
SHELL = shutil.which("chromium-headless-shell") or CHROMIUM
"""The same engine without a browser's own windows, for half of the CPU."""
DESKTOP, TABLET, PHONE, LYING = (1280, 800), (820, 1180), (390, 844), (844, 390)
ZOOMED = (640, 400)
"""What a page on a desk has left when it is blown up to 200 %."""
SIZES = {"desktop": DESKTOP, "tablet": TABLET, "phone": PHONE, "lying": LYING}
expect.set_options(timeout=20_000)  # a busy machine may take longer than the usual 5 s
DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
SLOW_SOCKET = "WebSocket is closed before the connection is established"
STEP = 90_000
TASK = 300_000

needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not SHELL and not os.environ.get("CI"),
        reason="needs Chromium: apt-get install chromium",
    ),
]


@contextmanager
def chromium(program: str | None = SHELL) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(
    browser: Browser,
    url: str,
    size: tuple[int, int],
    faults: list[str],
    language: str = "en-US",
    **more: Any,
) -> Page:
    """The page at a size, listening; what the browser complains of goes to `faults`.

    Not that the page gave up a socket which the service, busy, was slow to open: it dials again.
    """
    touch = size not in (DESKTOP, ZOOMED)
    context = browser.new_context(
        locale=language,
        reduced_motion="reduce",  # what turns without end would take a third of the processor
        viewport={"width": size[0], "height": size[1]},
        has_touch=touch,
        is_mobile=touch,
        device_scale_factor=2 if size == PHONE else 1,
        **more,
    )
    page = context.new_page()
    page.on("console", lambda said: faults.append(said.text) if _is_fault(said) else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(url)
    page.locator("body[data-tab], body:not(:has(#tabs))").wait_for(state="attached")
    return page


def _is_fault(said: ConsoleMessage) -> bool:
    return said.type in ("error", "warning") and SLOW_SOCKET not in said.text


def agree(page: Page) -> None:
    """Acknowledge the safety notice; until it has gone, nothing behind it takes what is typed."""
    page.get_by_role("button", name="I understand").click()
    expect(page.locator("#notice")).to_be_hidden()


def press_until_gone(answer: Locator) -> None:
    """Press the answer to a question until it has gone: just after it came, no click counts."""
    for _ in range(40):
        with suppress(TimeoutError):
            answer.click(timeout=1000)
        with suppress(AssertionError):
            expect(answer).to_be_hidden(timeout=500)
            return
    raise AssertionError("the question stays")


def turn_to(page: Page, name: str) -> None:
    """Open that tab; a page that is still loading its scripts does not hear the first click."""
    tab = page.get_by_role("tab", name=name)
    for _ in range(100):
        tab.click()
        if tab.get_attribute("aria-selected") == "true":
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the tab {name} does not open")


def turn_to_group(page: Page, name: str) -> None:
    """Show this group of the settings, by the rail or by the menu that stands for it."""
    link = page.locator(".rail").get_by_role("button", name=name)
    menu = page.locator(".sheet > select")
    expect(link.or_(menu).filter(visible=True)).to_be_visible()
    if menu.is_visible():
        menu.select_option(name)
    else:
        link.click()


def keep(page: Page, name: str) -> None:
    """A picture to look at, if the folder is there."""
    if ARTIFACTS.exists():
        page.screenshot(path=ARTIFACTS / f"{name}.png")


def fingers(page: Page) -> Callable[..., None]:
    """Sends one event of touch, and where each finger is by then. Before they are lifted they rest:
    the browser goes on with a movement that does not end, and the next tap would only end that.
    """
    session = page.context.new_cdp_session(page)
    moving = False

    def send(kind: str, *places: tuple[float, float]) -> None:
        nonlocal moving
        points = [{"x": x, "y": y, "id": n} for n, (x, y) in enumerate(places)]
        if kind == "touchStart":  # before all is drawn, an element that has just come gets no touch
            page.evaluate(DRAWN)
            page.evaluate(DRAWN)  # a second frame is begun while the first is still drawn
        elif kind == "touchEnd" and moving:
            page.wait_for_timeout(100)
        moving = kind == "touchMove"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return send
