"""Makes the pictures of the README from the demo: `python -m tests.support.readme_pictures`."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys

from PIL import Image
from playwright.sync_api import Page, expect

from tests.support.beside import compose
from tests.support.browser import DESKTOP, PHONE, TASK, agree, chromium, opened
from tests.support.kvm_hardware import ROOT, any_free_port

FOLDER = ROOT / ".readme"
PICTURES_LOADED = """() => [...document.querySelectorAll('article.step .shot img')].every(
  (each) => each.naturalWidth)"""


def main() -> None:
    port = any_free_port()
    command = [sys.executable, str(ROOT / "cua_webapp.py"), "--demo", "--port", str(port)]
    service = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert service.stdout is not None
    service.stdout.readline()
    try:
        _take(f"http://127.0.0.1:{port}/")
    finally:
        service.send_signal(signal.SIGTERM)
        service.wait()


def _take(url: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with chromium() as browser:
        desk = opened(browser, url, DESKTOP, [])
        agree(desk)
        phone = opened(browser, url, PHONE, [])
        desk.get_by_role("textbox", name="Message").fill("set dns server to 8.8.8.8")
        desk.get_by_role("button", name="Send").click()
        typed = desk.locator("#chat").get_by_text(re.compile("Type .8"))
        expect(typed).to_be_visible(timeout=TASK)
        for page in (desk, phone):
            page.wait_for_function(PICTURES_LOADED)
        _save(desk, "desktop")
        _save(phone, "phone")
        compose(browser, FOLDER)


def _save(page: Page, name: str) -> None:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(FOLDER / f"{name}.webp", quality=85, method=6)


if __name__ == "__main__":
    main()
