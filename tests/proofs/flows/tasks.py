"""Tasks: planned, queued, with parameters, with files; how they end; texts that are pasted."""

from __future__ import annotations

import re

from playwright.sync_api import FilePayload, expect

from tests.servers.mjpeg_server import picture
from tests.support.browser import STEP

from .model import ASKING, FAILING, FOREVER, PLANNED, PRESS, REPORT
from .scene import Scene


def plan_first(scene: Scene) -> None:
    page = scene.open_demo()
    page.locator("#box").fill(PLANNED)
    page.locator("#plan-first").check()
    scene.check_stage(page)
    scene.press(page.locator("#send"))
    items = page.locator(".plan.is-edited textarea")
    expect(items).to_have_count(3, timeout=STEP)
    scene.check_stage(page)
    items.first.fill("Open the calendar from the menu, and wait until all of the month can be read")
    scene.check_stage(page)
    scene.press(page.get_by_role("button", name=scene.t("plan.start"), exact=True))
    expect(page.locator("#plan-line")).to_be_visible(timeout=STEP)
    expect(page.locator("article.step").first).to_be_visible(timeout=STEP)
    scene.press(page.locator("#plan-line summary"))
    scene.check_stage(page)
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.check_stage(page)


def tasks_in_a_queue(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, FOREVER)
    expect(page.locator("article.step").first).to_be_visible(timeout=STEP)
    for task in (PRESS, ASKING, PLANNED):
        page.locator("#box").fill(task)
        scene.press(page.locator("#queue-add"))
        expect(page.locator("#queue li").last).to_contain_text(task)
    scene.check_stage(page)
    scene.press(page.locator("#stop"))
    expect(page.locator("#state .is-stopped")).to_be_visible()
    scene.check_stage(page)
    page.locator("#reset").dblclick()
    rows = page.locator("#queue li")
    for left in (2, 1, 0):
        scene.press(rows.first.get_by_role("button").last)
        expect(rows).to_have_count(left)


def task_with_parameters(scene: Scene) -> None:
    page = scene.open_demo()
    page.locator("#box").fill("create the user {name} in {group}")
    scene.press(page.locator("#send"))
    form = page.get_by_role("dialog")
    expect(form.get_by_role("textbox")).to_have_count(2)
    form.get_by_role("textbox").first.fill("mira")
    scene.check_stage(page)


def files_in_a_message(scene: Scene) -> None:
    page = scene.open_demo()
    page.locator("#box").fill(PRESS)
    with page.expect_file_chooser() as chosen:
        scene.press(page.locator("#attach"))
    notes = FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"use port 8080\n" * 30)
    chosen.value.set_files(
        [notes, FilePayload(name="desk.jpg", mimeType="", buffer=picture("desk"))]
    )
    expect(page.locator(".files li")).to_have_count(2)
    expect(page.locator(".files [aria-busy]")).to_have_count(0)
    scene.check_stage(page)
    scene.press(page.locator("#send"))
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.press(page.locator(".attached summary"))
    scene.check_stage(page)


def endings(scene: Scene) -> None:
    """A long answer, and a task that failed."""
    page = scene.open_demo()
    scene.send(page, REPORT)
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.check_stage(page)
    page.locator("#panel-chat").evaluate("node => node.scrollTo(0, 0)")
    scene.check_stage(page)
    scene.send(page, FAILING)
    expect(page.locator("#state .is-failed")).to_be_visible(timeout=STEP)
    scene.check_stage(page)


def text_pasted(scene: Scene) -> None:
    with scene.open_stage("take_over=true") as (_, page):
        expect(page.locator("#caption .is-live")).to_be_visible(timeout=STEP)
        scene.press(page.locator("#paste"))
        dialog = page.get_by_role("dialog")
        scene.check_stage(page)
        dialog.get_by_role("textbox").fill("rm -rf /srv/old\n")
        scene.press(dialog.locator("[type=submit]"))
        expect(dialog.get_by_role("alert").filter(has_text=re.compile("."))).to_be_visible()
        scene.check_stage(page)


FLOWS = (
    plan_first,
    tasks_in_a_queue,
    task_with_parameters,
    files_in_a_message,
    endings,
    text_pasted,
)
