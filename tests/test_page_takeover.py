"""The controls in the person's own hands: from the browser's events to the HID reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from cua.hid.reports import Endpoint
from cua.virtual.usbhost import Heard
from tests.browser import DESKTOP, PHONE, keep, needs_browser, opened, turn_to
from tests.devices import heard
from tests.stage import Stage, stage

pytestmark = needs_browser


@pytest.fixture
def live() -> Iterator[Stage]:
    with stage("take_over=true") as made:
        yield made


def computer(page: Page, live: Stage) -> Heard:
    """What a USB host has understood when all has been sent."""
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    endpoints: tuple[Endpoint, ...] = ("keyboard", "pointer")
    return heard([(endpoint, each) for endpoint in endpoints for each in live.reports(endpoint)])


def test_it_is_off_until_it_is_allowed(browser: Browser) -> None:
    with stage() as live:
        faults: list[str] = []
        page = opened(browser, live.url, DESKTOP, faults)
        expect(page.locator("#caption")).to_contain_text("Live")
        expect(page.get_by_role("button", name="Take over")).to_be_hidden()
        turn_to(page, "Settings")
        page.locator("[name=take_over]").check()
        page.get_by_role("button", name="Submit").click()
        expect(page.locator("#take")).to_be_visible()
        assert faults == []
        page.context.close()


def test_mouse_and_keyboard_of_a_desk(browser: Browser, live: Stage) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, DESKTOP, faults)
    page.get_by_role("button", name="Take over").click()
    helm = page.get_by_role("application")
    box = helm.bounding_box()
    assert box
    helm.click(position={"x": box["width"] / 4, "y": box["height"] / 2})
    page.keyboard.type("Hi there")
    page.keyboard.press("Control+a")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    keep(page, "desktop-takeover")
    page.keyboard.press("Control+Alt+Home")  # as tab is for the computer, there is another way out
    expect(page.get_by_role("button", name="Give back")).to_be_focused()
    found = computer(page, live)
    assert found.text.startswith("Hi there")
    assert found.down == []
    assert ("left", 320, 360) in clicks(found)
    page.get_by_role("button", name="Give back").click()
    expect(page.get_by_role("button", name="Take over")).to_be_visible()
    expect(page.locator("#state")).to_contain_text("Ready")
    assert faults == []
    page.context.close()


def clicks(found: Heard) -> list[tuple[str, int, int]]:
    return [(press.button, press.x, press.y) for press in found.presses]


def test_a_finger_on_a_phone(browser: Browser, live: Stage) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, PHONE, faults)
    page.get_by_role("button", name="Take over").tap()
    helm = page.get_by_role("application")
    box = helm.bounding_box()
    assert box
    touch = page.context.new_cdp_session(page)

    def send(kind: str, x: float, y: float) -> None:
        at = {"x": box["x"] + box["width"] * x, "y": box["y"] + box["height"] * y}
        points = [] if kind == "touchEnd" else [at]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    helm.tap(position={"x": box["width"] / 2, "y": box["height"] / 2})
    send("touchStart", 0.25, 0.25)
    page.wait_for_timeout(700)
    send("touchEnd", 0.25, 0.25)
    send("touchStart", 0.1, 0.1)
    for n in range(1, 6):
        send("touchMove", 0.1 + n / 10, 0.1 + n / 10)
    send("touchEnd", 0.6, 0.6)
    page.get_by_role("button", name="Ctrl", exact=True).tap()
    page.get_by_role("button", name="Tab", exact=True).tap()
    keep(page, "phone-takeover")
    found = computer(page, live)
    assert [button for button, _, _ in clicks(found)][:2] == ["left", "right"]
    assert found.down == []
    assert faults == []
    page.context.close()


def test_a_drag_is_seen_while_it_is_pulled(browser: Browser, live: Stage) -> None:
    faults: list[str] = []
    page = opened(browser, live.url, DESKTOP, faults)
    page.get_by_role("button", name="Take over").click()
    helm = page.get_by_role("application")
    box = helm.bounding_box()
    assert box
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 150, steps=5)
    expect(helm.locator(".path")).to_be_visible()
    page.mouse.up()
    expect(helm.locator(".path")).to_have_count(0)
    found = computer(page, live)
    assert len(found.presses) == len(found.releases) == 1
    assert len(found.path) > 2
    assert found.down == []
    assert faults == []
    page.context.close()
