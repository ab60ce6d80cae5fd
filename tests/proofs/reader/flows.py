"""What a blind person does here, and what they have to hear."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.page_views import service
from tests.support.scripted_service import Stage, stage

from .room import Listener, Room, Silence

LOADING = 60.0
WORKING = 90.0
BACK = ("shift+Tab",)
LONGEST = 220
"""Letters of a sentence about a step."""
BESIDE = 5
"""Sentences of a task that are about no step."""


class Place:
    """Where a flow is tried: a page of its own."""

    def __init__(self, room: Room, folder: Path) -> None:
        self._room, self._folder = room, folder

    @contextmanager
    def page(self, url: str) -> Iterator[Listener]:
        who = Listener(self._room, self._folder / "profile", url)
        try:
            yield who
        finally:
            who.close()

    @contextmanager
    def agreed(self, url: str) -> Iterator[Listener]:
        """The notice has been heard, and the person stands in the box."""
        with self.page(url) as who:
            who.hears("Before you start", within=LOADING)
            who.press("Tab", "Return")
            who.hears("Message to the agent")
            yield who

    @contextmanager
    def demo(self) -> Iterator[Listener]:
        with service() as url, self.agreed(url) as who:
            yield who

    @contextmanager
    def staged(self, *options: str) -> Iterator[tuple[Stage, Listener]]:
        with stage("notice_acknowledged=false", *options) as live, self.agreed(live.url) as who:
            yield live, who


Flow = Callable[[Place], list[str]]


def notice(at: Place) -> list[str]:
    with service() as url, at.page(url) as who:
        heard = who.hears("Before you start", "Esc twice", within=LOADING)
        once(heard, "Esc twice")
        who.press("Tab")
        heard += who.hears("I understand push button")
        who.press("Return")
        return heard + who.hears("Message to the agent")


def task(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("set dns server to 8.8.8.8")
        who.press("Return")
        heard = who.hears("Running", "Step 1", "Done", within=WORKING)
        steps = [each for each in heard if each.startswith("Step ")]
        for each in steps:
            once(heard, each)
            expect(len(each) <= LONGEST, f"too long: {each}")
        expect(len(heard) <= len(steps) + BESIDE, f"it drowns in {heard}")
        return heard


def refusing(at: Place) -> list[str]:
    with at.demo() as who:
        who.write('type "rm -rf  build"')
        who.press("Return")
        heard = who.hears("Allow this action?", "rm -rf", "deletes files", within=WORKING)
        once(heard, "deletes files")
        who.press(*["Tab"] * 3)
        heard += who.hears("Refuse push button")
        who.press("Return")
        return heard + who.hears("The person refused it", "Message to the agent", within=WORKING)


def pausing(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("wait 60 s")
        who.press("Return")
        heard = who.hears("Running")
        heard += who.reach("Pause push button")
        who.press("Return")
        heard += who.hears("Paused by you.")
        heard += who.reach("Send push button", *BACK)
        who.press("Return")
        return heard + who.hears("Resumed.")


def stopping(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("wait 60 s")
        who.press("Return")
        heard = who.hears("Running")
        who.press("Escape Escape")
        heard += who.hears("Stopped by you.")
        heard += who.reach("Resume push button")
        who.press("Return")
        return heard + who.hears("Resumed.")


def clearing(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("wait 60 s")
        who.press("Return")
        heard = who.hears("Running")
        heard += who.reach("Reset push button")
        who.press("Return")
        heard += who.hears("Clear chat?")
        who.press("Return")
        return heard + who.hears("cleared")


def driving(at: Place) -> list[str]:
    with at.staged("take_over=true") as (live, who):
        heard = who.reach("Take over push button", *BACK)
        who.press("Return")
        heard += who.hears("Target computer's keyboard")
        live.reports("keyboard")
        who.write("a")
        expect(len(live.reports("keyboard")) == 2, "the letter did not come to the computer")
        who.press("ctrl+alt+Home")
        heard += who.hears("Hand back push button")
        who.press("Return")
        return heard + who.hears("Take over")


def looking(at: Place) -> list[str]:
    with at.staged() as (live, who):
        live.begin()
        live.step(1)
        live.step(2, thought="The printer is there.")
        heard = who.hears("Step 2")
        heard += who.reach("Screenshot of step 2", *BACK)
        who.press("shift+b")
        heard += who.hears("Screenshot of step 1")
        who.press("Return")
        heard += who.hears("Step 1 · Left click")
        heard += who.reach("Next step push button")
        who.press("Return")
        heard += who.hears("Step 2 · Left click")
        who.press("Escape")
        return heard + who.hears("Screenshot of step 1")


def reading(at: Place) -> list[str]:
    """With the keys that jump from heading to heading."""
    with at.staged() as (live, who):
        live.begin()
        live.step(1, thought="The printer is there.")
        heard = who.hears("Step 1")
        who.reach("Chat scroll pane", *BACK)
        who.press("h")
        heard += who.hears("Find the printer")
        who.press("h")
        heard += who.hears("Step 1 heading level 3")
        who.press("Down", "Down", "Down", "Down", "Down", "Down", "Down", "Down")
        return heard + who.hears("The printer is there.", "Left click at")


def past(at: Place) -> list[str]:
    with at.staged() as (live, who):
        live.begin()
        live.step(1)
        live.step(2)
        live.tell(("done", {"text": "Printed."}), ("status", {"status": "done", "reason": ""}))
        who.hears("Done")
        heard = turned(who, "History page tab", "Right")
        heard += who.reach("Search tasks")
        who.write("nothing")
        heard += who.hears("No matches")
        who.press("ctrl+a")
        who.write("printer")
        heard += who.hears("1 task")
        heard += who.reach("Find the printer")
        who.press("Return")
        heard += who.hears("Find the printer heading")
        heard += who.reach("Next step push button")
        who.press("Return")
        heard += who.hears("Step 2 · Left click")
        heard += who.reach("All tasks push button", *BACK)
        who.press("Return")
        return heard + who.hears("Find the printer")


def setting(at: Place) -> list[str]:
    with at.staged() as (_, who):
        heard = turned(who, "Settings page tab", "End")
        heard += who.reach("Search settings")
        who.write("steps")
        heard += who.hears("results")
        who.press("ctrl+a", "BackSpace")
        heard += who.reach("Behaviour push button")
        who.press("Return")
        heard += who.hears("Behaviour panel")
        heard += who.reach("Max steps")
        who.press("ctrl+a")
        who.write("many")
        who.press("Return")
        heard += who.hears("must be a whole number", "Not saved")
        who.press("ctrl+a")
        who.write("30")
        who.press("Return")
        return heard + who.hears("Saved.")


def logged(at: Place) -> list[str]:
    with at.staged() as (live, who):
        live.begin()
        live.tell(("log", {"level": "warning", "text": "slow line"}))
        who.hears("Running")
        heard = turned(who, "Log page tab", "Right", "Right")
        heard += who.reach("Search log")
        who.write("slow")
        heard += who.hears("1 result")
        heard += who.reach("Problems toggle button")
        who.press("space")
        heard += who.hears("pressed")
        return heard


def turned(who: Listener, tab: str, *keys: str) -> list[str]:
    """To that view. Enter too, since Orca may have kept the arrow keys to read along the tabs."""
    who.reach("Chat page tab", *BACK)
    who.press(*keys)
    heard = who.hears(tab)
    who.press("Return")
    return heard


def once(heard: list[str], words: str) -> None:
    count = sum(each.count(words) for each in heard)
    expect(count == 1, f"{words!r} was heard {count} times in {heard}")


def expect(true: bool, words: str) -> None:
    if not true:
        raise Silence(words)


FLOWS: dict[str, Flow] = {
    flow.__name__: flow
    for flow in (
        notice, task, refusing, pausing, stopping, clearing,
        driving, looking, reading, past, setting, logged,
    )
}  # fmt: skip
