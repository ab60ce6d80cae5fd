"""What the grid of a fleet costs a browser: `python -m tests.fleet.grid_cost --computers 40`.

Every computer works, with a model that never answers, and all tiles are in sight.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import CDPSession, expect

from tests.fleet.simulated import simulated_fleet
from tests.support.browser import chromium, keep, opened

ALL_IN_SIGHT = (2560, 2400)
SECONDS = 20


async def _measure(count: int) -> None:
    with TemporaryDirectory() as folder:
        async with simulated_fleet(Path(folder), count) as fleet:
            fleet.model.script = lambda _: {"fault": "silent"}
            with fleet.page() as url:
                await asyncio.to_thread(_look, url, count)


def _look(url: str, count: int) -> None:
    with chromium() as browser:
        page = opened(browser, url, ALL_IN_SIGHT, [])
        expect(page.locator('.tile img[src^="blob:"]')).to_have_count(count, timeout=120_000)
        page.get_by_label("Select all shown").check()
        page.locator("#box").fill("Wait")
        page.locator("#send").click()
        expect(page.locator("#state")).to_have_text(f"{count} Running", timeout=60_000)
        session = browser.new_browser_cdp_session()
        before, began = _cpu_s(session), time.monotonic()
        page.wait_for_timeout(SECONDS * 1000)
        share = (_cpu_s(session) - before) / (time.monotonic() - began)
        keep(page, "fleet-cost")
        sys.stdout.write(f"{count} computers at work: {share:.1%} of a core in the browser\n")


def _cpu_s(session: CDPSession) -> float:
    """Return the CPU time that the browser has used so far."""
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return float(sum(each["cpuTime"] for each in found))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fleet.grid_cost")
    parser.add_argument("--computers", type=int, default=40)
    asyncio.run(_measure(parser.parse_args(arguments).computers))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
