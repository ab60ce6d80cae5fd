"""Watching: the steps of a task, their screenshots, the live view and its faults."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from cua.messages import Message
from tests.page.test_long_runs import Line, work
from tests.support.browser import SIZES, STEP, fingers
from tests.support.page_views import REQUEST
from tests.support.scripted_service import answered, ended, looked

from .model import NOTE
from .scene import Scene

GONE = Message("screen.lost")


def task_to_done(scene: Scene) -> None:
    page = scene.open_demo()
    scene.check_stage(page)
    scene.press(page.locator(".empty button").first)
    expect(page.locator("#box")).not_to_be_empty()
    scene.send(page, NOTE)
    expect(page.locator("article.step .draft")).to_be_visible(timeout=STEP)
    scene.check_stage(page)
    expect(page.locator("article.step")).to_have_count(4, timeout=STEP)
    scene.check_stage(page)
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    expect(page.locator(".words.is-done")).to_be_visible()
    scene.check_stage(page)
    page.locator("#panel-chat").evaluate("node => node.scrollTop = 0")
    scene.check_stage(page)


def picture_enlarged(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, NOTE)
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.press(page.locator("article.step .shot button").first)
    box, large = page.locator("#lightbox"), page.locator("#lightbox .stage")
    expect(large.locator("img")).to_have_js_property("naturalWidth", 1280)
    scene.check_stage(page)
    before = large.bounding_box()
    scene.pinch(page)
    after = large.bounding_box()
    scene.check_stage(page)
    assert before
    assert after
    assert after["width"] > 2 * before["width"]
    number = box.locator("header p").inner_text()
    scene.press(box.get_by_role("button", name=scene.t("replay.next")))
    expect(box.locator("header p")).not_to_have_text(number)
    _back(scene, page)
    expect(box.locator("header p")).to_have_text(number)
    scene.press(box.get_by_role("button", name=scene.t("close")))
    expect(box).to_be_hidden()


def _back(scene: Scene, page: Page) -> None:
    """To the step before: by a swipe, or an arrow key."""
    if not scene.touch:
        return page.keyboard.press("ArrowLeft")
    send, (width, height) = fingers(page), SIZES[scene.size]
    for kind, part in (("touchStart", 0.3), ("touchMove", 0.5), ("touchMove", 0.7)):
        send(kind, (width * part, height / 2))
    return send("touchEnd")


def reasoning_and_raw_reply(scene: Scene) -> None:
    with scene.open_stage() as (live, page):
        live.begin()
        live.tell(REQUEST)
        live.step(1, reasoning="The printer is on the left. " * 8, cost=0.01)
        live.tell(*looked(2))
        scene.press(page.locator("article.step .figures summary").first)
        scene.check_stage(page)
        scene.turn_to(page, "log")
        for line in page.locator("#log details").all():
            scene.press(line.locator("summary"))
            expect(line.locator("pre")).to_be_visible()
        scene.check_stage(page)


def live_picture(scene: Scene) -> None:
    page = scene.open_demo()
    scene.press(page.locator("#full"))
    expect(page.locator(":fullscreen")).to_have_count(1)
    scene.check_stage(page)
    page.keyboard.press("Escape")
    page.evaluate("document.fullscreenElement && document.exitFullscreen()")
    expect(page.locator(":fullscreen")).to_have_count(0)
    if page.locator("#float").is_visible():
        scene.press(page.locator("#float"))
        page.wait_for_timeout(500)
        scene.check_stage(page)
        scene.press(page.locator("#float"))
    for button in ("#fold", "#drawer"):
        if page.locator(button).is_visible():
            scene.press(page.locator(button))
            scene.check_stage(page)
            scene.press(page.locator(button))
    scene.check_stage(page)


def trouble_with_the_picture(scene: Scene) -> None:
    size = {"width": 1280, "height": 720}
    with scene.open_stage() as (live, page):
        live.begin()
        live.step(1)
        expect(page.locator("#caption .is-live")).to_be_visible(timeout=STEP)
        live.tell(
            ("screen", {"state": "no_signal", "sentence": Message("screen.no_signal"), **size})
        )
        expect(page.locator("#caption .is-no_signal")).to_be_visible()
        scene.check_stage(page)
        live.tell(("screen", {"state": "lost", "sentence": Message("screen.closed"), **size}))
        expect(page.locator("#caption")).to_contain_text(scene.t("screen.lost"))
        live.tell(*looked(2), ("retry", {"seconds": 50.0}))
        expect(page.locator("article.step header").last).to_contain_text(scene.t("phase.waiting"))
        scene.check_stage(page)
        live.tell(("failed", {"text": GONE}))
        live.tell(("status", {"status": "failed", "reason": GONE}))
        expect(page.locator(".words.is-failed")).to_be_visible()
        scene.check_stage(page)


def offline_and_reconnect(scene: Scene) -> None:
    with scene.open_stage() as (live, _):
        page = scene.open()
        line = Line(page)
        page.goto(live.url)
        live.begin()
        work(live, 1, 2)
        expect(page.locator("article.step")).to_have_count(2)
        line.cut()
        expect(page.locator("#state .is-lost")).to_be_visible(timeout=STEP)
        scene.check_stage(page)
        work(live, 3, 4)
        live.tell(*looked(5), *answered(5))
        line.mend()
        expect(page.locator("article.step.is-open")).to_be_visible(timeout=STEP)
        expect(page.locator("#state .is-running")).to_be_visible()
        scene.check_stage(page)
        live.tell(*ended(5))
        page.locator("#panel-chat").evaluate("node => node.scrollTop = 0")
        numbers = page.locator("article.step .number").all_inner_texts()
        assert len(set(numbers)) == len(numbers)


FLOWS = (
    task_to_done,
    picture_enlarged,
    reasoning_and_raw_reply,
    live_picture,
    trouble_with_the_picture,
    offline_and_reconnect,
)
