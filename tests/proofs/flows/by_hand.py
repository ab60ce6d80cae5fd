"""Manual control by the user."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.page.test_first_run import fetched
from tests.support.browser import STEP, fingers

from .model import PRESS
from .scene import Scene


def take_over(scene: Scene) -> None:
    page = scene.open_demo()
    address = scene.demo.state
    scene.press(page.locator("#take"))
    expect(page.locator("#control-bar")).to_be_visible(timeout=STEP)
    scene.check_stage(page)
    _open_notepad(scene, page, address)
    _type(scene, page, address)
    _drag(scene, page, address)
    _scroll_and_right_click(scene, page)
    scene.press(page.locator("#take"))
    expect(page.locator("#control-bar")).to_be_hidden()
    scene.check_stage(page)
    scene.send(page, PRESS)
    scene.turn_to(page, "log")
    by_hand = scene.t("log.kind.by_hand")
    expect(page.locator("#log")).to_contain_text(by_hand, timeout=STEP)
    scene.turn_to(page, "chat")
    scene.check_stage(page)


def _spot(page: Page, address: str, x: float, y: float) -> tuple[float, float]:
    """Where on the page a pixel of the computer's screen is."""
    width, height = fetched(address)["size"]
    box = page.get_by_role("application").bounding_box()
    assert box
    return box["x"] + box["width"] * x / width, box["y"] + box["height"] * y / height


def _until(page: Page, address: str, key: str, fits: Any) -> Any:
    for _ in range(STEP // 50):
        if fits(found := fetched(address)[key]):
            return found
        page.wait_for_timeout(50)
    raise AssertionError(f"{key}: {fetched(address)[key]}")


def _open_notepad(scene: Scene, page: Page, address: str) -> None:
    ((x, y, w, h),) = [rect for _, label, rect in fetched(address)["icons"] if label == "Notepad"]
    at = _spot(page, address, x + w / 2, y + h / 2)
    if scene.touch:
        page.touchscreen.tap(*at)
    else:
        page.mouse.click(*at)
    scene.press(page.locator(".keybar").get_by_role("button", name="Enter"))
    _until(page, address, "windows", bool)
    page.wait_for_timeout(500)  # until the picture has it
    scene.check_stage(page)


def _type(scene: Scene, page: Page, address: str) -> None:
    if scene.touch:
        scene.press(page.locator(".keybar button").first)  # the phone's own keyboard
        expect(page.locator(".control-bar textarea")).to_be_focused()
    page.keyboard.type("Hello from my hands")
    _until(page, address, "windows", lambda found: "Hello from my hands" in str(found))
    scene.press(page.locator(".keybar button", has_text="Shift"))
    expect(page.locator(".keybar button", has_text="Shift")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.wait_for_timeout(300)
    scene.check_stage(page)
    scene.press(page.locator(".keybar button", has_text="Home"))


def _drag(scene: Scene, page: Page, address: str) -> None:
    x, y, *_ = before = fetched(address)["windows"][0]["rect"]
    way = [_spot(page, address, x + 200 - n * 12, y + 20 + n * 8) for n in range(11)]
    if scene.touch:
        send = fingers(page)
        send("touchStart", way[0])
        for place in way[1:]:
            send("touchMove", place)
    else:
        page.mouse.move(*way[0])
        page.mouse.down()
        for place in way[1:]:
            page.mouse.move(*place)
    _until(page, address, "windows", lambda found: found[0]["rect"][1] > before[1] + 40)
    page.wait_for_timeout(300)
    scene.keep(page, "pulling")
    if scene.touch:
        send("touchEnd")
    else:
        page.mouse.up()
    _until(page, address, "down", lambda found: found["buttons"] == [])


def _scroll_and_right_click(scene: Scene, page: Page) -> None:
    box = page.get_by_role("application").bounding_box()
    assert box
    x, y = box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.4
    if not scene.touch:
        page.mouse.move(x, y)
        page.mouse.wheel(0, 120)
        page.mouse.click(x, y, button="right")
    else:
        send = fingers(page)
        for kind, by in (("touchStart", 0), ("touchMove", -30), ("touchMove", -60)):
            send(kind, (x - 20, y + by), (x + 20, y + by))
        send("touchEnd")
        send("touchStart", (x, y))
        page.wait_for_timeout(700)
        send("touchEnd")
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    page.wait_for_timeout(300)
    scene.check_stage(page)


FLOWS = (take_over,)
