"""One whole task as a person gives it: from the page, by the Local operator, on the real desktop.

The page is in a Chromium of its own. The desktop is reached by its pictures and by HID reports, and
what became of it is asked of the web page there, of which the agent knows nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from cua.evaluation.desktop.programs import find_missing
from cua.evaluation.environments import RealDesktop
from tests.support.browser import (
    DESKTOP,
    STEP,
    agree,
    keep,
    needs_browser,
    opened,
    press_until_gone,
)
from tests.support.kvm_hardware import ROOT, any_free_port

from .real_desktop import FORM, TERMINAL

pytestmark = [
    *needs_browser,
    pytest.mark.skipif(bool(find_missing()), reason=f"needs {', '.join(find_missing())}"),
]


TASK = 'type "London Bridge" into "City", click "Send", check that "the order was sent" is shown'


@contextmanager
def desktop(*programs: dict[str, Any]) -> Iterator[tuple[RealDesktop, dict[str, Any]]]:
    made = RealDesktop("--scenario", json.dumps({"open": programs}))
    try:
        with ThreadPoolExecutor(1) as aside:  # the browser's loop runs in this thread
            yield made, aside.submit(asyncio.run, made.addresses()).result()
    finally:
        made.stop()


@contextmanager
def service(folder: Path, desk: RealDesktop, stream: str) -> Iterator[str]:
    port = any_free_port()
    environ = {
        "CUA_CONFIG": str(folder / "settings.json"),
        "CUA_API_TYPE": "local",
        "CUA_STREAM_URL": stream,
        "CUA_HID_PREFIX": desk.hid_prefix,
    }
    process = subprocess.Popen(
        [sys.executable, ROOT / "cua_webapp.py", "--port", str(port)],
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert b"Authentication" in process.stdout.readline()
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def test_an_order_is_sent(browser: Browser, tmp_path: Path) -> None:
    faults: list[str] = []
    with (
        desktop(TERMINAL, FORM) as (desk, addresses),
        service(tmp_path, desk, addresses["stream"]) as url,
    ):
        page = opened(browser, url, DESKTOP, faults)
        agree(page)
        page.get_by_role("textbox", name="Message").fill(TASK)
        page.get_by_role("button", name="Send").click()
        card = page.get_by_role("dialog")  # sending is asked about
        expect(card).to_be_visible(timeout=STEP)
        press_until_gone(card.get_by_role("button", name="Allow"))
        expect(page.locator("#state")).to_contain_text("Done", timeout=STEP)
        keep(page, "real-desktop-done")
        with urllib.request.urlopen(addresses["state"]) as answer:
            result = json.load(answer)["page"]["result"]
    assert (result["sent"], result["order"]["city"]) == (1, "London Bridge")
    assert faults == []
