"""The page in Chinese during errors: the texts of each part of the program are Chinese."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from cua.messages import PLACEHOLDER, SENTENCES, Message, catalogue, translate
from tests.page.test_screen_reader import LISTEN
from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import (
    DESKTOP,
    PHONE,
    STEP,
    TASK,
    keep,
    needs_browser,
    opened,
    press_until_gone,
    turn_to,
    turn_to_group,
)
from tests.support.kvm_hardware import any_free_port
from tests.support.page_views import service
from tests.support.scripted_service import CLICK, answered, looked, stage

pytestmark = needs_browser
CHINESE = "zh-CN"
ENGLISH = re.compile(r"[A-Za-z]{2,}(?:[ ,:]+[a-z]{2,}){2,}")
"""Three words in a row: names of things are shorter."""
THEIRS = re.compile(r"“[^”]*”|\"[^\"]*\"|`[^`]*`")
SEEN = """() => [...document.querySelectorAll('body *')]
  .filter((node) => node.checkVisibility() && !node.closest('pre, .thought q'))
  .flatMap((node) => [...node.childNodes].filter((each) => each.nodeType === 3))
  .map((each) => each.textContent.trim()).filter(Boolean)"""


def english(page: Page) -> list[str]:
    """What can be read on the page and is English, but for quoted words."""
    texts: list[str] = page.evaluate(SEEN)
    return [text for text in texts if ENGLISH.search(THEIRS.sub("", text))]


@contextmanager
def model(script: list[dict[str, Any]], key: str = "") -> Iterator[str]:
    """A small real model server, in a thread of its own; gives its base URL."""
    with in_a_thread(OpenAIServer(script, key=key)) as url:
        yield f"{url}/v1"


def send(page: Page, words: str) -> None:
    page.locator("#box").fill(words)
    page.locator("#send").click()


def test_a_wrong_key_is_told_in_chinese(browser: Browser) -> None:
    with (
        model([], key="sk-right") as url,
        stage(
            'api_type="openai"',
            f"base_url={json.dumps(url)}",
            'api_key="sk-mistaken"',
            'model_name="m"',
        ) as live,
    ):
        page = opened(browser, live.url, PHONE, [], CHINESE)
        send(page, "打开文件")
        expect(page.locator(".is-failed").last).to_contain_text("API 密钥不对", timeout=STEP)
        for name, size in (("phone", PHONE), ("desktop", DESKTOP)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            keep(page, f"chinese-{name}-wrong-key")
            assert english(page) == []
        page.context.close()


def test_gate_question_and_actions_are_told_in_chinese(browser: Browser) -> None:
    script: list[dict[str, Any]] = [
        {"text": "keyboard ALT+F4"},
        {"text": "mouse 2 2 1"},
        {"status": 503},
    ]
    with (
        model(script) as url,
        stage(
            'api_type="openai"',
            f"base_url={json.dumps(url)}",
            'model_name="m"',
            'dialect="kvm"',
            "take_over=true",
        ) as live,
    ):
        page = opened(browser, live.url, PHONE, [], CHINESE)
        page.get_by_role("button", name="粘贴").click()
        page.locator("#paste-text").fill("ö")
        page.locator(".paste [type=submit]").click()
        expect(page.locator(".paste .why")).to_contain_text("键盘")
        assert english(page) == []
        page.get_by_role("button", name="取消").click()
        send(page, "关闭窗口")
        expect(page.locator("#approval")).to_be_visible(timeout=STEP)
        keep(page, "chinese-phone-approval")
        assert english(page) == []
        press_until_gone(page.locator("#approval").get_by_role("button", name="拒绝"))
        expect(page.locator("article.step").nth(1)).to_contain_text("没有看懂", timeout=STEP)
        assert english(page) == []
        turn_to(page, "日志")
        expect(page.locator("#log")).to_contain_text("秒后重试", timeout=STEP)
        keep(page, "chinese-phone-log")
        assert english(page) == []
        page.context.close()


def test_settings_that_cannot_be_are_refused_in_chinese(browser: Browser) -> None:
    with stage() as live:
        page = opened(browser, live.url, DESKTOP, [], CHINESE)
        turn_to(page, "设置")
        page.locator("[name=api_type]").select_option("openai")
        page.locator("[name=max_rounds]").fill("0")
        page.locator("[name=base_url]").fill("ftp://x")
        turn_to_group(page, "安全")
        page.locator("[name=gate_ask]").fill("/(/")
        page.get_by_role("button", name="提交").click()
        expect(page.locator("#why-max_rounds")).to_contain_text("不小于 1")
        expect(page.locator("#why-base_url")).to_contain_text("开头")
        keep(page, "chinese-desktop-settings-refused")
        assert english(page) == []
        page.locator("[name=max_rounds]").fill("20")
        page.locator("[name=base_url]").fill("")
        page.locator("[name=api_type]").select_option("local")
        turn_to_group(page, "安全")
        page.locator("[name=gate_ask]").fill("")
        turn_to_group(page, "KVM")
        page.locator("[name=kvm]").fill(f"pikvm+http://127.0.0.1:{any_free_port()}")
        page.get_by_role("button", name="提交").click()
        expect(page.locator("#settings")).to_contain_text("已保存", timeout=STEP)
        turn_to(page, "对话")
        send(page, "打开文件")
        expect(page.locator(".is-failed").last).to_contain_text("KVM", timeout=STEP)
        keep(page, "chinese-desktop-no-kvm")
        assert english(page) == []
        page.context.close()


@pytest.mark.parametrize(
    ("name", "size", "task"),
    [
        pytest.param("desktop", DESKTOP, "把 DNS 服务器设为 8.8.8.8", marks=pytest.mark.slow),
        ("phone", PHONE, "打开终端"),
    ],
)
def test_the_local_operator_thinks_in_chinese(
    browser: Browser, name: str, size: tuple[int, int], task: str
) -> None:
    with service() as url:
        page = opened(browser, url, size, [], CHINESE)
        page.get_by_role("button", name="我明白了").click()
        expect(page.locator("#notice")).to_be_hidden()
        send(page, task)
        expect(page.locator("article.step .thought").first).to_contain_text("”在", timeout=TASK)
        expect(page.locator("#state")).to_contain_text("完成", timeout=TASK)
        keep(page, f"chinese-{name}-local")
        assert english(page) == []
        page.context.close()


def the_page_renders_messages_as_the_service_does(page: Page) -> None:
    inner = {"text": "?", "key": "agent.executed", "values": {}}
    messages: list[Any] = ["Carried out, as an older version recorded it."]
    for key, text in catalogue("en").items():
        for value in (7, ["a", "b", inner]):
            values = {name: value for name in PLACEHOLDER.findall(text)} | {"count": 1}
            messages.append({"text": text, "key": key, "values": values})
    messages.append({"text": "?", "key": SENTENCES, "values": {"texts": [inner, "b"]}})
    script = "async (all) => { const i18n = await import('/static/core/i18n.js');"
    script += " await Promise.all([i18n.loadSetupTexts(), i18n.loadTaskTexts()]);"
    script += " return all.map((each) => i18n.translated(each)); }"
    rendered = page.evaluate(script, messages)
    assert rendered == [translate(each, catalogue("zh")) for each in messages]
    assert rendered[0] == messages[0]


def test_what_was_shown_before_its_texts_came_is_shown_in_them_as_the_service_renders_it(
    browser: Browser,
) -> None:
    with stage() as live:
        page, held = opened(browser, live.url, DESKTOP, [], CHINESE), list[Route]()
        page.evaluate(LISTEN)
        page.route("**/zh/task.json", lambda route: held.append(route))
        expect(page.locator("#caption")).to_contain_text("实时")  # before the test changes it
        lost = {"state": "lost", "sentence": Message("hid.suspended"), "width": 1280, "height": 720}
        live.tell(("screen", lost))  # without a task, they come with the message
        expect(page.locator("#preview")).to_contain_text("The computer is asleep")
        live.begin()
        refused = {"ok": False, "outcome": Message("agent.refused"), "seconds": 1.0}
        both = answered(1, actions=[CLICK, {"kind": "wait", "seconds": 1}])
        live.tell(*looked(1), *both, ("step", {"step": 1, **refused}))
        expect(page.locator("article.step")).to_contain_text("Not carried out.")
        expect(page.locator("#strip")).to_contain_text("1 Click、Wait 1 s")
        turn_to(page, "日志")
        expect(page.locator("#log")).to_contain_text("Not carried out")
        held[0].continue_()
        expect(page.locator("#log")).to_contain_text("没有执行")
        turn_to(page, "对话")
        expect(page.locator("article.step")).to_contain_text("没有执行")
        expect(page.locator("#strip")).to_contain_text("1 单击、等待 1 秒")
        expect(page.locator("#preview")).to_contain_text("电脑已睡眠")
        page.wait_for_function("() => told.some((each) => each.includes('没有执行'))")
        assert not re.search("Click|Wait|Not carried|asleep", str(page.evaluate("told")))
        the_page_renders_messages_as_the_service_does(page)
        page.context.close()
