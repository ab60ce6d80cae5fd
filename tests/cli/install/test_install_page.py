"""The installer's page in a real Chromium: a click, a second visitor, the real page after it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.cli.install.package_index import WHEEL, alone, index, program, site_without, wheel
from tests.cli.install.test_install import NOWHERE, started
from tests.cli.install.test_on_demand import OCR, program_with_extra
from tests.support.browser import DESKTOP, PHONE, STEP, keep, needs_browser, opened, turn_to

pytestmark = needs_browser

MODEL = {
    "CUA_API_TYPE": "openai",
    "CUA_BASE_URL": "http://127.0.0.1:8999/v1",
    "CUA_MODEL_NAME": "scripted",
}

DEMO = ("--demo", "--model", "settings", "--access", "first-visitor")


def test_one_click_leads_to_the_assistant(browser: Browser, tmp_path: Path) -> None:
    body = wheel()
    place = program(tmp_path, body)
    faults: list[str] = []
    with (
        index(body, halting=True) as packages,
        started(place, MODEL | packages.environ, *DEMO) as start,
    ):
        page = opened(browser, start.origin, DESKTOP, faults)
        button = page.get_by_role("button", name="Install Dependencies")
        expect(button).to_be_enabled(timeout=STEP)
        watcher = opened(browser, start.origin, PHONE, faults)
        expect(watcher.get_by_text("Another page controls the installation")).to_be_visible(
            timeout=STEP
        )
        expect(watcher.get_by_role("button", name="Install Dependencies")).to_be_disabled()
        keep(page, "install")
        button.click()
        expect(watcher.get_by_role("progressbar")).to_be_visible(timeout=STEP)
        expect(page.get_by_text("Downloading")).to_be_visible(timeout=STEP)
        keep(page, "install-running")
        keep(watcher, "install-running-phone")
        watcher.context.close()
        packages.halt.set()
        expect(page.get_by_role("button", name="I understand")).to_be_visible(timeout=STEP)
        # a page learns by a 404 that another program answers by now
        assert [each for each in faults if "404" not in each] == []
        page.context.close()


def test_a_fault_and_its_fix_are_shown(browser: Browser, tmp_path: Path) -> None:
    faults: list[str] = []
    place = program(tmp_path, wheel())
    with started(place, MODEL | alone(NOWHERE), *DEMO) as start:
        page = opened(browser, start.origin, PHONE, faults)
        expect(page.get_by_text("1 package: ")).to_be_visible()
        page.get_by_role("button", name="Install Dependencies").click()
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached", timeout=STEP)
        expect(page.get_by_role("button", name="Try again")).to_be_enabled()
        keep(page, "install-fault-phone")
        assert faults == []
        page.context.close()


def test_a_service_that_ended_is_said_and_the_next_one_heard(
    browser: Browser, tmp_path: Path
) -> None:
    body = wheel()
    place = program(tmp_path, body)
    with index(body, halting=True) as first, index(body, halting=True) as second:
        with started(place, MODEL | first.environ, *DEMO) as start:
            page = opened(browser, start.origin, PHONE, [])
            page.get_by_role("button", name="Install Dependencies").click()
            lines = page.locator("#lines")
            expect(lines).to_contain_text("Downloading", timeout=STEP)
            start.process.terminate()
            expect(page.get_by_role("alert")).to_contain_text(
                "No response from the service", timeout=STEP
            )
            keep(page, "install-silent-phone")
        port = start.origin.rpartition(":")[2]
        with started(place, MODEL | second.environ, *DEMO, "--port", port):
            expect(lines).to_contain_text(second.environ["PIP_INDEX_URL"], timeout=STEP)
            expect(lines).not_to_contain_text(first.environ["PIP_INDEX_URL"])
            expect(page.get_by_role("alert")).to_be_hidden()
            page.context.close()


WORDS = {
    "en-US": ("Settings", "Needs more packages: 0.3 MB", "Install packages", "not what was"),
    "zh-CN": ("设置", "0.3 MB", "安装软件包", "不符"),
}
IN_BUNDLE = {
    "en-US": "are in the offline bundle: 0.4 MB on disk",
    "zh-CN": "离线包中已有：占用 0.4 MB",
}
DONE = {"en-US": "Packages installed.", "zh-CN": "软件包已装好。"}


@pytest.mark.parametrize(
    ("size", "language"),
    [pytest.param(DESKTOP, "en-US", marks=pytest.mark.slow), (PHONE, "zh-CN")],
)
def test_settings_install_what_a_choice_needs(
    browser: Browser, tmp_path: Path, size: tuple[int, int], language: str
) -> None:
    faults: list[str] = []
    place, environ = program_with_extra(tmp_path), {"CUA_NOTICE_ACKNOWLEDGED": "1"}
    environ["PYTHONPATH"] = str(site_without(tmp_path, "rapidocr"))
    settings, needed, install, wrong = WORDS[language]
    wheels = place / "wheels"
    with (
        index(OCR, halting=True) as packages,
        started(place, environ | packages.environ, *DEMO) as start,
    ):
        page = opened(browser, start.origin, size, faults, language)
        turn_to(page, settings)
        page.locator("[name=api_type]").select_option("local", timeout=STEP)
        part = page.locator(".field", has=page.locator("[name=api_type]")).locator(".extra")
        expect(part.get_by_role("status")).to_contain_text(needed)
        keep(page, f"extra-needed-{language}")
        wheels.mkdir()
        other = wheel(b"other", ["rapidocr"], "ocr")
        (wheels / WHEEL.replace("everything", "ocr")).write_bytes(other)
        part.get_by_role("button", name=install).click()
        expect(part.get_by_role("alert")).to_contain_text(wrong, timeout=STEP)
        expect(part.get_by_role("status")).to_contain_text(IN_BUNDLE[language])
        keep(page, f"extra-fault-{language}")
        shutil.rmtree(wheels)
        part.get_by_role("button", name=install).click()
        expect(part.get_by_role("progressbar")).to_be_visible(timeout=STEP)
        expect(part.get_by_role("button")).to_be_hidden()
        expect(part.get_by_role("alert")).to_be_hidden()
        keep(page, f"extra-running-{language}")
        packages.halt.set()
        expect(part.get_by_role("status")).to_contain_text(DONE[language], timeout=STEP)
        keep(page, f"extra-done-{language}")
        page.locator("[name=api_type]").select_option("openai")
        expect(part).to_be_hidden()
        assert faults == []
        page.context.close()
