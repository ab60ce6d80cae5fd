"""The page in a real Chromium, on the demo: what a newcomer does first, at two sizes.

Screenshots are kept in .artifacts/, where that is, to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.servers.http import in_a_thread
from tests.servers.mjpeg_server import picture
from tests.servers.nanokvm_server import NanoKvm
from tests.servers.openai_server import OpenAIServer
from tests.servers.site import running_in_a_thread
from tests.support.browser import (
    DESKTOP,
    LYING,
    PHONE,
    STEP,
    TASK,
    agree,
    keep,
    needs_browser,
    opened,
    turn_to,
    turn_to_group,
)
from tests.support.kvm_hardware import ROOT, any_free_port
from tests.support.scripted_service import stage

SOMETHING_RUNS = re.compile("running", re.IGNORECASE)
OPACITY = """canvas => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d');
  pen.drawImage(canvas, 0, 0, 1, 1);
  return pen.getImageData(0, 0, 1, 1).data[3];
}"""
"""Of the picture."""

pytestmark = needs_browser


@contextmanager
def started(*options: str, **environ: str) -> Iterator[str]:
    port = any_free_port()
    process = subprocess.Popen(
        [sys.executable, ROOT / "cua_webapp.py", *options, "--port", str(port)],
        stdout=subprocess.PIPE,
        env={**os.environ, **environ},
    )
    assert process.stdout is not None
    assert b"Authentication" in process.stdout.readline()
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        process.stdout.close()


def state_of_the_computer(page: Page) -> dict:  # type: ignore[type-arg]
    """What the simulated computer says of itself, for the checks only."""
    return fetched(state_address(page))


def state_address(page: Page) -> str:
    """The Log tells it, in any language."""
    page.locator("#tab-log").click()
    expect(page.locator("#log")).to_contain_text("/state")
    text = page.locator("#log").text_content() or ""  # rendered or not
    page.locator("#tab-chat").click()
    found = re.search(r"http://127\.0\.0\.1:\d+/state", text)
    assert found, text
    return found[0]


def fetched(address: str) -> dict:  # type: ignore[type-arg]
    with urllib.request.urlopen(address) as answer:
        state: dict = json.load(answer)  # type: ignore[type-arg]
    return state


def test_a_newcomer_sets_the_dns_server(browser: Browser) -> None:
    with started("--demo") as demo:
        _set_the_dns_server(browser, demo)


def _set_the_dns_server(browser: Browser, demo: str) -> None:
    faults: list[str] = []
    desk = opened(browser, demo, DESKTOP, faults)
    expect(desk.locator("#notice")).to_contain_text("controls a simulated computer")
    expect(desk.locator("#notice")).to_contain_text("read on this machine and stay here")
    agree(desk)
    expect(desk.get_by_role("button", name="Take over")).to_be_visible()
    expect(desk.locator(".empty p").first).to_contain_text("write simple steps")
    keep(desk, "desktop-1-empty")
    desk.get_by_role("textbox", name="Message").fill("set dns server to 8.8.8.8")
    desk.get_by_role("button", name="Send").click()
    expect(desk.locator("#state")).to_contain_text(SOMETHING_RUNS, timeout=1000)
    expect(desk.locator("#chat img").nth(1)).to_be_visible(timeout=STEP)
    keep(desk, "desktop-2-running")
    phone = opened(browser, demo, PHONE, faults)
    expect(phone.locator("#chat img").nth(1)).to_be_visible(timeout=STEP)
    keep(phone, "phone-2-running")
    phone.context.close()  # two pictures of the screen are drawn for half of the CPU of this test
    expect(desk.locator("#state")).to_contain_text(re.compile("done", re.IGNORECASE), timeout=TASK)
    expect(desk.locator("#chat .is-done .answer")).to_have_text("“DNS server: 8.8.8.8” is shown.")
    keep(desk, "desktop-3-done")
    phone = opened(browser, demo, PHONE, faults)
    expect(phone.locator("#state")).to_contain_text(re.compile("done", re.IGNORECASE))
    keep(phone, "phone-3-done")
    assert "8.8.8.8" in json.dumps(state_of_the_computer(desk)["network"])
    turn_to(desk, "Settings")
    turn_to_group(desk, "KVM")
    expect(desk.locator("[name=kvm]")).to_be_visible()
    expect(desk.get_by_role("button", name="Test connection")).to_be_hidden()
    assert faults == []


def test_the_browser_chooses_the_language_a_task_is_corrected_and_settings_are_checked(
    browser: Browser,
) -> None:
    """Beside the field. A switch changes the language."""
    with stage("notice_acknowledged=false") as live:
        faults: list[str] = []
        page = opened(browser, live.url, PHONE, faults, language="zh-CN")
        page.get_by_role("button", name="我明白了").click()
        expect(page.locator("#notice")).to_be_hidden()
        page.wait_for_timeout(500)
        expect(page.locator("#box")).not_to_be_focused()  # the keyboard would cover the examples
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        keep(page, "phone-6-chinese")
        turn_to(page, "设置")
        expect(page.locator("#settings")).to_contain_text("检查模型")
        expect(page.locator("#settings")).to_contain_text("达到此步数后停止")
        turn_to(page, "对话")
        page.get_by_role("button", name="English").click()
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        expect(page.locator("#empty")).to_contain_text("What should the agent do?")
        page.reload()
        expect(page.get_by_role("tab", name="Settings")).to_be_visible()
        _pause_correct_and_reset(page)
        # A reset drops the pictures that the page may be asking for.
        assert [fault for fault in faults if "404" not in fault] == []
        faults.clear()
        _enter_settings(page)
        assert [fault for fault in faults if "422" not in fault] == []
        page.context.close()


def _pause_correct_and_reset(page: Page) -> None:
    box, send = page.get_by_role("textbox", name="Message"), page.locator("#send")
    box.fill('wait for "something that never comes"')
    send.click()
    pause = page.get_by_role("button", name="Pause")
    expect(pause).to_be_enabled(timeout=STEP)
    pause.click()
    expect(page.locator("#state")).to_contain_text(re.compile("paused", re.IGNORECASE))
    keep(page, "phone-4-paused")
    box.fill('open "Notepad"')
    send.click()
    expect(page.locator("#chat")).to_contain_text('open "Notepad"')
    page.get_by_role("button", name="Reset").dblclick()  # twice while it is at work
    expect(page.get_by_role("heading", name="What should the agent do?")).to_be_visible()
    expect(page.locator("#chat article")).to_have_count(0)


def _enter_settings(page: Page) -> None:
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    turn_to(page, "Settings")
    rounds = page.locator("[name=max_rounds]")
    rounds.fill("0")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#settings")).to_contain_text("Must be 1 or more")
    keep(page, "desktop-5-settings-refused")
    rounds.fill("33")
    page.locator("[name=api_type]").select_option("openai")
    page.locator("[name=api_key]").fill("canary-key")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#settings")).to_contain_text(re.compile("saved", re.IGNORECASE))
    page.reload()
    turn_to(page, "Settings")
    expect(rounds).to_have_value("33")
    assert "canary" not in page.content()


def reply_as_scripted(body: dict[str, str]) -> dict[str, object]:
    """The server has a model of this name only."""
    if body["model"] == "scripted":
        return {"text": "Done"}
    return {"status": 404, "body": {"error": {"message": "The model does not exist."}}}


def test_without_a_kvm_the_page_offers_the_virtual_computer_and_asks_for_an_address(
    browser: Browser, tmp_path: Path
) -> None:
    kvm = NanoKvm(frame=picture(size=(1000, 700)))
    nowhere = {"CUA_HID_PREFIX": "/nowhere/hidg", "CUA_CONFIG": str(tmp_path / "settings.json")}
    with (
        started(**nowhere) as url,
        in_a_thread(OpenAIServer(reply_as_scripted)) as model,
        running_in_a_thread(kvm.app()) as place,
    ):
        page = opened(browser, url, DESKTOP, [])
        agree(page)
        first, state = page.locator("#first"), page.locator("#state")
        expect(first.get_by_role("heading", name="Connect a KVM")).to_be_visible()
        expect(state).to_contain_text("No KVM connected")
        first.get_by_role("button", name="Save and continue").click()
        refused = first.get_by_role("alert")
        expect(refused).to_have_text(re.compile("not a KVM: .* Enter the address of your KVM.$"))
        keep(page, "desktop-first-kvm")
        first.get_by_role("button", name="simulated computer").click()
        expect(first).to_be_hidden(timeout=STEP)
        page.route("**/api/settings", lambda _: None)  # the page knows those of this computer
        page.get_by_role("button", name="Back to the target computer").click()
        expect(page.get_by_role("heading", name="No KVM connected")).to_be_visible(timeout=STEP)
        keep(page, "desktop-no-kvm")
        page.get_by_role("button", name="Connect", exact=True).click()
        page.unroute("**/api/settings")  # they go on
        login = ("kvm_user", "kvm_password")
        for address, answer in (
            ("http://foo bar", "'http://foo bar' is not a valid KVM address"),
            ("/dev/x", "'/dev/x' is not a valid KVM address"),
            ("pikvm://127.0.0.1:9", "The KVM at 127.0.0.1:9 cannot be reached"),
        ):
            first.locator("[name=kvm]").fill(address)
            first.get_by_role("button", name="Save and continue").click()
            expect(first).to_contain_text(answer, use_inner_text=True)
            for name in (*login, "kvm_code"):
                expect(first.locator(f"[name={name}]")).to_be_hidden()
        first.locator("[name=kvm]").fill(place)
        first.get_by_role("button", name="Save and continue").click()
        for name in login:  # what a NanoKVM needs
            expect(first.locator(f"[name={name}]")).to_be_visible(timeout=STEP)
        expect(first.locator("[name=kvm_user]")).to_be_focused()
        expect(first.locator(".field + .error + .field")).to_contain_text("KVM username")
        expect(refused).to_contain_text("The KVM needs a login")
        expect(first.locator("[name=kvm_code]")).to_be_hidden()
        keep(page, "desktop-first-kvm-login")
        first.locator("[name=kvm_password]").fill("wrong")
        first.get_by_role("button", name="Save and continue").click()
        expect(refused).to_contain_text("does not accept this username", timeout=STEP)
        expect(first).not_to_contain_text("Connect a model")
        first.locator("[name=kvm_password]").fill("correct horse")
        first.get_by_role("button", name="Save and continue").click()
        expect(first.get_by_role("heading", name="Connect a model")).to_be_visible(timeout=STEP)
        first.locator("#first-preset").select_option("ollama")
        first.locator("[name=base_url]").fill("nonsense")
        first.get_by_role("button", name="Save and continue").click()
        expect(first.get_by_text("Must start with http")).to_have_count(1)
        expect(first.locator("[name=base_url]")).to_be_focused()
        first.locator("[name=base_url]").fill(f"{model}/v1")
        first.get_by_role("button", name="Save and continue").click()
        offered = first.get_by_role("button", name="scripted")
        expect(offered).to_be_in_viewport(ratio=1)
        expect(first.locator(".error code")).to_have_count(1)  # the name
        keep(page, "desktop-first-models")
        offered.click()
        expect(offered).to_be_hidden()
        expect(first.locator("[name=model_name]")).to_have_value("scripted")
        expect(first.locator(".error:visible")).to_have_count(0)
        first.get_by_role("button", name="Save and continue").click()
        first.get_by_role("button", name="Use the target computer").click(timeout=STEP)
        expect(page.locator("#caption")).to_contain_text("1000×700", timeout=STEP)
        expect(state).to_contain_text("Ready")
        _do_a_task(page)
        page.context.close()


def test_a_task_without_a_kvm_is_told_of_it_and_a_try_on_the_simulated_computer_needs_no_model(
    browser: Browser, tmp_path: Path
) -> None:
    nowhere = {"CUA_HID_PREFIX": "/nowhere/hidg", "CUA_CONFIG": str(tmp_path / "settings.json")}
    with started(**nowhere) as url:
        page = opened(browser, url, PHONE, [])
        agree(page)
        connect = page.get_by_role("heading", name="Connect a KVM")
        expect(connect).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_text("This machine is not a KVM")).to_have_count(1)
        expect(page.locator("#caption")).to_contain_text("Not connected")
        page.locator("#box").fill("look")
        page.locator("#send").click()
        error = page.locator("#composer-error")
        expect(error).to_contain_text("No KVM connected")
        error.get_by_role("button", name="Connect").click()
        expect(connect).to_be_visible()
        first, state = page.locator("#first"), page.locator("#state")
        first.get_by_role("button", name="simulated computer").click()
        expect(first).to_be_hidden(timeout=STEP)
        expect(state).to_contain_text("Ready")
        expect(page.get_by_role("button", name="set dns server")).to_be_in_viewport()
        keep(page, "phone-first-try")
        turn_to(page, "Settings")
        expect(page.locator("[name=api_type]")).to_have_value("local")
        expect(page.locator(".checkup")).to_be_hidden()
        turn_to(page, "Chat")
        expect(page.locator("#attach")).to_be_hidden()  # the operator looks at no files
        page.locator("#box").fill('open "Files"')
        page.locator("#send").click()
        expect(state).to_contain_text("Done", timeout=TASK)
        page.locator("#send").click()
        expect(page.locator("#composer-error")).to_have_text("Type a task first.")
        assert page.locator("#canvas").evaluate(OPACITY) == 255
        page.locator("#box").fill('wait for "what never comes"')
        page.locator("#send").click()
        page.locator("#box").fill("press F1")
        page.locator("#queue-add").click()
        expect(page.locator("#queue li")).to_have_count(1)
        back = page.locator("#demo button")
        expect(back).to_have_text("Back to the target computer")
        page.set_viewport_size({"width": LYING[0], "height": LYING[1]})
        expect(back).to_be_in_viewport(ratio=1)
        beside = "node => node.offsetWidth > node.closest('#watch').clientWidth - 20"
        assert page.locator("#canvas").evaluate(beside), "the line takes no room of the picture"
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        back.click()
        expect(back).to_have_text("End task, drop the queue and clear?")
        keep(page, "phone-back-asks")
        back.click()
        expect(state).to_contain_text("No KVM connected", timeout=STEP)
        expect(page.locator("#queue")).to_be_hidden()
        expect(page.locator("#composer-error")).to_be_hidden()
        expect(page.locator("#caption")).not_to_contain_text("×")
        assert page.locator("#canvas").evaluate(OPACITY) == 0, "the picture of the other computer"
        turn_to(page, "Settings")
        expect(page.locator("[name=api_type]")).to_have_value("dashscope")
        page.context.close()


def test_the_provider_is_chosen_first(browser: Browser, tmp_path: Path) -> None:
    kvm = NanoKvm(frame=picture(size=(1000, 700)))
    with running_in_a_thread(kvm.app()) as place:
        login = {"CUA_KVM_USER": "admin", "CUA_KVM_PASSWORD": "correct horse"}
        own = {"CUA_KVM": f"nanokvm://{place}", "CUA_CONFIG": str(tmp_path / "settings.json")}
        with started(**own, **login) as url:
            page = opened(browser, url, PHONE, [])
            _choose_a_provider(page)
            page.context.close()


def _choose_a_provider(page: Page) -> None:
    agree(page)
    first = page.locator("#first")
    expect(first.locator(".label")).to_have_text("Step 1 of 2")
    provider, model = first.locator("#first-preset"), first.locator("[name=model_name]")
    save = first.get_by_role("button", name="Save and continue")
    expect(provider).to_have_value("")
    for unseen in (first.locator("[name=api_type]"), model, save):
        expect(unseen).to_be_hidden()
    keep(page, "phone-first-provider")
    provider.select_option("dashscope")
    expect(model).to_have_value("qwen3-vl-plus")
    first.locator("[name=api_type]").select_option("anthropic")
    expect(model).to_have_value(re.compile("^claude"))
    save.click()
    expect(first.locator(".error:visible")).to_contain_text("The API key is missing")
    keep(page, "phone-first-key")
    first.locator("[name=api_type]").select_option("local")
    expect(first.locator(".error:visible")).to_have_count(0)
    expect(first.locator("[name=api_key]")).to_be_hidden()
    save.click()
    expect(first).to_be_hidden(timeout=STEP)
    expect(page.locator("#state")).to_contain_text("Ready")


def _do_a_task(page: Page) -> None:
    page.get_by_role("textbox", name="Message").fill("Say that it is done")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#state")).to_contain_text("Done", timeout=STEP)
