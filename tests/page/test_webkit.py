"""The page in WebKitGTK, of what runs here the nearest to the Safari of a phone."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from cua.evaluation.desktop.xserver import XServer
from tests.support.kvm_hardware import any_free_port
from tests.support.scripted_service import Stage, answered, ended, looked, stage

DRIVER = shutil.which("WebKitWebDriver")
BROWSERS = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"))
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (DRIVER and BROWSERS and shutil.which("Xvfb") and shutil.which("openbox")),
        reason="needs WebKit: apt-get install webkit2gtk-driver xvfb openbox",
    ),
]
MOVES = [
    {"type": "pointerMove", "x": 200, "y": 200, "duration": 50},
    {"type": "pointerDown", "button": 0},
    {"type": "pointerMove", "x": 300, "y": 260, "duration": 200},
    {"type": "pointerUp", "button": 0},
]


class WebKit:
    """A window of it, by the W3C's WebDriver protocol."""

    def __init__(self, port: int) -> None:
        transport = httpx2.HTTPTransport(retries=20)
        base = f"http://127.0.0.1:{port}/session"
        self._http = httpx2.Client(base_url=base, transport=transport, timeout=60, trust_env=False)
        options = {"binary": str(BROWSERS[0]), "args": ["--automation"]}
        match = {"browserName": "MiniBrowser", "webkitgtk:browserOptions": options}
        self._session = ""
        self._session = self._post("", capabilities={"alwaysMatch": match})["sessionId"]

    def open(self, url: str) -> None:
        self._post("/url", url=url)

    def js(self, code: str) -> Any:
        return self._post("/execute/sync", script=code, args=[])

    def until(self, condition: str) -> None:
        ends = time.monotonic() + 60
        while not self.js(f"return {condition}"):
            assert time.monotonic() < ends, f"it does not become so: {condition}"
            time.sleep(0.1)

    def size(self, width: int, height: int) -> None:
        self._post("/window/rect", width=width, height=height)

    def click(self, selector: str) -> None:
        found = self._post("/element", using="css selector", value=selector)[ELEMENT]
        self._post(f"/element/{found}/click")

    def pull(self, kind: str) -> None:
        pointer = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}}
        self._post("/actions", actions=[{**pointer, "actions": MOVES}])

    def close(self) -> None:
        self._http.delete(f"/{self._session}")
        self._http.close()

    def _post(self, path: str, **body: Any) -> Any:
        answer = self._http.post(f"/{self._session}{path}" if self._session else "", json=body)
        assert answer.is_success, answer.text
        return answer.json()["value"]


@pytest.fixture(scope="module")
def webkit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebKit]:
    x = XServer(tmp_path_factory.mktemp("webkit") / "x", (1400, 1000))
    port = any_free_port()
    environ = {
        **os.environ,
        "DISPLAY": x.display,
        "HOME": str(x.home),
        "NO_AT_BRIDGE": "1",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "GSETTINGS_BACKEND": "memory",
    }
    driver = subprocess.Popen([str(DRIVER), f"--port={port}"], env=environ)
    try:
        made = WebKit(port)
        yield made
        made.close()
    finally:
        driver.terminate()
        driver.wait()
        x.stop()


SHADE = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d');
  pen.drawImage(document.querySelector('#canvas'), 640, 100, 1, 1, 0, 0, 1, 1);
  return pen.getImageData(0, 0, 1, 1).data[0];
}"""
"""Of one point in the live picture."""


def begin(webkit: WebKit, live: Stage) -> None:
    webkit.size(1280, 880)
    webkit.open(live.url)
    webkit.until("document.querySelector('#caption')?.textContent.includes('Live')")
    live.begin()
    for number in range(1, 6):
        live.tell(*looked(number), *answered(number), *ended(number))
    webkit.until("document.querySelectorAll('article.step').length === 5")


def test_the_live_picture_is_drawn_and_the_newest_step_followed(
    webkit: WebKit, live: Stage
) -> None:
    begin(webkit, live)
    webkit.until(f"({SHADE})() > 40")
    room = "document.querySelector('#panel-chat')"
    end = f"{room}.scrollHeight - {room}.scrollTop - {room}.clientHeight < 60"
    webkit.until(end)
    for size in ((480, 924), (1280, 880)):  # as when a phone is turned
        webkit.size(*size)
        webkit.until(f"Math.abs(outerWidth - {size[0]}) < 60")
        live.send_transient("draft", text="")
        webkit.until(end)
    assert webkit.js("return document.querySelector('#latest').hidden")


def test_a_drag_reaches_the_computer_and_lets_go(webkit: WebKit) -> None:
    with stage("take_over=true") as live:
        begin(webkit, live)
        webkit.until("document.querySelector('#take').checkVisibility()")
        webkit.click("#take")
        webkit.until("document.body.dataset.manualControl !== undefined")
        for kind in ("mouse", "touch"):
            live.reports("pointer")
            webkit.pull(kind)
            webkit.until("document.body.dataset.waiting === '0'")
            reports = live.reports("pointer")
            assert len({each[1:5] for each in reports if each[0] & 1}) > 2, kind
            assert reports[-1][0] == 0, kind
