"""From the KVM's button to Done: `python -m tests.cli.install.bare_debian [NAME ...]`.

A root with Python and pip and nothing of ours, as a KVM has; a program that does what the KVM's
server does (starts it, reads the line, closes the pipe); a person in a browser. Four ways to get
there: with the network, cut off in the middle, on a full disk, without a network from the bundle.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect

from cua.cli.install import bundle
from tests.cli.install.aarch64 import SCRIPT
from tests.cli.install.debian_root import CERTIFICATES, PLACE, Root, root
from tests.servers.openai_server import OpenAIServer
from tests.support.browser import DESKTOP, STEP, TASK, chromium, keep, opened
from tests.support.kvm_hardware import any_free_port

NO_NETWORK = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
BUTTON = "Install Dependencies"


class Visit:
    """One scenario's root, model and browser."""

    def __init__(self, system: Root, browser: Browser, model: str) -> None:
        self.system, self.browser = system, browser
        self._environ = {
            "CUA_API_TYPE": "openai",
            "CUA_BASE_URL": model,
            "CUA_API_KEY": "none",
            "CUA_MODEL_NAME": "scripted",
            "PIP_CERT": str(CERTIFICATES),
        }
        self._port = any_free_port()

    @contextlib.contextmanager
    def started(self, **environ: str) -> Iterator[tuple[subprocess.Popen[str], Page]]:
        """As the KVM's server does it, and the page that it opens."""
        process = self.system.start(
            *("python3", f"{PLACE}/cua_webapp.py", "--auth", "1"),
            *(
                "--demo",
                "--model",
                "settings",
                "--access",
                "first-visitor",
                "--port",
                str(self._port),
            ),
            environ={**self._environ, **environ},
        )
        assert process.stdout is not None
        try:
            while "Authentication" not in (line := process.stdout.readline()):
                assert line, "it ended without its line"
            process.stdout.close()
            yield process, opened(self.browser, f"http://127.0.0.1:{self._port}/", DESKTOP, [])
        finally:
            for context in self.browser.contexts:
                context.close()
            process.kill()
            process.wait()

    def works(self, page: Page) -> None:
        """From the notice to Done."""
        page.get_by_role("button", name="I understand").click(timeout=TASK)
        expect(page.locator("#notice")).to_be_hidden(timeout=STEP)
        page.get_by_role("textbox", name="Message to the agent").fill("say hello")
        send, state = page.locator("#send"), page.locator("#state")
        try:
            for _ in range(3):  # a browser that is slow to answer pauses the run, and Send resumes
                send.click()
                expect(state).to_contain_text(re.compile("Done|Paused"), timeout=STEP)
                if "Done" in state.inner_text():
                    break
            expect(state).to_contain_text("Done", timeout=STEP)
        finally:
            keep(page, "bare-done")


def online(visit: Visit) -> None:
    with visit.started() as (_, page):
        page.get_by_role("button", name=BUTTON).click(timeout=STEP)
        expect(page.get_by_text("Downloading").first).to_be_visible(timeout=STEP)
        keep(page, "bare-installing")
        visit.works(page)
    with visit.started(**NO_NETWORK) as (_, page):
        expect(page.get_by_role("textbox", name="Message to the agent")).to_be_visible(timeout=STEP)


def cut(visit: Visit) -> None:
    with visit.started() as (process, page):
        page.get_by_role("button", name=BUTTON).click(timeout=STEP)
        several = re.compile("(Downloading[^$]*){5}")
        expect(page.locator("#lines")).to_contain_text(several, timeout=STEP)
        process.send_signal(signal.SIGKILL)
    time.sleep(2)
    with visit.started() as (_, page):  # without another click
        visit.works(page)


def full(visit: Visit) -> None:
    place = visit.system.program / ".installed"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=30m", "none", place], check=True)
    try:
        with visit.started() as (_, page):
            page.get_by_role("button", name=BUTTON).click(timeout=STEP)
            expect(page.get_by_role("alert")).to_contain_text("are needed", timeout=STEP)
            keep(page, "bare-full")
            subprocess.run(["mount", "-o", "remount,size=300m", place], check=True)
            page.get_by_role("button", name="Try again").click()
            visit.works(page)
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def offline(visit: Visit) -> None:
    with visit.started(**NO_NETWORK) as (_, page):
        page.get_by_role("button", name=BUTTON).click(timeout=STEP)
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached", timeout=STEP)
        keep(page, "bare-offline")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "bundle.tar.gz"
        python = visit.system.python()
        bundle.main(["--machine", os.uname().machine, "--python", python, "--to", str(file)])
        subprocess.run(["tar", "-C", visit.system.program.parent, "-xzf", file], check=True)
    with visit.started(**NO_NETWORK) as (_, page):  # already started: no other click
        visit.works(page)


WAYS: dict[str, Callable[[Visit], None]] = {
    "online": online,
    "cut": cut,
    "full": full,
    "offline": offline,
}


async def main() -> None:
    system = root("amd64", "python3-pip", "python3-venv")
    for name in sys.argv[1:] or WAYS:
        began = time.monotonic()
        async with OpenAIServer(SCRIPT) as model:
            await asyncio.to_thread(_go, WAYS[name], system, model.base_url)
        sys.stdout.write(f"{name}: from the button to Done, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()


def _go(way: Callable[[Visit], None], system: Root, model: str) -> None:
    system.copy_program()
    with chromium() as browser:
        way(Visit(system, browser, model))


if __name__ == "__main__":
    asyncio.run(main())
