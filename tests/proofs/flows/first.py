"""A newcomer: the notice, the model, a try where nothing can break."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.evaluation.checkup.scripted_models import Seer, fractions
from tests.evaluation.checkup.test_page import CHECK
from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import STEP

from .scene import Scene


def first_run(scene: Scene) -> None:
    with (
        in_a_thread(OpenAIServer(Seer(fractions))) as model,
        scene.open_stage("notice_acknowledged=false", 'api_type="openai"') as (_, page),
    ):
        expect(page.locator("#notice")).to_be_visible()
        scene.check_stage(page)
        scene.press(page.locator("#understood"))
        expect(page.locator("#first-title")).to_be_visible()
        scene.check_stage(page)
        page.locator("#first-preset").select_option("ollama")
        page.locator("#first [name=base_url]").fill(f"{model}/v1")
        page.locator("#first [name=model_name]").fill("some-model")
        page.locator("#first [name=api_key]").fill("canary-key")
        scene.check_stage(page)
        scene.press(page.locator("#first [type=submit]"))
        check = page.locator("#first .checkup")
        expect(check).to_be_visible()
        scene.check_stage(page)
        scene.press(check.get_by_role("button", name=scene.t("checkup.start")))
        expect(check.locator(".shots img")).to_be_visible(timeout=CHECK)
        check.locator(".shots").scroll_into_view_if_needed()
        scene.check_stage(page)
        scene.press(page.locator("#first").get_by_role("button", name=scene.t("simulator.begin")))
        expect(page.locator("#first")).to_be_hidden(timeout=STEP)
        expect(page.locator("#demo")).to_be_visible()
        expect(page.locator("#caption .is-live")).to_be_visible(timeout=STEP)
        scene.check_stage(page)
        end = page.get_by_role("button", name=scene.t("simulator.end"))
        scene.press(end)
        expect(end).to_be_hidden(timeout=STEP)
        scene.check_stage(page)


FLOWS = (first_run,)
