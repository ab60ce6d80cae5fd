"""Files that go with a message: from the drop to the request, the conversation and the export."""

from __future__ import annotations

import base64
import io
import json
from urllib.request import urlopen

import pytest
from PIL import Image
from playwright.sync_api import Browser, FilePayload, expect

from tests.servers.http import in_a_thread
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import DESKTOP, LYING, PHONE, keep, needs_browser, opened
from tests.support.page_checks import axe
from tests.support.scripted_service import stage

pytestmark = needs_browser
DROP = """([image, kinds]) => {
  const data = new DataTransfer();
  const bytes = Uint8Array.from(atob(image), (each) => each.charCodeAt(0));
  data.items.add(new File([bytes], 'cat.png', { type: 'image/png' }));
  data.items.add(new File(['use port 8080'], 'notes.txt', { type: 'text/plain' }));
  for (const kind of kinds)
    document.querySelector('#chat').dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
DROP_LARGE = """() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(11 << 20)], 'big.png', { type: 'image/png' }));
  document.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
}"""
EXPORT = """async () => {
  const headers = { 'X-CUA-Token': sessionStorage.getItem('cua-token') };
  const [task] = await (await fetch('/api/tasks', { headers })).json();
  const file = (form) => fetch(`/api/tasks/${task.id}/export.${form}`, { headers });
  return [await (await file('html')).text(), await (await file('json')).json()];
}"""


def png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (600, 400), "teal").save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_dropped_image_and_a_text_reach_the_model(
    browser: Browser, size: tuple[int, int]
) -> None:
    with (
        in_a_thread(OpenAIServer(lambda _: {"text": "Done"})) as model,
        stage('api_type="openai"', f'base_url="{model}/v1"', 'model_name="m"') as live,
    ):
        page = opened(browser, live.url, size, [])
        expect(page.locator("#caption")).to_contain_text("Live")  # the page holds the session
        page.evaluate(DROP, [base64.b64encode(png()).decode(), ["dragover", "drop"]])
        chips = page.locator(".files li")
        expect(chips).to_have_count(2)
        spare = FilePayload(name="spare.txt", mimeType="", buffer=b"spare")
        odd = FilePayload(name="odd.bin", mimeType="", buffer=b"\0\1")
        with page.expect_file_chooser() as chosen:
            page.get_by_role("button", name="Attach").click()
        empty = FilePayload(name="empty.txt", mimeType="", buffer=b"")
        chosen.value.set_files([spare, odd, empty])
        expect(page.locator("#composer-error")).to_contain_text("odd.bin is neither text nor")
        expect(page.locator("#composer-error")).to_contain_text("empty.txt is empty")
        expect(chips).to_have_count(3)
        expect(page.locator(".files [aria-busy]")).to_have_count(0)
        assert axe(page) == []
        page.get_by_role("button", name="Remove spare.txt").click()
        expect(page.locator("#composer-error")).to_be_hidden()
        page.locator("#box").fill("Make it look like this\n" * 9)
        page.set_viewport_size({"width": LYING[0], "height": LYING[1]})
        expect(page.locator("#send")).to_be_in_viewport(ratio=1)
        expect(page.locator("#stop")).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.locator("#box").fill("Make it look like this")
        page.locator("#send").click()
        expect(chips).to_have_count(0)
        attached = page.locator(".is-task .attached")
        expect(attached.locator("li")).to_have_count(2)
        expect(attached.locator("img[src^=blob]")).to_be_visible()
        attached.locator("summary").click()
        expect(attached.locator("pre")).to_have_text("use port 8080")
        expect(attached.locator("pre")).to_have_attribute("tabindex", "0")  # to scroll it by keys
        while not (requests := json.load(urlopen(f"{model}/requests"))):
            page.wait_for_timeout(50)
        parts = requests[0]["body"]["messages"][1]["content"]
        kinds = [part["type"] for part in parts]
        assert kinds.count("image_url") == 2
        assert "use port 8080" in parts[0]["text"]
        assert 'An image that the person attached for reference, "cat.png"' in parts[1]["text"]
        assert kinds[2] == "image_url"
        html, whole = page.evaluate(EXPORT)
        assert "cat.png" in html
        assert "use port 8080" in html
        image, text = (each for each in whole["events"] if each["kind"] == "file")
        assert Image.open(io.BytesIO(base64.b64decode(image["jpeg"]))).size == (600, 400)
        assert text["data"] == {"name": "notes.txt", "content": "use port 8080"}
        live.begin()
        expect(page.locator("#state")).to_contain_text("Running")
        with page.expect_file_chooser() as chosen:
            page.get_by_role("button", name="Attach").click()
        chosen.value.set_files([spare])
        expect(chips).to_have_count(1)
        page.route("**/api/send", lambda route: route.fulfill(json={}))
        with page.expect_request("**/api/send") as sent:
            page.locator("#send").click()  # a file alone is a hint
        hint = sent.value.post_data_json
        assert hint
        assert len(hint["files"]) == 1
        expect(chips).to_have_count(0)
        page.evaluate(DROP, [base64.b64encode(png()).decode(), ["drop"]])
        page.get_by_role("button", name="Remove notes.txt").click()
        expect(page.locator(".files [aria-busy]")).to_have_count(0)
        live.tell(("status", {"status": "paused", "reason": ""}))  # else the browser asks first
        page.locator("#box").fill("Like this")
        page.reload()
        expect(chips).to_have_text(["cat.png"])
        expect(page.locator("#caption")).to_contain_text("Live")
        keep(page, "file-after-a-reload")
        page.unroute("**/api/send")
        with page.expect_response("**/api/send") as answer:
            page.locator("#send").click()
        assert answer.value.ok, "the service has kept it"
        expect(chips).to_have_count(0)
        page.reload()
        expect(page.locator("#caption")).to_contain_text("Live")
        expect(chips).to_have_count(0)
        page.context.close()


def test_the_local_operator_says_that_it_does_not_look_at_files(browser: Browser) -> None:
    with stage() as live:
        faults: list[str] = []
        page = opened(browser, live.url, DESKTOP, faults)
        page.evaluate(DROP_LARGE)
        # at once: the upload waits until the page holds the session
        page.evaluate(DROP, [base64.b64encode(png()).decode(), ["drop"]])
        expect(page.locator("#composer-error")).to_contain_text("doesn't look at files")
        expect(page.locator(".files li")).to_have_count(0)
        assert [each for each in faults if "409" not in each] == [], "the file that was refused"
        page.context.close()
