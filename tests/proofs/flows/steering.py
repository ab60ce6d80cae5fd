"""Who steers: words while it runs, Pause and Stop, places pointed at, cards that ask, own tasks."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.support.browser import STEP

from .model import ASKING, FOREVER, LONG, PRESS, RISKY_KEY, RISKY_WORDS
from .scene import Scene


def _at_work(scene: Scene, task: str = FOREVER) -> Page:
    page = scene.open_demo()
    scene.send(page, task)
    expect(page.locator("article.step").first).to_be_visible(timeout=STEP)
    return page


def correction_while_it_runs(scene: Scene) -> None:
    page = _at_work(scene)
    page.locator("#box").fill("and look at the date as well")
    scene.check_stage(page)
    scene.press(page.locator("#send"))
    expect(page.locator(".is-said")).to_contain_text("the date")
    scene.check_stage(page)
    expect(page.locator(".is-said small")).not_to_have_text(scene.t("chat.queued"), timeout=STEP)
    scene.check_stage(page)


def pause_and_resume(scene: Scene) -> None:
    page = _at_work(scene)
    scene.press(page.locator("#pause"))
    expect(page.locator("#state .is-paused")).to_be_visible()
    scene.check_stage(page)
    scene.send(page, "half past seven will do")
    expect(page.locator("#state .is-paused")).to_be_hidden(timeout=STEP)
    expect(page.locator(".is-said")).to_contain_text("will do")
    scene.check_stage(page)
    scene.press(page.locator("#stop"))
    expect(page.locator("#state .is-stopped")).to_be_visible()
    expect(page.locator("#pause")).to_have_text(scene.t("resume"))
    scene.check_stage(page)
    scene.press(page.locator("#pause"))
    expect(page.locator("#state .is-stopped")).to_be_hidden()
    scene.check_stage(page)


def esc_twice(scene: Scene) -> None:
    page = _at_work(scene)
    page.locator("#box").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("#state .is-stopped")).to_be_visible()
    scene.check_stage(page)


def point_and_tell(scene: Scene) -> None:
    page = scene.open_demo()
    page.locator("#box").fill("click here")
    place = page.locator("#pointed")
    area = place.bounding_box()
    assert area
    spot = {"x": area["width"] * 0.25, "y": area["height"] * 0.5}
    if scene.touch:
        place.tap(position={"x": spot["x"], "y": spot["y"]})
    else:
        place.click(position={"x": spot["x"], "y": spot["y"]})
    expect(page.locator("#box")).to_have_value(re.compile("click here → .*2[45]"))
    expect(place.locator(".mark")).to_have_count(1)
    scene.check_stage(page)


def approval_refused(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, RISKY_WORDS)
    card = page.locator("#approval")
    expect(card).to_be_visible(timeout=STEP)
    scene.check_stage(page)
    card.get_by_role("textbox").fill("Not that folder.")
    page.wait_for_timeout(500)  # at first it takes no click
    scene.press(page.locator("#refuse"))
    expect(card).to_be_hidden()
    expect(page.locator("#chat")).to_contain_text("Not that folder", timeout=STEP)
    scene.check_stage(page)


def approval_allowed(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, RISKY_KEY)
    card = page.locator("#approval")
    expect(card).to_be_visible(timeout=STEP)
    page.wait_for_timeout(500)
    allow = page.locator("#allow")
    if scene.touch:
        allow.dispatch_event("pointerdown")
        page.wait_for_timeout(300)
        scene.keep(page, "held")
    else:
        allow.click()
    expect(card).to_be_hidden(timeout=STEP)
    expect(page.locator("#chat")).to_contain_text(scene.t("note.allowed"))
    scene.check_stage(page)


def question(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, ASKING)
    asked = page.locator(".words.is-question")
    expect(asked).to_be_visible(timeout=STEP)
    expect(page.locator("#state .is-asking")).to_be_visible()
    if not scene.touch:  # there the keyboard would cover the page
        expect(page.locator("#box")).to_be_focused()
    scene.check_stage(page)
    scene.send(page, "the left one")
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.check_stage(page)


def own_tasks(scene: Scene) -> None:
    page = scene.open_demo()
    for task in (PRESS, LONG):
        scene.send(page, task)
        expect(page.locator("#chat .is-task")).to_contain_text(task)
        page.locator("#reset").dblclick()
        expect(page.locator(".empty")).to_be_visible()
    rows = page.locator(".shelf li")
    expect(rows).to_have_count(2)
    scene.press(rows.last.get_by_role("button").nth(1))
    expect(rows.first.get_by_role("button").nth(1)).to_have_attribute("aria-pressed", "true")
    rows.first.scroll_into_view_if_needed()
    scene.check_stage(page)
    scene.press(rows.first.get_by_role("button").first)
    expect(page.locator("#box")).to_have_value(PRESS)
    scene.press(rows.last.get_by_role("button").last)
    expect(rows).to_have_count(1)
    scene.check_stage(page)


FLOWS = (
    correction_while_it_runs,
    pause_and_resume,
    esc_twice,
    point_and_tell,
    approval_refused,
    approval_allowed,
    question,
    own_tasks,
)
