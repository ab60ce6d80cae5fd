"""The check-up in a real Chromium: from its button in Settings to the fix, at two sizes."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.evaluation.checkup.scripted_models import Seer, thousandths
from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import DESKTOP, PHONE, agree, keep, needs_browser, opened, turn_to
from tests.support.page_views import SAVE, service

pytestmark = needs_browser
CHECK = 90_000
USAGE = {
    "prompt_tokens": 20,
    "completion_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 10},
}


class HeldModel(Seer):
    """Counts in thousandths, and gives as many replies as were released."""

    def __init__(self) -> None:
        super().__init__(thousandths, usage=USAGE)
        self.replies = threading.Semaphore(0)

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        self.replies.acquire()
        return super().__call__(body)


@pytest.fixture
def model() -> HeldModel:
    return HeldModel()


@pytest.fixture
def demo(model: HeldModel) -> Iterator[str]:
    with (
        in_a_thread(OpenAIServer(model)) as url,
        service(
            "--model",
            "settings",
            CUA_API_TYPE="openai",
            CUA_BASE_URL=f"{url}/v1",
            CUA_MODEL_NAME="some-model",
        ) as page,
    ):
        yield page
        model.replies.release(1000)  # its server ends after the last request


def test_from_the_button_to_the_fix(browser: Browser, demo: str, model: HeldModel) -> None:
    faults: list[str] = []
    desk = opened(browser, demo, DESKTOP, faults)
    agree(desk)
    phone = opened(browser, demo, PHONE, faults, "zh-CN")
    turn_to(desk, "Settings")
    turn_to(phone, "设置")
    start = desk.get_by_role("button", name="Check the model")
    start.click()
    desk.get_by_role("button", name="Stop the check").click()
    expect(desk.locator(".checkup")).to_contain_text("The model check was stopped.")

    start.click()
    model.replies.release(8)
    expect(desk.locator(".checkup")).to_contain_text("Target “", timeout=CHECK)
    keep(desk, "desktop-6-check-up-running")
    model.replies.release(1000)
    expect(desk.locator(".report")).to_contain_text("Not usable", timeout=CHECK)
    expect(desk.locator(".report")).to_contain_text("Tried: 3 of 3 hit.")
    expect(desk.locator(".report h2")).to_be_in_viewport(ratio=1)
    keep(desk, "desktop-7-check-up-fix")
    phone.locator(".report").scroll_into_view_if_needed()
    expect(phone.locator(".report")).to_contain_text("在屏幕之外")
    keep(phone, "phone-7-check-up-fix")

    desk.get_by_role("button", name="Apply fix").click()
    for page in (desk, phone):
        expect(page.locator("[name=dialect]")).to_have_value("json")
        expect(page.locator(".report")).to_be_empty()
    expect(desk.locator(".checkup")).to_contain_text("Settings changed. Check the model again.")
    start.click()
    expect(desk.locator(".report")).to_contain_text("Ready", timeout=CHECK)
    expect(desk.locator(".shots .hit")).to_have_count(12)
    expect(desk.locator(".shots img")).to_be_visible()
    desk.locator(".shots").scroll_into_view_if_needed()
    keep(desk, "desktop-8-check-up-ready")
    expect(phone.locator(".shots img")).to_be_visible()
    phone.locator(".report").scroll_into_view_if_needed()
    expect(phone.locator(".report dd").last).to_have_text("20 个 token 中的 10 个")
    keep(phone, "phone-8-check-up-ready")
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Download JSON").click()
    assert json.loads(download.value.path().read_text())["verdict"] == "ready"

    desk.reload()
    turn_to(desk, "Settings")
    expect(desk.locator(".report")).to_contain_text(re.compile("Ready: some-model"))

    while model.replies.acquire(blocking=False):
        pass
    desk.get_by_role("button", name="Check again").click()
    expect(desk.locator(".report")).to_be_empty()
    desk.evaluate(SAVE, {"screenshot_width": 800})
    model.replies.release(1000)
    outdated = "Settings changed. Check the model again."
    expect(desk.locator(".checkup")).to_contain_text(outdated, timeout=CHECK)
    expect(desk.locator(".report")).to_be_empty()
    assert faults == []
