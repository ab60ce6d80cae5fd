"""The check-up in a real Chromium: from its button in Settings to the cure, at two sizes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.evaluation.checkup.scripted_models import Seer, thousandths
from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import DESKTOP, PHONE, agree, keep, needs_browser, opened, turn_to
from tests.support.page_views import service

pytestmark = needs_browser
CHECK = 90_000
USAGE = {
    "prompt_tokens": 20,
    "completion_tokens": 5,
    "prompt_tokens_details": {"cached_tokens": 10},
}


@pytest.fixture
def demo() -> Iterator[str]:
    """The demo's computer with a model that always counts in thousandths."""
    with (
        in_a_thread(OpenAIServer(Seer(thousandths, delay=0.05, usage=USAGE))) as model,
        service(
            "--model",
            "settings",
            CUA_API_TYPE="openai",
            CUA_BASE_URL=f"{model}/v1",
            CUA_MODEL_NAME="some-model",
        ) as url,
    ):
        yield url


def test_from_the_button_to_the_cure(browser: Browser, demo: str) -> None:
    faults: list[str] = []
    desk = opened(browser, demo, DESKTOP, faults)
    agree(desk)
    phone = opened(browser, demo, PHONE, faults, "zh-CN")
    turn_to(desk, "Settings")
    turn_to(phone, "设置")
    start = desk.get_by_role("button", name="Check the model")
    start.click()
    desk.get_by_role("button", name="Stop check-up").click()
    expect(desk.locator(".checkup")).to_contain_text("The check-up was stopped.")

    start.click()
    expect(desk.locator(".checkup")).to_contain_text("Target “", timeout=CHECK)
    keep(desk, "desktop-6-check-up-running")
    expect(desk.locator(".report")).to_contain_text("Not usable", timeout=CHECK)
    expect(desk.locator(".report")).to_contain_text("Tried: 3 of 3 hit.")
    desk.locator(".report").scroll_into_view_if_needed()
    keep(desk, "desktop-7-check-up-cure")
    phone.locator(".report").scroll_into_view_if_needed()
    keep(phone, "phone-7-check-up-cure")

    desk.get_by_role("button", name="Apply fix").click()
    expect(desk.locator("[name=dialect]")).to_have_value("json")
    start.click()
    expect(desk.locator(".report")).to_contain_text("Ready", timeout=CHECK)
    expect(desk.locator(".shots .hit")).to_have_count(12)
    expect(desk.locator(".shots img")).to_be_visible()
    desk.locator(".shots").scroll_into_view_if_needed()
    keep(desk, "desktop-8-check-up-ready")
    expect(phone.locator(".shots img")).to_be_visible()
    phone.locator(".report").scroll_into_view_if_needed()
    expect(phone.locator(".report dd").last).to_have_text("有，20 个 token 中的 10 个")
    keep(phone, "phone-8-check-up-ready")
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Download JSON").click()
    assert json.loads(download.value.path().read_text())["verdict"] == "ready"

    desk.reload()
    turn_to(desk, "Settings")
    expect(desk.locator(".report")).to_contain_text(re.compile("Ready: some-model"))
    assert faults == []
