"""What tells of the agent to who looks elsewhere: sound, notice, title, icon; and a screen kept on.

Only the browser's own doors are listened at: which tones, notices and locks the page asks it for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import CHROMIUM, DESKTOP, PHONE, chromium, needs_browser, opened
from tests.support.page_views import ASKED, service
from tests.support.scripted_service import Stage, answered, ended, looked

pytestmark = needs_browser
LISTEN = """
  window.asked = {tones: [], notices: [], locks: []};
  const begin = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    asked.tones.push(this.frequency.value);
    return begin.apply(this, when);
  };
  window.Notification = class extends Notification {
    constructor(title, more) { super(title, more); asked.notices.push([title, more.body]); }
  };
  const lock = WakeLock.prototype.request;
  WakeLock.prototype.request = async function (kind) {
    const made = await lock.call(this, kind);
    asked.locks.push(made);
    return made;
  };
"""
BEHIND, BEFORE = "document.hasFocus = () => false", "delete document.hasFocus"
"""The page is visible; the keyboard focus is in another window, or in this one."""
HIDE = """
  Object.defineProperty(document, 'visibilityState', {get: () => 'hidden'});
  Object.defineProperty(document, 'hidden', {get: () => true});
  document.hasFocus = () => false;
  document.dispatchEvent(new Event('visibilitychange'));
"""
PLAIN_HTTP = "delete Navigator.prototype.wakeLock"
"""A browser gives no lock to a page that came over plain http."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The whole browser: its shell shows no notices and keeps no screen on."""
    with chromium(CHROMIUM) as browser:
        yield browser


def listening(browser: Browser, live: Stage, *scripts: str, may: str = "notifications") -> Page:
    page = opened(browser, "about:blank", DESKTOP, [])
    if may == "notifications":
        page.context.grant_permissions([may], origin=live.url)
    else:  # Playwright has no name for it
        allowed = {"origin": live.url, "permissions": [may]}
        page.context.new_cdp_session(page).send("Browser.grantPermissions", allowed)
    for script in scripts:
        page.add_init_script(script)
    page.goto(live.url)
    expect(page.locator("#caption")).to_contain_text("Live")
    return page


def until(page: Page, true: str, seen: list[Any] | None = None) -> None:
    """Playwright's own way of waiting is one that the page's policy forbids."""
    for _ in range(100):
        if page.evaluate(f"seen => Boolean({true})", seen):
            return
        page.wait_for_timeout(100)
    raise AssertionError(true)


def test_a_question_and_a_pause_for_the_hidden_page_ring_and_show_a_notice_once_it_is_allowed(
    browser: Browser, live: Stage
) -> None:
    page = listening(browser, live, LISTEN)
    page.evaluate(BEHIND)
    live.begin()
    live.tell(*looked(2), *answered(2), ASKED)
    expect(page.locator("#approval")).to_be_visible()
    assert page.evaluate("asked.tones") == []  # sound is not allowed yet
    live.tell(("answered", {"id": 1, "answer": "refused"}))
    expect(page.locator("#approval")).to_be_hidden()
    page.locator("#bell").click()
    expect(page.locator("#bell")).to_have_attribute("aria-pressed", "true")
    live.tell(ASKED)
    expect(page.locator("#approval")).to_be_visible()
    until(page, "asked.tones.length === 5 && asked.notices.length === 1")
    assert page.evaluate("asked.tones") == [
        660,
        880,
        880,
        660,
        880,
    ]  # the bell, the question
    assert page.evaluate("asked.notices") == [["Needs approval", "Press Alt+F4"]]

    page.evaluate(BEFORE)
    live.tell(("answered", {"id": 1, "answer": "refused"}))
    live.tell(("status", {"status": "done", "reason": ""}))
    expect(page.locator("#approval")).to_be_hidden()
    until(page, "asked.tones.length === 7")  # it is done; who is here needs no notice
    page.evaluate(BEHIND)
    live.tell(("done", {"text": "Saved.", "refused": True}))
    until(page, "asked.notices.length === 2")
    assert page.evaluate("asked.notices.pop()") == ["Partly done", "Saved."]
    page.evaluate(f"asked.tones.length = 7; {BEFORE}")
    page.get_by_role("textbox", name="Message").fill('wait for "something that never comes"')
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#state")).to_contain_text("Running")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.locator("#state")).to_contain_text("Running")
    assert page.evaluate("asked.tones.length") == 7  # the person's own pause is no news
    page.evaluate(HIDE)
    until(page, "asked.tones.length === 10 && asked.notices.length === 2")
    assert page.evaluate("asked.notices.slice(1)") == [
        [
            "Paused",
            "The page was hidden. Open the page and press Resume to continue.",
        ]
    ]
    page.context.close()


def test_another_tab_shows_how_it_stands_and_the_screen_stays_on_while_a_task_runs(
    browser: Browser, live: Stage
) -> None:
    page = listening(browser, live, LISTEN, may="wakeLockScreen")
    icon = page.locator("link[rel=icon]")
    seen = {icon.get_attribute("href")}
    live.begin()
    live.step(1)
    for status, title in (("running", "Running"), ("paused", "Paused"), ("done", "Done")):
        live.tell(("status", {"status": status, "reason": ""}))
        expect(page).to_have_title(f"{title} · Computer-use agent")
        until(page, "!seen.includes(document.querySelector('link[rel=icon]').href)", list(seen))
        seen.add(icon.get_attribute("href"))
        locked = "asked.locks.length === 1 && !asked.locks[0].released"
        until(page, locked if status == "running" else "asked.locks[0].released")
    page.context.close()


def test_on_plain_http_a_film_keeps_it_on_and_the_live_picture_floats_over_other_windows(
    browser: Browser, live: Stage
) -> None:
    """The spinner is not drawn anew while a reply is streamed."""
    page = listening(browser, live, PLAIN_HTTP)
    live.begin()
    live.tell(*looked(1))
    expect(page.locator("article.step .phase")).to_contain_text("Thinking")
    spinner = page.locator("article.step .phase > :first-child").last
    spinner.evaluate("node => node.dataset.same = 'yes'")
    live.send_transient("draft", text="I see")
    expect(page.locator(".draft")).to_have_text("I see")
    expect(spinner).to_have_attribute("data-same", "yes")
    live.tell(*answered(1), *ended(1))
    until(page, "document.querySelector('video')?.currentTime > 0")
    live.tell(("status", {"status": "done", "reason": ""}))
    until(page, "document.querySelector('video').paused")

    if not page.evaluate("document.pictureInPictureEnabled"):
        pytest.skip("this browser has no picture in picture")
    page.locator("#float").click()
    until(page, "document.pictureInPictureElement?.videoWidth > 0")
    expect(page.locator("#caption")).not_to_contain_text("pauses")  # nothing runs
    live.tell(("status", {"status": "running", "reason": ""}))
    expect(page.locator("#caption")).to_contain_text("Leaving this tab pauses the task")
    page.locator("#float").click()
    until(page, "!document.pictureInPictureElement")
    expect(page.locator("#caption")).not_to_contain_text("pauses")
    page.context.close()


def test_over_https_it_can_be_installed(browser: Browser, tmp_path: Path) -> None:
    made = trustme.CA().issue_cert("127.0.0.1")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made.cert_chain_pems[0].write_to_path(str(cert))
    made.private_key_pem.write_to_path(str(key))
    with service("--tls-cert", str(cert), "--tls-key", str(key)) as url:
        secure = url.replace("http", "https", 1)
        page = opened(browser, secure, PHONE, [], ignore_https_errors=True)
        expect(page.locator("#caption")).to_contain_text("Live")
        devtools = page.context.new_cdp_session(page)
        manifest = devtools.send("Page.getAppManifest")
        assert manifest["errors"] == []
        assert '"standalone"' in manifest["data"]
        faults = devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [each["errorId"] for each in faults if each["errorId"] != "in-incognito"] == []
        page.context.close()
