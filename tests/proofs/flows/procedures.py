"""A task that is done becomes a procedure, which is looked at, changed and run."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.support.browser import STEP, TASK

from .model import NOTE
from .scene import Scene


def procedure_saved_edited_run(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, NOTE)
    card = page.locator("#chat .is-done").last
    expect(page.locator("#state .is-done")).to_be_visible(timeout=STEP)
    scene.press(card.get_by_role("button", name=scene.t("procedures.make")))
    form = page.get_by_role("dialog")
    name = form.get_by_role("textbox").first
    name.fill(f"note {scene.size}")
    scene.check_stage(page)
    scene.press(form.locator("[type=submit]"))
    expect(form).to_be_hidden(timeout=TASK)
    scene.check_stage(page)
    page.locator("#reset").dblclick()
    expect(page.locator(".empty")).to_be_visible()
    scene.check_stage(page)
    edit = scene.t("procedures.edit").replace("{name}", f"note {scene.size}")
    scene.press(page.get_by_role("button", name=edit))
    editor = page.get_by_role("dialog")
    expect(editor.get_by_role("listitem").first).to_be_visible()
    scene.check_stage(page)
    page.keyboard.press("Escape")
    expect(editor).to_be_hidden()
    run = scene.t("procedures.run_name").replace("{name}", f"note {scene.size}")
    scene.press(page.get_by_role("button", name=run))
    expect(page.locator("article.step").first).to_be_visible(timeout=TASK)
    scene.check_stage(page)
    scene.press(page.locator("#stop"))
    expect(page.locator("#state .is-stopped")).to_be_visible()
    scene.check_stage(page)


FLOWS = (procedure_saved_edited_run,)
