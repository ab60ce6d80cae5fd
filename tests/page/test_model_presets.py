"""What the page does about models: filling in a server, and counting down to the next try."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import DESKTOP, agree, keep, needs_browser, opened, turn_to
from tests.support.page_views import service
from tests.support.scripted_service import looked, stage

pytestmark = needs_browser
REPEATED_IDS = """() => {
  const ids = [...document.querySelectorAll('[id]')].map(({id}) => id);
  return ids.filter((id, index) => ids.indexOf(id) < index);
}"""
CHECK = 60_000


def test_a_chosen_server_is_filled_in_and_another_one_pointed_out(browser: Browser) -> None:
    faults: list[str] = []
    with stage('api_type="openai"') as live:
        page = opened(browser, live.url, DESKTOP, faults)
        turn_to(page, "Settings")
        page.get_by_label("Provider", exact=True).select_option("ollama")
        expect(page.locator("#set-base_url")).to_have_value("http://localhost:11434/v1")
        expect(page.locator("#set-api_type")).to_have_value("openai")
        page.locator("#set-model_name").fill("claude-opus-5")
        note = page.locator(".field", has=page.locator("#set-model_name")).get_by_role("status")
        expect(note).to_have_text("Anthropic serves this model: choose Anthropic as the provider.")
        expect(note).to_be_in_viewport(ratio=1)
        provider = page.get_by_label("Provider", exact=True)
        bar = page.locator("#settings .submit").get_by_role("status")
        expect(bar).to_have_text("2 unsaved changes")
        page.locator("#set-api_type").select_option("local")
        expect(note).to_be_hidden()
        expect(provider).to_have_value("local")
        expect(bar).to_have_text("1 unsaved change")
        page.locator("#set-api_type").select_option("dashscope")
        expect(provider).to_have_value("dashscope")
        url, name = page.locator("#set-base_url"), page.locator("#set-model_name")
        expect(url).to_have_value("")
        expect(name).to_have_value("qwen3-vl-plus")
        url.fill("http://localhost:11434/v1")
        key = page.locator("#set-api_key")
        key.fill("sk-typed")
        page.locator("#set-api_type").select_option("openai")
        expect(provider).to_have_value("ollama")  # with what was entered for it
        expect(url).to_have_value("http://localhost:11434/v1")
        expect(name).to_have_value("claude-opus-5")
        expect(note).to_contain_text("Anthropic")
        expect(key).to_have_value("")  # it was entered for another
        page.locator("#set-api_type").select_option("dashscope")
        expect(key).to_have_value("sk-typed")
        page.locator("#set-api_type").select_option("anthropic")
        url.fill("https://models.example")
        page.locator("#language").click()  # all fields are drawn anew
        expect(page.get_by_label("服务商", exact=True)).to_have_value("anthropic")
        expect(url).to_have_value("https://models.example")
        page.context.close()
    assert faults == []


def test_back_to_local_leaves_nothing_of_a_server_to_be_saved(browser: Browser) -> None:
    with stage('api_type="local"') as live:
        page = opened(browser, live.url, DESKTOP, [])
        turn_to(page, "Settings")
        api_type = page.locator("#set-api_type")
        api_type.select_option("openai")
        expect(page.locator("#set-model_name")).to_have_value("qwen3-vl-plus")  # the saved one
        entered = {"base_url": "http://localhost:8000/v1", "api_key": "sk", "model_name": "m"}
        for name, value in entered.items():
            page.locator(f"#set-{name}").fill(value)
        api_type.select_option("local")
        bar = page.locator("#settings .submit").get_by_role("status")
        expect(bar).to_have_text("")
        api_type.select_option("openai")
        page.locator("#language").click()  # all fields are drawn anew
        expect(page.get_by_label("服务商", exact=True)).to_be_visible()
        for name, value in entered.items():
            expect(page.locator(f"#set-{name}")).to_have_value(value)
        page.context.close()


def test_the_line_under_the_picture_names_the_model_of_the_run(browser: Browser) -> None:
    server = 'base_url="http://localhost:8000/v1"'
    with stage('api_type="openai"', server, 'model_name="first"') as live:
        page = opened(browser, live.url, DESKTOP, [])
        line = page.locator("#demo")
        expect(line).to_contain_text("first")
        live.begin()
        screen = {"state": "live", "sentence": "", "width": 1280, "height": 720}
        saved = {"model": "second", "demo": False, "status": "running", "screen": screen}
        live.tell(("session_started", {**saved, "reach": ""}), *looked(1))
        expect(page.locator("article.step")).to_have_count(1)
        expect(line).to_contain_text("first")
        live.tell(("status", {"status": "done", "reason": ""}))
        expect(line).to_contain_text("second")
        page.context.close()


def test_a_wait_for_a_busy_server_counts_down(browser: Browser) -> None:
    faults: list[str] = []
    with stage() as live:
        page = opened(browser, live.url, DESKTOP, faults)
        live.begin()
        live.tell(*looked(1), ("retry", {"seconds": 50.0}))
        heading = page.locator("article.step header")
        amber = page.locator("article.step.is-waiting, #state .is-waiting")
        expect(amber).to_have_count(2)
        expect(heading).to_contain_text(re.compile(r"retry in (50|4\d) s"))
        expect(heading).to_contain_text(re.compile(r"retry in 4\d s"))
        live.tell(("retry", {"seconds": 0}))
        expect(heading).to_contain_text("Thinking")
        expect(amber).to_have_count(0)
        live.tell(("retry", {"seconds": 50.0, "phase": "failing"}))
        expect(heading).to_contain_text(re.compile(r"Server error\s*retry in (50|4\d) s"))
        live.tell(("retry", {"seconds": 50.0, "phase": "empty"}))
        expect(heading).to_contain_text(re.compile(r"Empty reply\s*retry in (50|4\d) s"))
        live.tell(("retry", {"seconds": 50.0, "phase": "reconnecting"}))
        expect(heading).to_contain_text(re.compile(r"Connection failed\s*retry in (50|4\d) s"))
        expect(page.locator("#glance")).to_contain_text("Connection failed")
        page.context.close()
    assert faults == []


def test_a_failure_is_told_by_card_and_header_in_one_voice(browser: Browser) -> None:
    with stage() as live:
        page = opened(browser, live.url, DESKTOP, [])
        live.begin()
        live.tell(*looked(1), ("failed", {"text": "The key is wrong."}))
        expect(page.locator("#chat .is-failed p").last).to_have_text("The key is wrong.")
        expect(page.locator("#state .chip")).to_have_text("Failed")
        again = page.get_by_role("button", name="Try again")
        for words, look in (("x", "rgb(255, 255, 255)"), ("", "rgb(52, 87, 213)")):
            page.locator("#box").fill(words)
            expect(again).to_have_css("background-color", look)
        phase = page.locator("article.step .phase")
        expect(phase).to_have_text("Failed")  # it has no other words; the card after it says why
        live.tell(("status", {"status": "failed", "reason": "The key is wrong."}))
        live.begin("Again")
        live.tell(*looked(1), ("status", {"status": "stopped", "reason": "Stopped."}))
        expect(phase.last).to_have_text("Interrupted")
        page.context.close()


def test_the_check_up_is_in_settings_also_after_a_hasty_end_of_the_first_run(
    browser: Browser,
) -> None:
    faults: list[str] = []
    with (
        service("--model", "settings") as url,
        in_a_thread(OpenAIServer(lambda _: {"text": "Done"}, key="the-key")) as model,
    ):
        page = opened(browser, url, DESKTOP, faults)
        agree(page)
        page.get_by_label("Provider", exact=True).select_option("vllm")
        page.get_by_label("Base URL").fill(f"{model}/v1")
        page.get_by_label("Model name", exact=True).fill("m")
        submit = page.locator("#first [type=submit]")
        submit.click()
        expect(page.locator("#first .error:not([hidden])")).to_contain_text("API key")
        expect(page.locator("#state")).to_contain_text("No model connected")
        page.get_by_label("API key").fill("the-key")
        submit.click()
        expect(page.locator("#first .checkup")).to_be_visible()
        expect(page.locator("#state")).to_contain_text("Ready")
        simulated = page.locator("#first").get_by_role("button", name="simulated computer")
        expect(simulated).to_have_text("Use the simulated computer")  # and not to try it
        page.get_by_role("button", name="Check the model").click()
        expect(page.locator("#first .report")).to_contain_text("Not usable", timeout=CHECK)
        keep(page, "desktop-first-not-usable")
        change = page.locator("#first .buttons > .primary")
        expect(change).to_have_text("Change the model")
        places = page.locator("#first > .buttons > button").evaluate_all(
            "nodes => nodes.map((node) => node.getBoundingClientRect().top)"
        )
        assert len({*places}) == 1, "they do not wrap"
        change.click()
        expect(page.locator("#first-preset")).to_be_focused()
        expect(page.locator("#first-preset")).to_have_value("vllm")  # at any address
        expect(page.locator("#set-model_name")).to_be_attached()  # Settings have it too
        assert page.evaluate(REPEATED_IDS) == []
        model_name = page.locator("#first").get_by_label("Model name", exact=True)
        expect(model_name).to_have_value("m")
        submit.click()
        expect(page.locator("#first .report")).to_contain_text("Not usable")
        page.locator("#first .report").get_by_role("button", name="Open setting").click()
        dialect = page.locator("#first [name=dialect]")
        expect(dialect).to_be_focused()
        expect(dialect).to_be_in_viewport(ratio=1)
        dialect.select_option("json")
        submit.click()
        expect(page.get_by_role("button", name="Check the model")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#first")).to_be_hidden()
        turn_to(page, "Settings")
        expect(page.locator("#group-model .checkup")).to_be_visible()
        turn_to(page, "Chat")
        expect(page.locator(".empty p").first).to_have_text(re.compile("^Describe the task"))
        expect(page.locator(".examples")).to_contain_text("Set DNS server")  # it can do that
        keep(page, "desktop-simulated-with-a-model")
        page.context.close()
    assert [fault for fault in faults if "502" not in fault] == []
