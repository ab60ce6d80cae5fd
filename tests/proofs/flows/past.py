"""What was: tasks found and played again, taken along, and the log."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.support.browser import STEP

from .model import NOTE, PRESS
from .scene import Scene


def history_replay_export(scene: Scene) -> None:
    page = scene.open_demo()
    for task in (PRESS, NOTE):
        scene.send(page, task)
        expect(page.locator("#chat .is-task").last).to_contain_text(task)
        expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.turn_to(page, "history")
    expect(page.locator(".task").nth(1)).to_be_visible()
    scene.check_stage(page)
    page.locator("#history-search").fill("hello WRITE")
    expect(page.locator(".task .goal").first).to_have_text(NOTE)
    scene.check_stage(page)
    scene.press(page.locator(".task").first)
    shown = page.locator(".replay > div > .shot img")
    expect(shown).to_have_js_property("naturalWidth", 1280)
    scene.check_stage(page)
    page.locator(".scrub input").press("End")
    expect(shown).to_have_js_property("naturalWidth", 1280)
    scene.check_stage(page)
    for form in ("html", "json"):
        with page.expect_download() as download:
            scene.press(page.get_by_role("button", name=scene.t(f"history.{form}")))
        file = download.value.path().read_text("utf-8")
        assert NOTE in file
        assert form == "html" or len(json.loads(file)["events"]) > 5
    scene.press(page.get_by_role("button", name=scene.t("history.again")))
    expect(page.locator("#box")).to_have_value(NOTE)
    scene.check_stage(page)


def exported_page(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, NOTE)
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.turn_to(page, "history")
    scene.press(page.locator(".task").first)
    with page.expect_download() as download:
        scene.press(page.get_by_role("button", name=scene.t("history.html")))
    file = scene.folder / f"{scene.size}.html"
    download.value.save_as(file)
    exported = scene.open(file.absolute().as_uri())
    expect(exported.locator("img").first).to_be_visible()
    scene.keep(exported, "1")


def log_found_and_taken_along(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, PRESS)
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.turn_to(page, "log")
    expect(page.locator("#log > li").first).to_be_visible()
    scene.check_stage(page)
    page.locator("#log-search").fill("f1 press")
    expect(page.locator("#log-note")).not_to_be_empty()
    scene.check_stage(page)
    page.locator("#log-search").fill("")
    scene.press(page.locator("#log-problems"))
    expect(page.locator("#log-problems")).to_have_attribute("aria-pressed", "true")
    scene.press(page.locator("#log-problems"))
    with page.expect_download() as download:
        scene.press(page.locator("#log-download"))
    assert PRESS in download.value.path().read_text("utf-8")


FLOWS = (history_replay_export, exported_page, log_found_and_taken_along)
