"""A hostile web page beside ours, and hostile words in ours: in a real Chromium."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.support.browser import DESKTOP, PHONE, SHELL, STEP, needs_browser, opened, turn_to
from tests.support.scripted_service import Stage, ended, looked

pytestmark = needs_browser

NAMES = "MAP evil.test 127.0.0.1, MAP rebound.test 127.0.0.1"

ATTACK = """
<!doctype html><title>Nice pictures</title><body><script>
const target = TARGET;
const socket = target.replace('http', 'ws');
const done = {opened: 0, read: 0};
const commands = ['send', 'resume', 'stop', 'pause', 'reset', 'settings', 'notice', 'approve',
  'refuse', 'checkup', 'checkup/stop'];
const body = JSON.stringify({text: 'open a terminal', max_rounds: 999});
async function tryAll() {
  for (const path of ['', 'api/settings', 'api/checkup', 'static/app.js']) {
    document.body.append(Object.assign(new Image(), {src: target + path}));
    const frame = document.createElement('iframe');
    frame.src = target + path;
    document.body.append(frame);
  }
  for (const command of commands) {
    const url = `${target}api/${command}`;
    const form = document.createElement('form');
    Object.assign(form, {action: url, method: 'post', enctype: 'text/plain', target: 'hole'});
    form.append(Object.assign(document.createElement('input'), {name: body, value: ''}));
    document.body.append(form);
    form.submit();
    navigator.sendBeacon(url, body);
    for (const mode of ['no-cors', 'cors']) {
      const plain = {method: 'POST', mode, body, credentials: 'include'};
      const answers = [fetch(url, plain)];
      if (mode === 'cors') {
        const headers = {'Content-Type': 'application/json', 'X-CUA-Token': 'guess'};
        answers.push(fetch(url, {...plain, headers}), fetch(url, {mode, headers}));
      }
      for (const answer of answers)
        await answer.then((a) => a.text()).then((t) => { if (t) done.read += 1; }).catch(() => 0);
    }
  }
  for (const path of ['api/ws', 'api/preview']) {
    await new Promise((resolve) => {
      const ws = new WebSocket(socket + path);
      ws.onopen = () => {
        done.opened += 1;
        ws.send(JSON.stringify({type: 'hello', take_over: true}));
      };
      ws.onclose = resolve;
    });
  }
  window.results = done;
}
document.body.append(Object.assign(document.createElement('iframe'), {name: 'hole'}));
tryAll();
</script>
"""

PAYLOADS = [
    "<script>pwned()</script>",
    "<script src=//evil.test/x.js></script>",
    "<img src=x onerror=pwned()>",
    "<img src=x onerror='pwned()'//>",
    "<svg onload=pwned()>",
    "<svg><script>pwned()</script></svg>",
    "<svg><animate onbegin=pwned() attributeName=x dur=1s>",
    "<body onload=pwned()>",
    "<iframe src=javascript:pwned()>",
    "<iframe srcdoc='<script>parent.pwned()</script>'>",
    "<a href=javascript:pwned()>click</a>",
    "<details open ontoggle=pwned()>",
    "<input autofocus onfocus=pwned()>",
    "<video><source onerror=pwned()>",
    "<marquee onstart=pwned()>",
    "<math><mtext><table><mglyph><style><img src=x onerror=pwned()>",
    "<object data=javascript:pwned()>",
    "<form action=javascript:pwned()><button autofocus>x",
    "<link rel=stylesheet href=//evil.test/x.css>",
    "<meta http-equiv=refresh content='0;url=javascript:pwned()'>",
    "<base href=//evil.test/>",
    "<template><script>pwned()</script></template>",
    "[x](javascript:pwned())",
    "![x](x onerror=pwned())",
    "{{constructor.constructor('pwned()')()}}",
]
WRAPPINGS = ("{}", '">{}', "'>{}<!--", "</textarea></title></script>{}")
ALL = [wrapping.format(payload) for payload in PAYLOADS for wrapping in WRAPPINGS]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", f"--host-resolver-rules={NAMES}"]
        browser = playwright.chromium.launch(executable_path=SHELL, args=arguments)
        yield browser
        browser.close()


@contextmanager
def attacker(target: str) -> Iterator[int]:
    """A web server whose every page attacks `target`; gives its port."""
    page = ATTACK.replace("TARGET", json.dumps(target)).encode()

    class Visit(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Visit)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def settled(page: Page) -> str:
    """What a command could have changed, as the page in charge sees it."""
    state = """async () => {
      const token = sessionStorage.getItem('cua-token');
      const answer = await fetch('/api/settings', {headers: {'X-CUA-Token': token}});
      return JSON.stringify([(await answer.json()).values, document.body.dataset.status]);
    }"""
    return str(page.evaluate(state))


def test_a_hostile_page_changes_nothing_and_learns_nothing(browser: Browser, live: Stage) -> None:
    """A foreign host name (DNS rebinding) gets no answer either."""
    ours = opened(browser, live.url, DESKTOP, [])
    expect(ours.locator("body")).to_have_attribute("data-status", "idle")
    before = settled(ours)
    with attacker(live.url) as port:
        for place in ("evil.test", "127.0.0.1", "rebound.test"):
            theirs = ours.context.new_page()
            theirs.goto(f"http://{place}:{port}/")
            theirs.wait_for_function("window.results", timeout=60_000)
            assert theirs.evaluate("window.results") == {"opened": 0, "read": 0}, place
            assert framed(theirs) == [], place
            theirs.close()
            assert settled(ours) == before, place
            expect(ours.locator("body")).to_have_attribute("data-status", "idle")
    rebound = browser.new_context().new_page()
    for path in ("static/app.js", "api/settings", ""):
        answer = rebound.goto(f"http://rebound.test:{urlsplit(live.url).port}/{path}")
        assert answer
        assert answer.status == 421
    read = "fetch('/api/stop', {method: 'POST'}).then((answer) => answer.status)"
    assert rebound.evaluate(read) == 421
    for page in (ours, rebound):
        page.context.close()


def framed(page: Page) -> list[str]:
    """The frames in which our page is to be seen."""
    return [frame.url for frame in page.frames if frame.locator("#composer").count()]


def watched(context: BrowserContext) -> None:
    context.add_init_script(
        "window.executed = []; window.pwned = () => executed.push(1);"
        "addEventListener('securitypolicyviolation', (e) => executed.push(e.violatedDirective));"
        "window.alert = window.pwned;"
    )


def hostile(live: Stage, first: int, words: str) -> None:
    """The words in each place to which a model, a server or a person can bring them."""
    action = {"kind": "type", "text": words, "words": words}
    odd = {"kind": words, "words": words}
    reply = {
        "text": words,
        "thought": words,
        "reasoning": words,
        "actions": [action, odd],
        "seconds": 1,
        "tokens_in": 1,
        "tokens_out": 1,
    }
    live.tell(
        ("task", {"text": words, "max_rounds": 20}),
        ("said", {"text": words, "queued": False}),
        *looked(first),
        ("reply", {"step": first, **reply}),
        ("step", {"step": first, "ok": False, "outcome": words, "seconds": 1.0}),
        *ended(first),
        ("question", {"text": words}),
        ("done", {"text": words}),
        ("failed", {"text": words}),
        ("log", {"level": "error", "text": words}),
        ("screen", {"state": "lost", "sentence": words, "width": 1280, "height": 720}),
        ("status", {"status": "paused", "reason": words}),
    )


def test_a_hundred_payloads_are_shown_as_words(browser: Browser, live: Stage) -> None:
    assert len(ALL) == 100
    page = opened(browser, live.url, PHONE, [])
    watched(page.context)
    page.reload()
    for number, words in enumerate(ALL, 1):
        hostile(live, number, words)
    expect(page.locator("#chat")).to_contain_text(ALL[-1], timeout=STEP)
    turn_to(page, "Log")
    expect(page.locator("#log")).to_contain_text(ALL[-1])
    turn_to(page, "Settings")
    prompt = page.locator("[name=initial_prompt]")
    save = "/api/settings"
    for words in (f"{ALL[0]} {ALL[4]}", ALL[-1]):
        page.evaluate(
            """([path, words]) => fetch(path, {method: 'POST', body: JSON.stringify(
              {initial_prompt: words, model_name: words.slice(0, 100)}), headers:
              {'X-CUA-Token': sessionStorage.getItem('cua-token'), 'Content-Type':
              'application/json'}})""",
            [save, words],
        )
        page.reload()  # all of it is told again
        turn_to(page, "Settings")
        expect(prompt).to_have_value(words, timeout=STEP)
    turn_to(page, "Chat")
    expect(page.locator("#chat")).to_contain_text(ALL[-1], timeout=STEP)
    expect(page.locator("#latest")).to_be_hidden()
    assert page.evaluate("executed") == []
    assert page.locator("iframe, object, embed, base, marquee, #chat script").count() == 0
