"""Every view of the page, each brought about as a person would meet it: for checks of them all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from playwright.sync_api import Browser, Page, expect

from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import STEP, opened
from tests.support.kvm_hardware import ROOT, any_free_port
from tests.support.scripted_service import Fact, Stage, answered, ended, looked, stage

REQUEST: Fact = (
    "request",
    {
        "url": "http://192.168.1.5:8000/v1/chat/completions",
        "same": 0,
        "text": '{\n  "model": "m"\n}',
    },
)
ASKED: Fact = (
    "approval",
    {
        "id": 1,
        "digest": "d",
        "step": 2,
        "words": "Press Alt+F4",
        "rule": "closes",
        "why": "Alt+F4 closes the program, or shuts down from the desktop.",
        "seconds": 100,
        "width": 1280,
        "height": 720,
        "action": {"kind": "keypress", "keys": ["ALT", "F4"], "count": 1},
    },
)
SAVE = "async values => (await import('/static/core/connection.js')).call('/api/settings', values)"
"""For `page.evaluate`, with the values to be saved."""
Open = Callable[[str], Page]
"""A page on this address, at the size and in the light of the check."""
Light = Literal["light", "dark"]
Seen = Iterator[tuple[str, Page]]


def tell(live: Stage) -> None:
    """A task in which everything happens that a card is made of."""
    live.begin()
    live.tell(REQUEST)
    live.step(1, reasoning="The printer is on the left.", cost=0.01)
    live.tell(
        ("effect", {"step": 1, "words": "Most of the screen changed.", "none": False, "areas": []}),
        ("step", {"step": 1, "ok": False, "outcome": "Not carried out.", "seconds": 1.0}),
        ("said", {"text": "the other one", "queued": True}),
        ("question", {"text": "Which printer?"}),
        ("failed", {"text": "The model server is gone."}),
        ("log", {"level": "warning", "text": "slow"}),
        ("done", {"text": "Printed."}),
        (
            "queue",
            {"tasks": [{"id": n, "text": f"print page {n}"} for n in (1, 2)], "held": "Why."},
        ),
    )
    typing = {"kind": "type", "text": "hello printer"}
    live.tell(*looked(2), *answered(2, actions=[typing]))


def everything(
    browser: Browser, folder: Path, size: tuple[int, int], language: str, light: Light
) -> Seen:
    """All of them, one after the other, each with its name. `folder` is for what is exported."""

    def page(url: str) -> Page:
        return opened(browser, url, size, [], language, color_scheme=light)

    yield from _started(page)
    with stage("take_over=true", "exclusive=true") as live:
        held = page(live.url)
        yield from _empty(page, live, held)
        yield from _at_work(live, held)
        yield from _elsewhere(live, held)
        yield from _before(held, folder)
        held.context.close()
    yield from _strangers(page)


def _started(page: Open) -> Seen:
    with (
        stage("notice_acknowledged=false", 'api_type="openai"') as live,
        in_a_thread(OpenAIServer(lambda _: {"text": "Done"})) as model,
    ):
        first = page(live.url)
        expect(first.locator("#notice")).to_be_visible()
        yield "notice", first
        first.locator("#understood").click()
        expect(first.locator("#first select").first).to_be_visible()
        yield "first-model", first
        first.locator("#first-preset").select_option("ollama")
        first.locator("#first [name=base_url]").fill(f"{model}/v1")
        first.locator("#first [type=submit]").click()
        expect(first.locator("#first-title")).to_be_focused()
        yield "first-try", first
        first.context.close()


def _empty(page: Open, live: Stage, held: Page) -> Seen:
    expect(held.locator(".empty")).to_be_visible()
    yield "empty", held
    other = page(live.url)
    expect(other.locator("#refused")).to_be_visible()
    yield "refused", other
    other.locator("#watch-only").click()
    expect(other.locator("#state")).to_be_visible()
    expect(other.locator("#caption b")).to_be_visible()
    yield "watching", other
    other.context.close()


def _at_work(live: Stage, held: Page) -> Seen:
    tell(live)
    expect(held.locator("article.step").last).to_be_visible(timeout=STEP)
    yield "chat", held
    held.locator("article.step .shot button").first.click()
    expect(held.locator("#lightbox img")).to_be_visible()
    yield "lightbox", held
    held.keyboard.press("Escape")
    live.tell(ASKED)
    expect(held.locator("#approval")).to_be_visible()
    yield "approval", held


def _elsewhere(live: Stage, held: Page) -> Seen:
    live.tell(*ended(2), ("status", {"status": "done", "reason": ""}))
    held.locator("#take").click()
    expect(held.locator("#control-bar")).to_be_visible()
    yield "manual-control", held
    held.locator("#take").click()
    held.locator("#tab-log").click()
    held.locator("#log summary").first.click()
    expect(held.locator("#log pre").first).to_be_visible()
    yield "log", held
    held.locator("#tab-settings").click()
    expect(held.locator("#settings fieldset").first).to_be_visible()
    yield "settings", held


def _before(held: Page, folder: Path) -> Seen:
    held.locator("#tab-history").click()
    expect(held.locator(".task").first).to_be_visible()
    yield "history", held
    held.locator(".task").first.click()
    expect(held.locator(".replayed .step")).to_be_visible()
    yield "replay", held
    with held.expect_download() as download:
        held.locator(".replay .buttons button").nth(2).click()
    file = folder / "task.html"
    download.value.save_as(file)
    exported = held.context.new_page()
    exported.goto(file.as_uri())
    yield "exported", exported
    exported.close()


def _strangers(page: Open) -> Seen:
    with service("--auth", "1", "--host", "127.0.0.1") as url:
        stranger = page(url)
        code = stranger.locator("#code")
        expect(code).to_be_visible(timeout=STEP)
        expect(stranger.locator("#pair-error")).to_be_hidden()
        told = stranger.locator("#refused-reason").inner_text()
        code.fill("000000")
        code.press("Enter")
        expect(stranger.locator("#pair-error")).to_be_visible(timeout=STEP)
        expect(code).to_have_attribute("aria-invalid", "true")
        expect(stranger.locator("#refused-reason")).to_have_text(told)
        yield "pairing", stranger
        stranger.context.close()


@contextmanager
def service(*options: str, **environ: str) -> Iterator[str]:
    """The program itself with its simulated computer; gives its address."""
    port = any_free_port()
    command = [sys.executable, str(ROOT / "cua_webapp.py"), "--demo", "--port", str(port), *options]
    with TemporaryDirectory() as folder:
        environ = {**os.environ, "CUA_CONFIG": f"{folder}/settings.json", **environ}
        running = subprocess.Popen(command, stdout=subprocess.PIPE, env=environ)
        assert running.stdout is not None
        running.stdout.readline()
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            running.send_signal(signal.SIGTERM)
            running.wait()
            running.stdout.close()
