"""Settings, and the language of the page."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from tests.support.browser import STEP, turn_to_group

from .model import FOREVER
from .scene import Scene


def _opened(scene: Scene, page: Page) -> Page:
    expect(page.locator("#caption .is-live")).to_be_visible()
    scene.turn_to(page, "settings")
    expect(page.locator("[name=max_rounds]")).to_be_visible()
    return page


def settings_searched(scene: Scene) -> None:
    page = _opened(scene, scene.open_demo())
    scene.check_stage(page)
    page.locator("#settings-search").fill("max_rounds")
    expect(page.locator("[name=max_rounds]")).to_be_visible()
    expect(page.locator("[name=api_type]")).to_be_hidden()
    scene.check_stage(page)
    page.locator("#settings-search").fill("")
    turn_to_group(page, scene.t("group.kvm"))
    expect(page.locator("[name=kvm]")).to_be_in_viewport(ratio=1)
    scene.check_stage(page)
    scene.press(page.locator("#advanced-kvm summary"))
    page.locator("[name=stream_url]").scroll_into_view_if_needed()
    scene.check_stage(page)


def settings_checked_in_place(scene: Scene) -> None:
    scene.allowed_fault = "422"
    with scene.open_stage('api_type="openai"') as (_, page):
        _opened(scene, page)
        page.locator("[name=max_rounds]").fill("many")
        page.locator("[name=base_url]").fill("ftp://x")
        submit = page.locator("#settings [type=submit]")
        scene.press(submit)
        expect(page.locator("#why-max_rounds")).to_be_visible()
        expect(page.locator("#why-base_url")).to_be_in_viewport()
        scene.check_stage(page)
        page.locator("[name=base_url]").fill("")
        page.locator("[name=max_rounds]").fill("33")
        expect(page.locator("#settings [aria-invalid]")).to_have_count(0)
        scene.press(submit)
        saved = page.locator("#settings .submit .help")
        expect(saved).to_contain_text(scene.t("settings.saved"))
        scene.check_stage(page)


def settings_taken_along_and_restored(scene: Scene) -> None:
    with scene.open_stage() as (_, page):
        _opened(scene, page)
        rounds = page.locator("[name=max_rounds]")
        default = rounds.input_value()
        rounds.fill("42")
        field = page.locator(".field", has=rounds)
        field.scroll_into_view_if_needed()
        scene.check_stage(page)
        sheet = page.locator(".sheet")
        scene.press(sheet.get_by_role("button", name=scene.t("settings.more")))
        with page.expect_download() as download:
            scene.press(sheet.get_by_role("button", name=scene.t("settings.export"), exact=True))
        file = scene.folder / "settings.json"
        download.value.save_as(file)
        assert json.loads(file.read_text("utf-8"))["max_rounds"] == 42
        scene.press(field.locator(".restore"))
        expect(rounds).to_have_value(default)
        page.locator("#settings input[type=file]").set_input_files(file)
        expect(rounds).to_have_value("42")
        expect(sheet).to_contain_text(scene.t("settings.imported"))
        sheet.scroll_into_view_if_needed()
        scene.check_stage(page)
        scene.press(sheet.get_by_role("button", name=scene.t("settings.more")))
        scene.press(sheet.get_by_role("button", name=scene.t("settings.restore")))
        expect(rounds).to_have_value(default)
        scene.check_stage(page)
        file.unlink()


def language_switched(scene: Scene) -> None:
    page = scene.open_demo()
    scene.send(page, FOREVER)
    expect(page.locator("article.step .thought").first).to_be_visible(timeout=STEP)
    scene.check_stage(page)
    scene.press(page.locator("#language"))
    scene.language = "zh-CN" if scene.language == "en-US" else "en-US"
    expect(page.locator("#send")).to_have_text(scene.t("send"))
    scene.check_stage(page)
    for view in ("settings", "history", "log"):
        scene.turn_to(page, view)
        scene.check_stage(page)


FLOWS = (
    settings_searched,
    settings_checked_in_place,
    settings_taken_along_and_restored,
    language_switched,
)
