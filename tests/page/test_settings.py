"""The settings as a whole: found, compared with the defaults, taken along, and nothing lost."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import APIResponse, Browser, Page, Route, WebSocketRoute, expect

from cua.models.endpoint import ModelEndpoint
from tests.servers.http import in_a_thread
from tests.servers.mjpeg_server import picture
from tests.servers.nanokvm_server import NanoKvm
from tests.servers.openai_server import OpenAIServer
from tests.servers.site import running_in_a_thread
from tests.support.browser import (
    DESKTOP,
    DRAWN,
    LYING,
    PHONE,
    STEP,
    TABLET,
    ZOOMED,
    agree,
    keep,
    needs_browser,
    opened,
    turn_to,
    turn_to_group,
)
from tests.support.kvm_hardware import any_free_port
from tests.support.page_views import ASKED, SAVE
from tests.support.scripted_service import Stage, answered, looked, stage

pytestmark = needs_browser
SMALL = (320, 640)
DAY_S = 24 * 3600
PASSED = """node => node.dispatchEvent(
    new CustomEvent("report", { bubbles: true, detail: "ready" }))"""
DOT, NO_DOT = '"" / ""7px', "noneauto"
"""What stands after the name of a tab, what a screen reader says of it, and its width."""


def settings(browser: Browser, live: Stage, faults: list[str]) -> Page:
    page = opened(browser, live.url, DESKTOP, faults)
    turn_to(page, "Settings")
    expect(page.locator("[name=max_rounds]")).to_be_visible()
    return page


def test_a_setting_is_found_by_a_word_and_what_is_not_used_or_advanced_is_not_in_the_way(
    browser: Browser, live: Stage
) -> None:
    page = settings(browser, live, [])
    page.get_by_role("searchbox").fill("max steps")
    expect(page.locator("[name=max_rounds]")).to_be_visible()
    expect(page.locator("label[for=set-max_rounds] mark")).to_have_text(["Max", "steps", "MAX"])
    expect(page.locator(".rail .is-found")).to_have_text("Model")
    expect(page.locator("[name=api_type]")).to_be_hidden()
    expect(page.locator("#preset")).to_be_hidden()
    expect(page.locator("#secret-name")).to_be_hidden()
    page.locator("[name=max_rounds]").fill("30")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#settings")).to_contain_text("Saved.")
    expect(page.locator("[name=api_type]")).to_be_hidden()
    page.get_by_role("searchbox").fill("mouse")  # their texts say pointer, or are advanced
    for name in ("pointer", "pointer_gain", "take_over"):
        expect(page.locator(f"[name={name}]")).to_be_visible()
    for word, name in (
        ("密码", "[name=kvm_password]"),
        ("password", "#secret-name"),
        ("approve", "[name=gate]"),
        ("email", "[name=notify_url]"),
        ("paste", "[name=take_over]"),
        ("api key", "[name=api_type]"),  # which decides whether there is one
    ):
        page.get_by_role("searchbox").fill(word)
        expect(page.locator(name)).to_be_visible()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    menu = page.locator(".sheet > select")
    page.get_by_role("searchbox").fill("password")
    page.locator("#secret-name").fill("my wifi!")
    page.locator("#secret-name").press("Enter")
    expect(page.locator("#secret-name")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#secret-problem")).to_be_in_viewport(ratio=1)
    page.locator("#secret-name").fill("")
    expect(page.locator("#secret-problem")).to_be_hidden()
    page.locator("#secret-name").fill("wifi")
    page.locator("#secret-value").fill("correct horse")
    page.locator("#secret-value").press("Enter")
    secret = page.locator(".secrets li")
    expect(secret).to_contain_text("{{secret:wifi}}")
    secret.get_by_role("button", name="Delete", exact=True).click()
    expect(secret).to_have_count(1)
    secret.get_by_role("button", name="Delete?").click()
    expect(secret).to_have_count(0)
    expect(menu.locator("option:checked")).to_have_text("All groups")
    boxes = [card.bounding_box() for card in page.locator(".cards > div:visible").all()]
    edges = [(box["y"], box["y"] + box["height"]) for box in boxes if box]
    assert len(edges) > 1
    assert all(below[0] - above[1] >= 8 for above, below in pairwise(edges))
    page.get_by_role("searchbox").fill("zzz")
    assert page.locator(".sheet").get_by_text("No matches").is_visible()  # never an old count
    page.get_by_role("searchbox").fill("")
    expect(page.locator("[name=api_type]")).to_be_visible()
    expect(page.locator("[name=pointer]")).to_be_hidden()
    expect(menu.locator("option:checked")).to_have_text("Model")

    rounds = page.locator("[name=max_rounds]")
    rounds.fill("many")
    page.get_by_role("button", name="Submit").click()
    expect(rounds).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".rail .is-refused")).to_have_text("Model")
    rounds.fill("30")
    expect(rounds).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".rail .is-refused")).to_have_count(0)
    expect(page.get_by_text("Not saved.")).to_be_hidden()
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    kind, dialect = page.locator("[name=api_type]"), page.locator("[name=dialect]")
    for api_type, is_used in (("local", False), ("openai", True)):
        kind.select_option(api_type)
        expect(page.locator("[name=api_key]")).to_be_visible(visible=is_used)
        for group in ("prompt", "behaviour"):
            expect(page.locator(f".rail [value={group}]")).to_be_visible(visible=is_used)
    expect(dialect).to_be_hidden()
    page.locator("#advanced-model summary").click()
    dialect.select_option("json")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#settings .submit")).to_contain_text(
        "Saved. Used from the next task or Resume."
    )
    turn_to(page, "Log")
    turn_to(page, "Settings")
    expect(page.locator("#settings .submit")).not_to_contain_text("Saved.")
    page.reload()
    turn_to(page, "Settings")
    expect(dialect).to_be_visible()  # as it is no longer the default
    turn_to_group(page, "Notifications")
    page.locator("[name=notify_url]").fill("topic")
    page.get_by_role("button", name="Send test message").click()
    expect(page.locator("#why-notify_url")).to_contain_text("such as ntfy://TOPIC")
    page.locator("[name=notify_url]").fill("")
    turn_to_group(page, "Model")
    dialect.select_option("auto")
    kind.select_option("local")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#settings")).to_contain_text("Saved.")
    page.context.close()


def test_what_is_being_entered_outlives_another_language_and_a_reload_asks_before_it_is_lost(
    browser: Browser, live: Stage
) -> None:
    """Which comes back to the settings. So it does when another part of the page saves a setting,
    which the form shows then; only what was edited in it is sent.
    """
    page = settings(browser, live, [])
    rounds, kept = page.locator("[name=max_rounds]"), page.locator("[name=img_keep_n]")
    default = rounds.input_value()
    rounds.fill("55")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("button", name="提交")).to_be_visible()
    expect(rounds).to_have_value("55")
    before = kept.input_value()
    rounds.focus()
    page.evaluate(SAVE, {"max_rounds": 44, "img_keep_n": 5})
    expect(kept).to_have_value("5")
    expect(rounds).to_have_value("55")
    expect(rounds).to_be_focused()
    with page.expect_request("**/api/settings") as sent:
        page.get_by_role("button", name="提交").click()
    assert sent.value.post_data_json == {"max_rounds": 55}
    expect(page.locator("#settings")).to_contain_text("已保存")
    page.evaluate(SAVE, {"max_rounds": int(default), "img_keep_n": int(before)})
    expect(rounds).to_have_value(default)
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    page.on("dialog", lambda dialog: dialog.accept())
    rounds.fill("77")
    page.reload()
    expect(rounds).to_have_value(default)
    page.reload()
    expect(rounds).to_be_visible()
    assert asked == ["beforeunload"]
    page.context.close()


def test_what_was_refused_in_the_chat_covers_no_settings(browser: Browser) -> None:
    with stage('api_type="dashscope"') as live:
        page = opened(browser, live.url, PHONE, [])
        page.locator("#box").fill("look")
        page.locator("#send").click()
        error = page.locator("#composer-error")
        expect(error).to_contain_text("The API key is missing")
        expect(error).not_to_contain_text("CUA_")
        turn_to(page, "Settings")
        expect(error).to_be_hidden()
        page.context.close()


def test_what_was_changed_is_marked_and_goes_back_or_into_a_file_without_the_key(
    browser: Browser, live: Stage, tmp_path: Path
) -> None:
    """From which it comes back."""
    faults: list[str] = []
    page = settings(browser, live, faults)
    rounds = page.locator("[name=max_rounds]")
    default = rounds.input_value()
    rounds.fill("77")
    row = page.locator(".field", has=rounds)
    restore = row.get_by_role("button", name="Restore default")
    restore.hover()  # covers nothing near it
    expect(restore).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    restore.click()
    expect(rounds).to_have_value(default)
    rounds.fill("78")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#settings")).to_contain_text("Saved.")
    page.reload()
    turn_to(page, "Settings")
    expect(row).to_have_class("field is-row is-changed")
    keep(page, "desktop-settings-changed")
    page.get_by_role("button", name="Export, import, restore").click()
    page.get_by_role("button", name="Restore all defaults").click()
    expect(rounds).to_have_value(default)
    menu = page.get_by_role("button", name="Export, import, restore")
    expect(menu).to_have_attribute("aria-expanded", "false")
    menu.click()
    rounds.click()
    expect(menu).to_have_attribute("aria-expanded", "false")
    assert faults == []
    page.reload()
    turn_to(page, "Settings")
    page.locator("[name=api_type]").select_option("openai")
    page.locator("[name=api_key]").fill("canary-key")
    page.locator("[name=max_rounds]").fill("42")
    page.get_by_role("button", name="Export, import, restore").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export", exact=True).click()
    path = tmp_path / "settings.json"
    download.value.save_as(path)
    assert "canary" not in path.read_text("utf-8")
    assert json.loads(path.read_text("utf-8"))["max_rounds"] == 42
    page.reload()
    turn_to(page, "Settings")
    page.locator("#settings input[type=file]").set_input_files(path)
    expect(page.locator("[name=max_rounds]")).to_have_value("42")
    expect(page.locator("#settings")).to_contain_text("Review, then Submit")
    page.locator("#settings input[type=file]").set_input_files(__file__)
    expect(page.locator("#settings")).to_contain_text("contains no settings")
    page.context.close()


def test_where_there_is_little_room_fields_have_it(browser: Browser, live: Stage) -> None:
    for size in (ZOOMED, SMALL):
        page = opened(browser, live.url, size, [])
        turn_to(page, "Settings")
        expect(page.locator("#preset")).to_be_in_viewport(ratio=1)
        bar = page.locator("#settings .submit")
        expect(bar).to_be_visible()
        rounds = page.locator("[name=max_rounds]")
        before = rounds.input_value()
        rounds.fill("77")
        expect(bar).to_be_in_viewport(ratio=1)
        edge = page.evaluate("document.querySelector('.submit').getBoundingClientRect().top")
        assert rounds.evaluate("node => node.getBoundingClientRect().bottom") <= edge
        rounds.fill(before)
        expect(bar).to_be_visible()
        rounds.fill("77")
        submit = bar.get_by_role("button", name="Submit")
        for value in ("77", before):
            rounds.fill(value)
            submit.click()
            expect(bar).to_contain_text("Saved.")
            expect(submit).to_be_disabled()
        page.context.close()


def test_the_focus_outlives_a_new_connection(browser: Browser, live: Stage) -> None:
    sockets: list[WebSocketRoute] = []

    def lay(ws: WebSocketRoute) -> None:
        ws.connect_to_server()
        sockets.append(ws)

    page = browser.new_page(locale="en-US")
    page.route_web_socket("**/api/ws", lay)
    page.goto(live.url)
    with page.expect_response("**/api/checkup"):
        turn_to(page, "Settings")
    rounds = page.locator("[name=max_rounds]")
    rounds.focus()
    with page.expect_response("**/api/checkup"):  # asked for when the settings were compared
        sockets[-1].close()
    expect(rounds).to_be_focused()
    page.context.close()


def test_a_model_is_tested_before_it_is_saved_and_after(browser: Browser) -> None:
    """Another page, on which Settings were never opened, learns of what was saved."""
    reply: dict[str, Any] = {"text": "Done"}
    with (
        stage('api_type="openai"') as live,
        in_a_thread(OpenAIServer(lambda _: reply, key="the-key")) as model,
    ):
        page = settings(browser, live, [])
        other = opened(browser, live.url, DESKTOP, [])
        expect(other.locator("#state")).to_contain_text("No model connected")
        test = page.locator("#group-model .connection")
        page.locator("[name=base_url]").fill("nonsense")
        test.get_by_role("button").click()
        expect(test.get_by_role("status")).to_have_text("Must start with http:// or https://.")
        expect(page.locator("#why-base_url")).to_be_hidden()
        expect(page.locator("[name=base_url]")).to_have_attribute("aria-invalid", "true")
        page.locator("[name=base_url]").fill(f"{model}/v1")
        page.locator("[name=api_key]").fill("another")
        test.get_by_role("button").click()
        expect(test.get_by_role("status")).to_contain_text("API key")
        expect(page.locator("#state")).to_contain_text("No model connected")
        page.locator("[name=api_key]").fill("the-key")
        test.get_by_role("button", name="Test connection").click()
        expect(test.get_by_role("status")).to_contain_text("Connected.")
        keep(page, "desktop-connection-works")
        expect(page.locator("#settings .submit")).to_contain_text("unsaved")
        page.locator("[name=api_key]").fill("another")
        expect(test.locator("[role=status]")).to_have_text("")  # it was found with another key
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("alert")).to_contain_text("Saved for the next task or Resume, but")
        keep(page, "desktop-connection-fails")
        expect(other.locator("#state")).to_contain_text("Ready")
        page.reload()
        expect(page.locator("#state")).to_contain_text("The model failed its test")
        turn_to(page, "Settings")
        page.locator("[name=api_key]").fill("the-key")
        reply["status"] = 400
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("alert")).to_contain_text("Saved for the next task or Resume, but")
        expect(page.locator("#state")).to_contain_text("The model failed its test")
        reply |= {"status": 404, "body": {"error": {"message": "The model does not exist."}}}
        test.get_by_role("button", name="Test connection").click()
        test.get_by_role("button", name="scripted").click()
        expect(page.locator("[name=model_name]")).to_have_value("scripted")
        expect(page.locator("[name=model_name]")).to_be_focused()
        expect(test.get_by_role("button")).to_have_count(1)
        page.get_by_role("button", name="Discard").click()
        del reply["status"]  # the server has recovered
        test.get_by_role("button", name="Test connection").click()
        expect(test.get_by_role("status")).to_contain_text("Connected.")
        expect(page.locator("#state")).to_contain_text("Ready")
        expect(page.get_by_role("alert")).to_be_hidden()
        expect(other.locator("#attach")).to_be_visible()
        late: list[tuple[Route, APIResponse]] = []

        def hold_the_first(route: Route) -> None:
            answer = route.fetch()
            if late:
                route.fulfill(response=answer)
            else:
                late.append((route, answer))

        other.route("**/api/settings", hold_the_first)
        with other.expect_request("**/api/settings"):
            page.evaluate(SAVE, {"img_keep_n": 2})
        page.evaluate(SAVE, {"api_type": "local"})
        expect(other.locator("#attach")).to_be_hidden()
        for route, answer in late:
            with other.expect_response("**/api/settings"):
                route.fulfill(response=answer)
        other.evaluate(DRAWN)
        expect(other.locator("#attach")).to_be_hidden()
        other.context.close()
        page.context.close()


def test_a_secret_is_kept_for_its_server_and_the_field_says_so(browser: Browser) -> None:
    with stage('api_type="openai"') as live:
        page = settings(browser, live, [])
        url, key = page.locator("[name=base_url]"), page.locator("[name=api_key]")
        field = page.locator(".field", has=key)
        url.fill("http://10.0.0.5:8000/v1")
        expect(field.locator(".tag")).to_have_text("Not set")
        key.fill("the-key")
        expect(field.locator(".tag")).to_be_hidden()
        page.get_by_role("button", name="Submit").click()
        expect(field.get_by_text("Set", exact=True)).to_be_visible()
        url.fill("http://10.0.0.5:8000/v2")
        expect(key).to_have_attribute("placeholder", "Leave empty to keep it")
        url.fill("https://api.example.com/v1")
        expect(key).to_have_attribute("placeholder", "")
        said = "The saved one is for http://10.0.0.5:8000 and is not sent to another server."
        expect(field.get_by_role("status")).to_contain_text(said)
        keep(page, "desktop-key-of-another-server")
        page.get_by_role("button", name="Submit").click()
        expect(page.locator("#settings .submit")).to_contain_text("Saved")
        expect(field.get_by_text("Not set", exact=True)).to_be_visible()
        expect(field.get_by_role("status")).to_contain_text(said)
        url.fill("http://10.0.0.5:8000/v1")
        expect(field.get_by_role("status")).to_be_hidden()
        page.get_by_role("button", name="Submit").click()
        expect(page.locator("#settings .submit")).to_contain_text("Saved")
        expect(field.get_by_text("Set", exact=True)).to_be_visible()
        page.context.close()


def in_seconds(time_of_day: str) -> int:
    hours, minutes, seconds = map(int, time_of_day.split(":"))
    return (hours * 60 + minutes) * 60 + seconds


def test_a_change_or_a_second_press_cancels_a_test(browser: Browser) -> None:
    with stage("notice_acknowledged=true", 'api_type="openai"') as live:
        page = opened(browser, live.url, DESKTOP, [])
        held: list[Route] = []
        page.route("**/api/settings/test-model", lambda route: held.append(route))
        page.get_by_role("button", name="Connect", exact=True).click()
        first = page.locator("#first")
        url, save = first.locator("[name=base_url]"), first.locator("[type=submit]")
        first.locator("#first-preset").select_option("ollama")
        with page.expect_request("**/api/settings/test-model"):
            save.dblclick()
        expect(save).to_have_text("Cancel test")
        testing = first.get_by_role("status").filter(has_text="Testing since")
        expect(testing).to_be_in_viewport(ratio=1)
        since, until = map(in_seconds, re.findall(r"[\d:]{8}", testing.inner_text()))
        assert (until - since) % DAY_S == ModelEndpoint.idle_s
        held.pop()  # and no answer
        url.fill("http://127.0.0.1:1/v1")
        expect(save).to_have_text("Save and continue")
        expect(testing).to_be_hidden()
        with page.expect_request("**/api/settings/test-model"):
            save.click()
        save.click()
        expect(save).to_have_text("Save and continue")
        assert len(held) == 1
        held.pop()
        expect(first.get_by_role("heading", name="Connect a model")).to_be_visible()
        expect(first.locator(".error:visible")).to_have_count(0)
        page.keyboard.press("Escape")
        turn_to(page, "Settings")
        test = page.locator("#group-model .connection")
        expect(page.locator("[name=base_url]")).to_have_value("")  # nothing was saved
        with page.expect_request("**/api/settings/test-model"):
            test.get_by_role("button").click()
        held.pop().fulfill(status=502, json={"error": "It failed."})
        expect(test.locator(".error")).to_have_text("It failed.")
        for is_edit in (True, False):
            with page.expect_request("**/api/settings/test-model"):
                test.get_by_role("button").click()
            expect(test.get_by_role("status")).to_contain_text("Testing since")
            expect(test.locator(".error")).to_have_count(0)
            if is_edit:
                page.locator("[name=base_url]").fill("http://127.0.0.1:9/v1")
            else:
                test.get_by_role("button").click()
            expect(test.get_by_role("button")).to_have_text("Test connection")
            expect(test.locator("[role=status]")).to_have_text("")
        held.clear()
        with page.expect_request("**/api/settings/test-model"):
            test.get_by_role("button").click()
        with page.expect_request("**/api/settings/test-model") as anew:
            page.locator("#language").click()
        assert (anew.value.post_data_json or {})["base_url"] == "http://127.0.0.1:9/v1"
        expect(test.get_by_role("button")).to_have_text("取消测试")
        held[-1].fulfill(json={"seconds": 1.0})
        expect(test.locator(".is-good")).to_have_count(1)
        page.locator("#language").click()
        expect(test.get_by_role("button")).to_have_text("Test connection")
        expect(test.locator(".is-good")).to_contain_text("1.0 s")  # what it found stays
        page.unroute("**/api/settings/test-model")
        page.locator("#preset").select_option("lm_studio")
        page.locator("[name=base_url]").fill("http://127.0.0.1:1234/v1")
        page.get_by_role("button", name="Submit").click()
        expect(page.locator("#settings")).to_contain_text("Saved", timeout=STEP)
        expect(page.locator("#preset")).to_have_value("lm_studio")
        page.context.close()


def test_a_kvm_is_tested_before_it_is_saved_and_after(browser: Browser) -> None:
    kvm = NanoKvm(frame=picture(size=(1000, 700)))
    with stage() as live, running_in_a_thread(kvm.app()) as place:
        page = settings(browser, live, [])
        turn_to_group(page, "KVM")
        test = page.locator("#group-kvm .connection")
        told = test.get_by_role("status")
        page.locator("[name=kvm]").fill(f"nanokvm://{place}")
        page.locator("[name=kvm_password]").fill("wrong")
        for words, value in (
            ("password", "wrong"),
            ("Connected. The screen is 1000x700", "correct horse"),
        ):
            page.locator("[name=kvm_password]").fill(value)
            page.set_viewport_size({"width": DESKTOP[0], "height": 400})
            button = test.get_by_role("button", name="Test connection")
            button.evaluate("node => node.scrollIntoView({ block: 'end' })")
            button.click()
            expect(told).to_contain_text(words)
            expect(told).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        keep(page, "desktop-kvm-works")
        page.get_by_role("button", name="Submit").click()
        expect(page.locator("#settings .submit")).to_contain_text("Saved.")
        expect(told).to_contain_text(
            "Connected. The screen is 1000x700"
        )  # the one in use, and not once more
        page.locator("[name=kvm]").fill(f"nanokvm://127.0.0.1:{any_free_port()}")
        page.locator("[name=kvm_password]").fill("x")
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("alert")).to_contain_text("Saved, but the connection fails")
        expect(page.locator("#state")).to_contain_text("The KVM failed its test")
        assert kvm.written == []
        page.context.close()


def test_first_run_goes_from_the_notice_to_the_model_to_a_first_try(browser: Browser) -> None:
    with (
        stage("notice_acknowledged=false", 'api_type="openai"') as live,
        in_a_thread(OpenAIServer(lambda _: {"text": "Done"})) as model,
    ):
        faults: list[str] = []
        page = opened(browser, live.url, PHONE, faults)
        agree(page)
        expect(page.get_by_role("heading", name="Connect a model")).to_be_visible()
        expect(page.locator("#first .label")).to_have_text("Step 1 of 2")
        keep(page, "phone-first-2")
        page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
        page.get_by_label("Provider", exact=True).select_option(label="Ollama")
        on = page.locator("#first [type=submit]")
        assert 0 < on.evaluate("node => node.clientHeight") < 50, "its words stand in one line"
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.locator("#first [name=api_key]").fill("canary-key")
        page.get_by_role("button", name="Set up later").click()
        missing = page.get_by_role("heading", name="No model connected")
        expect(missing).to_be_in_viewport()
        keep(page, "phone-unconnected")
        page.get_by_role("button", name="Connect", exact=True).click()
        expect(page.get_by_label("Provider", exact=True)).to_have_value("ollama")
        expect(page.locator("#first [name=model_name]")).to_have_value("qwen3-vl:8b")
        page.locator("#first [name=base_url]").fill(f"{model}/v1")
        page.get_by_role("button", name="Save and continue").click()
        expect(page.get_by_role("heading", name="Model check")).to_be_visible()
        expect(page.locator("#first .label")).to_have_text("Step 2 of 2")
        expect(missing).to_have_count(0)
        check = page.locator("#first").get_by_role("button", name="Check the model")
        expect(page.locator("#first .primary").filter(visible=True)).to_have_text(
            ["Check the model"]
        )
        expect(check).to_be_visible()
        keep(page, "phone-first-3")
        page.locator("#first .checkup").evaluate(PASSED)
        expect(page.locator("#first .primary").filter(visible=True)).to_have_text(
            ["Try it on a simulated computer"]
        )
        page.locator("#first").get_by_role("button", name="simulated computer").click()
        expect(page.locator("#first")).to_be_hidden(timeout=STEP)
        expect(page.locator("#demo")).to_contain_text("Simulated computer · ")
        expect(page.locator("#caption")).to_contain_text("Live", timeout=STEP)
        keep(page, "phone-simulated")
        restart = page.locator("#restart")
        restart.click()
        expect(restart).to_have_text("Restart?")
        with page.expect_response(lambda answer: answer.url.endswith("simulator") and answer.ok):
            restart.click()
        expect(restart).to_be_enabled()
        expect(restart).to_have_accessible_name("Restart the simulated computer")
        expect(page.locator("#caption")).to_contain_text("Live", timeout=STEP)
        page.get_by_role("button", name="Back to the target computer").click()
        expect(page.locator("#demo")).to_be_hidden(timeout=STEP)
        expect(page.get_by_role("button", name="Try it on a simulated")).to_be_visible()
        page.reload()
        expect(page.get_by_role("tab", name="Chat")).to_be_visible()
        turn_to(page, "Settings")
        expect(page.locator("#settings [name=model_name]")).to_have_value("qwen3-vl:8b")
        expect(page.locator("#settings .tag.is-set")).to_have_count(1)
        assert faults == []
        page.context.close()


def test_the_settings_are_never_seen_empty(browser: Browser, live: Stage) -> None:
    """Not in a single frame, also where the page draws seldom."""
    page = opened(browser, live.url, DESKTOP, [])
    expect(page.locator("body")).to_have_attribute("data-status", re.compile("."))
    expect(page.locator("#attach")).to_be_hidden()  # the settings have come
    page.evaluate(
        """() => {
          window.empty = 0;
          (function look() {
            const rail = document.querySelector('#settings .rail');
            if (rail && !rail.childElementCount) window.empty += 1;
            requestAnimationFrame(look);
          })();
        }"""
    )
    turn_to(page, "Settings")
    expect(page.locator("[name=max_rounds]")).to_be_visible()
    assert page.evaluate("window.empty") == 0
    page.context.close()


def test_what_waits_in_another_tab_is_marked_there(browser: Browser, live: Stage) -> None:
    page = opened(browser, live.url, PHONE, [])
    dot = "id => { const dot = getComputedStyle(document.querySelector(id), '::after');"
    dot += "return dot.content + dot.width }"
    settings, chat = page.locator("#tab-settings"), page.locator("#tab-chat")
    for size in (PHONE, LYING):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        turn_to(page, "Settings")
        expect(page.locator("[name=base_url]")).to_be_attached()
        before = [settings.bounding_box(), chat.bounding_box()]
        page.locator("[name=max_rounds]").fill("31")
        live.begin()
        live.tell(("question", {"text": "Which?"}), ("status", {"status": "asking", "reason": ""}))
        expect(page.locator("#state")).to_contain_text("Needs your answer")
        keep(page, f"tabs-dots-{size[0]}")
        assert [page.evaluate(dot, id) for id in ("#tab-settings", "#tab-chat")] == [DOT, DOT]
        assert [settings.bounding_box(), chat.bounding_box()] == before
        page.locator("#state .chip").click()
        expect(page.get_by_text("Which?", exact=True)).to_be_in_viewport()
        keep(page, f"tabs-dot-{size[0]}")
        assert [page.evaluate(dot, id) for id in ("#tab-settings", "#tab-chat")] == [DOT, NO_DOT]
        turn_to(page, "Settings")
        page.get_by_role("button", name="Discard").click()
        assert page.evaluate(dot, "#tab-settings") == NO_DOT
        live.tell(("status", {"status": "running", "reason": ""}))
        expect(page.locator("#state")).to_contain_text("Running")
        assert page.evaluate(dot, "#tab-chat") == NO_DOT
        live.tell(*looked(1), *answered(1), ASKED)
        expect(page.locator("#approval")).to_be_visible()
        assert page.evaluate(dot, "#tab-chat") == DOT
        for shape in (TABLET, size):
            page.set_viewport_size({"width": shape[0], "height": shape[1]})
            page.evaluate(DRAWN)
            field = page.locator("[name=max_rounds]")
            field.scroll_into_view_if_needed()
            for part in (field, *map(page.locator, ("#approval-why", "#approval-what", "#allow"))):
                expect(part).to_be_in_viewport(ratio=1)
                part.click(trial=True)  # nothing covers it
            keep(page, f"tabs-dot-approval-{shape[0]}")
        live.tell(("status", {"status": "idle", "reason": ""}), ("reset", {}))
        expect(page.locator("#approval")).to_be_hidden()
    page.context.close()
