"""The page of a fleet in a browser, on simulated computers in processes of their own."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from cua.messages import Message, sentences, to_json
from tests.fleet.simulated import TASK, Fleet, simulated_fleet
from tests.support.browser import (
    DESKTOP,
    LYING,
    PHONE,
    TABLET,
    chromium,
    keep,
    needs_browser,
    opened,
    press_until_gone,
)
from tests.support.page_checks import LOST, THUMB, WIDE, axe

pytestmark = needs_browser
COUNT = 3
LONG = TASK.replace("»", " " + "x" * 1900 + "»")
RISKY = "rm -rf /srv"
ARROW_PX = 20
REFRESH_MS = 1500
"""Time in which the grid has asked for the tiles again."""
CUT = """arrow => {
  const pen = document.createElement('canvas').getContext('2d');
  const isCut = (node) => {
    const style = getComputedStyle(node);
    pen.font = style.font;
    const words = node.placeholder || node.selectedOptions[0].text;
    const room = node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return pen.measureText(words).width > room - (node.options ? arrow : 0) && words;
  };
  return [...document.querySelectorAll('#search, select, #box')].map(isCut).filter(Boolean);
}"""
"""The words of filters and of the message box that are wider than these."""
BROKEN = """() => [...document.querySelectorAll('.tile .line')].filter((line) => {
  const range = new Range();
  range.selectNode(line.lastChild);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
}).length"""
"""Tiles whose step takes more than one line."""


def script(body: dict[str, Any]) -> dict[str, Any]:
    """Type what stands in quotes, for ever; or ask which folder, then clean it."""
    text = json.dumps(body["messages"], ensure_ascii=False)
    if quoted := re.findall("«(.*?)»", text):
        return {"text": f"typestr {quoted[-1]}\nkeyboard ENTER"}
    if "/srv" not in text:
        return {"text": "$ Which folder?"}
    return {"text": "Done" if f"typestr {RISKY}" in text else f"typestr {RISKY}\nkeyboard ENTER"}


@pytest.mark.slow
async def test_a_fleet_on_one_page(tmp_path: Path) -> None:
    async with simulated_fleet(tmp_path, COUNT) as fleet:
        fleet.model.script = script
        with fleet.page() as url:
            await asyncio.to_thread(_use, fleet, url)


def _use(fleet: Fleet, url: str) -> None:
    faults: list[str] = []
    with chromium() as browser:
        page = opened(browser, url, DESKTOP, faults)
        _see_and_filter(page)
        _fold_commands(page)
        _answer_together(fleet, page)
        _open_a_computer_while_all_type(fleet, page)
        page.close()
        _check_all_rest(fleet)
        page = opened(browser, url, PHONE, faults)
        expect(page.locator("#state")).to_contain_text(f"Paused: {COUNT}")
        _stop_all(fleet, page)
        assert faults == []


def _see_and_filter(page: Page) -> None:
    tiles = page.locator(".tile:visible")
    expect(tiles).to_have_count(COUNT)
    expect(page.locator("body")).to_have_attribute("data-status", "idle")
    expect(page.locator('.tile img[src^="blob:"]')).to_have_count(COUNT)
    expect(tiles.first.locator(".help")).to_have_text("paris")  # its label says no more
    page.locator("#filter-group").select_option("paris")
    expect(tiles).to_have_count(2)
    page.locator("#search").fill("PC03")
    page.get_by_label("Select all shown").check()
    expect(page.locator("#send")).to_have_text("Send to 1")
    page.locator("#filter-state").select_option("running")
    expect(page.locator("#none")).to_be_visible()
    for filters in ("#filter-group", "#filter-state"):
        page.locator(filters).select_option("")
    page.locator("#search").fill("")
    for width, height in (TABLET, PHONE, LYING, DESKTOP):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(CUT, ARROW_PX) == []
        expect(tiles.first.locator("img")).to_be_in_viewport(ratio=1)
        keep(page, f"fleet-{width}")
        page.locator("#box").fill("Clean up")
        assert page.evaluate("send.getBoundingClientRect().left > innerWidth / 2")
        page.locator("#box").fill("")


def _fold_commands(page: Page) -> None:
    """The Local operator's list is folded, and a procedure's ways to answer are buttons."""
    unclear = Message("local.not_understood", text="frobnicate")
    asked = {
        "pc01": sentences(unclear, Message("local.commands")),
        "pc02": sentences(Message("procedure.other_answer", words="x"), Message("procedure.ask")),
    }

    def ask(route: Route) -> None:
        rows = route.fetch().json()
        for name, question in asked.items():
            rows[name] |= {"state": "asking", "sentence": to_json(question)}
        route.fulfill(json=rows)

    page.route("**/api/computers", ask)
    page.route("**/computers/pc02/api/send", lambda route: route.fulfill(json={}))
    first, second = (page.locator(".question").nth(n) for n in (0, 1))
    expect(page.locator(".tile .sentence").first).to_have_text(unclear)
    expect(first.locator(":scope > p").first).to_have_text(unclear)
    expect(first.locator("li").first).to_be_hidden()
    first.get_by_text("Show commands").click()
    expect(first.locator("li").first).to_be_visible()
    _check_view(page, "fleet-commands")
    with page.expect_request("**/computers/pc02/api/send") as sent:
        second.get_by_role("button", name="Skip step").click()
    assert sent.value.post_data_json == {"text": "Skip step"}
    for path in ("**/api/computers", "**/computers/pc02/api/send"):
        page.unroute(path)
    expect(page.locator("#waiting")).to_be_hidden()


def _answer_together(fleet: Fleet, page: Page) -> None:
    _send(page, "Clean up")
    question = page.locator(".question")
    expect(question).to_contain_text("Which folder?")
    expect(question.locator("a")).to_have_count(COUNT)
    _check_view(page, "fleet-question")
    question.get_by_label("Your answer").fill("/srv")
    press_until_gone(question.get_by_role("button", name="Send"))
    expect(question).to_contain_text("This deletes files")
    expect(question.locator(".left")).to_contain_text("Pauses in 1:")
    expect(question.locator("a")).to_have_count(COUNT)
    assert _typed(fleet) == [""] * COUNT
    page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    assert page.evaluate(BROKEN) == 0
    keep(page, "fleet-tablet-approval")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    press_until_gone(question.get_by_role("button", name="Allow once"))
    expect(page.locator("#state")).to_have_text(f"Done: {COUNT}")
    assert _typed(fleet) == [f"{RISKY}\n"] * COUNT
    tile = page.locator(".tile").first
    expect(tile.locator(".line")).to_contain_text("steps")
    expect(tile.locator(".task")).to_have_text("Clean up")
    expect(tile.locator(".sentence")).to_have_count(0)  # the chip says it
    page.get_by_label("Select all shown").check()
    expect(page.locator("#send")).to_be_enabled()
    expect(page.locator("#resume")).to_be_disabled()
    page.get_by_label("Select all shown").uncheck()
    page.get_by_role("button", name="Stop all").click()
    expect(page.locator("#composer-note")).to_contain_text("All keys are released.")
    page.wait_for_timeout(REFRESH_MS)
    expect(page.locator("#state")).to_have_text(f"Done: {COUNT}")


def _open_a_computer_while_all_type(fleet: Fleet, page: Page) -> None:
    """No run is paused on the way there and back; a stop after the end did not lock the box."""
    _send(page, LONG)
    _wait_until(lambda: fleet.count_typing() == COUNT)
    page.get_by_role("link", name="pc01").click()
    expect(page.locator("#stop-all")).to_be_visible()
    expect(page.locator("#caption")).to_contain_text("Live")
    expect(page.locator("#state")).to_contain_text("Running")
    page.go_back()
    expect(page.locator("#state")).to_have_text(f"Running: {COUNT}")
    page.go_forward()
    expect(page.locator("#caption")).to_contain_text("Live")
    expect(page.locator("#state")).to_contain_text("Running")
    page.get_by_role("link", name="All computers").click()
    expect(page.locator("#state")).to_have_text(f"Running: {COUNT}")
    assert all("Paused" not in text for text in page.locator(".tile").all_inner_texts())


def _check_all_rest(fleet: Fleet) -> None:
    """Nothing is down, and nothing more is typed."""
    _wait_until(lambda: not fleet.down(), 5)
    before = _typed(fleet)
    assert all(len(each) > len(LONG) // 100 for each in before)
    with pytest.raises(AssertionError):
        _wait_until(lambda: _typed(fleet) != before, 1)


def _stop_all(fleet: Fleet, page: Page) -> None:
    page.get_by_label("Select all shown").check()
    page.get_by_role("button", name="Resume").click()
    before = _typed(fleet)
    _wait_until(lambda: all(map(str.__ne__, _typed(fleet), before)))
    page.get_by_role("button", name="Stop all").click()
    expect(page.locator("#state")).to_have_text(f"Stopped: {COUNT}")
    expect(page.locator("#ends")).to_have_text(f"Send ends {COUNT} unfinished tasks.")
    _check_all_rest(fleet)
    _check_view(page, "fleet-phone", THUMB)
    page.get_by_role("link", name="pc01").click()
    expect(page.locator("#caption")).to_contain_text("Live")
    _check_view(page, "fleet-computer-phone", THUMB)


def _send(page: Page, task: str) -> None:
    page.get_by_label("Select all shown").check()
    page.locator("#box").fill(task)
    page.locator("#send").click()


def _wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def _typed(fleet: Fleet) -> list[str]:
    return [fleet.state(name)["typed"] for name in fleet.states]


def _check_view(page: Page, name: str, *checks: str) -> None:
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe(page) == []
    keep(page, name)
    assert [found for check in (LOST, WIDE, *checks) for found in page.evaluate(check)] == []
