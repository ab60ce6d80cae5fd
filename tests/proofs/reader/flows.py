"""What a blind user does on the page, and what the screen reader has to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.page_views import service
from tests.support.scripted_service import Stage, stage

from .orca_session import Listener, NotSpoken, OrcaSession

LOADING_S = 60.0
WORKING_S = 90.0
BACK = ("shift+Tab",)
MAX_SENTENCE_CHARS = 220
"""Letters of a sentence about a step."""
MAX_OTHER_SENTENCES = 5
"""Sentences of a task that are about no step."""


class Place:
    """Where a flow is tried: a page of its own."""

    def __init__(self, session: OrcaSession, folder: Path) -> None:
        self._session, self._folder = session, folder

    @contextmanager
    def page(self, url: str) -> Iterator[Listener]:
        who = Listener(self._session, self._folder / "profile", url)
        try:
            yield who
        finally:
            who.close()

    @contextmanager
    def agreed(self, url: str) -> Iterator[Listener]:
        """The notice has been heard, and the person stands in the box."""
        with self.page(url) as who:
            who.wait_for("Before you start", within=LOADING_S)
            who.press("Tab", "Return")
            who.wait_for("Message to the agent")
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
        spoken = who.wait_for("Before you start", "Esc twice", within=LOADING_S)
        once(spoken, "Esc twice")
        who.press("Tab")
        spoken += who.wait_for("I understand push button")
        who.press("Return")
        return spoken + who.wait_for("Message to the agent")


def task(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("set dns server to 8.8.8.8")
        who.press("Return")
        spoken = who.wait_for("Running", "Step 1", "Done", within=WORKING_S)
        steps = [each for each in spoken if each.startswith("Step ")]
        for each in steps:
            once(spoken, each)
            expect(len(each) <= MAX_SENTENCE_CHARS, f"too long: {each}")
        expect(len(spoken) <= len(steps) + MAX_OTHER_SENTENCES, f"it drowns in {spoken}")
        return spoken


def refusing(at: Place) -> list[str]:
    with at.demo() as who:
        who.write('type "rm -rf  build"')
        who.press("Return")
        spoken = who.wait_for("Allow this action?", "rm -rf", "deletes files", within=WORKING_S)
        once(spoken, "deletes files")
        who.press(*["Tab"] * 3)
        spoken += who.wait_for("Refuse push button")
        who.press("Return")
        return spoken + who.wait_for(
            "Not carried out. Refused", "Message to the agent", within=WORKING_S
        )


def pausing(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("wait 60 s")
        who.press("Return")
        spoken = who.wait_for("Running")
        spoken += who.move_to("Pause push button")
        who.press("Return")
        spoken += who.wait_for("Paused by you.")
        spoken += who.move_to("Send push button", *BACK)
        who.press("Return")
        return spoken + who.wait_for("Resumed.")


def stopping(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("wait 60 s")
        who.press("Return")
        spoken = who.wait_for("Running")
        who.press("Escape Escape")
        spoken += who.wait_for("Stopped by you.")
        spoken += who.move_to("Resume push button")
        who.press("Return")
        return spoken + who.wait_for("Resumed.")


def clearing(at: Place) -> list[str]:
    with at.demo() as who:
        who.write("wait 60 s")
        who.press("Return")
        spoken = who.wait_for("Running")
        spoken += who.move_to("Reset push button")
        who.press("Return")
        spoken += who.wait_for("End task and clear?")
        who.press("Return")
        return spoken + who.wait_for("cleared")


def manual_control(at: Place) -> list[str]:
    with at.staged("take_over=true") as (live, who):
        spoken = who.move_to("Take over push button", *BACK)
        who.press("Return")
        spoken += who.wait_for("Target computer's keyboard")
        live.reports("keyboard")
        who.write("a")
        expect(len(live.reports("keyboard")) == 2, "the letter did not come to the computer")
        who.press("ctrl+alt+Home")
        spoken += who.wait_for("Hand back push button")
        who.press("Return")
        return spoken + who.wait_for("Take over")


def looking(at: Place) -> list[str]:
    with at.staged() as (live, who):
        live.begin()
        live.step(1)
        live.step(2, thought="The printer is there.")
        spoken = who.wait_for("Step 2")
        spoken += who.move_to("Screenshot of step 2", *BACK)
        who.press("shift+b")
        spoken += who.wait_for("Screenshot of step 1")
        who.press("Return")
        spoken += who.wait_for("Step 1 · Click")
        spoken += who.move_to("Next step push button")
        who.press("Return")
        spoken += who.wait_for("Step 2 · Click")
        who.press("Escape")
        return spoken + who.wait_for("Screenshot of step 1")


def reading(at: Place) -> list[str]:
    """With the keys that jump from heading to heading."""
    with at.staged() as (live, who):
        live.begin()
        live.step(1, thought="The printer is there.")
        spoken = who.wait_for("Step 1")
        who.move_to("Chat scroll pane", *BACK)
        who.press("h")
        spoken += who.wait_for("Find the printer")
        who.press("h")
        spoken += who.wait_for("Step 1 heading level 3")
        who.press("Down", "Down", "Down", "Down", "Down", "Down", "Down", "Down")
        return spoken + who.wait_for("The printer is there.", "Click at")


def past(at: Place) -> list[str]:
    with at.staged() as (live, who):
        live.begin()
        live.step(1)
        live.step(2)
        live.tell(("done", {"text": "Printed."}), ("status", {"status": "done", "reason": ""}))
        who.wait_for("Done")
        spoken = turned(who, "History page tab", "Right")
        spoken += who.move_to("Search tasks")
        who.write("nothing")
        spoken += who.wait_for("No matches")
        who.press("ctrl+a")
        who.write("printer")
        spoken += who.wait_for("1 task")
        spoken += who.move_to("Find the printer")
        who.press("Return")
        spoken += who.wait_for("Find the printer heading")
        spoken += who.move_to("Next step push button")
        who.press("Return")
        spoken += who.wait_for("Step 2 · Click")
        spoken += who.move_to("All tasks push button", *BACK)
        who.press("Return")
        return spoken + who.wait_for("Find the printer")


def setting(at: Place) -> list[str]:
    with at.staged() as (_, who):
        spoken = turned(who, "Settings page tab", "End")
        spoken += who.move_to("Search settings")
        who.write("steps")
        spoken += who.wait_for("results")
        who.press("ctrl+a", "BackSpace")
        spoken += who.move_to("Behaviour push button")
        who.press("Return")
        spoken += who.wait_for("Behaviour panel")
        spoken += who.move_to("Max steps")
        who.press("ctrl+a")
        who.write("many")
        who.press("Return")
        spoken += who.wait_for("Must be a whole number", "Not saved")
        who.press("ctrl+a")
        who.write("30")
        who.press("Return")
        return spoken + who.wait_for("Saved.")


def logged(at: Place) -> list[str]:
    with at.staged() as (live, who):
        live.begin()
        live.tell(("log", {"level": "warning", "text": "slow line"}))
        who.wait_for("Running")
        spoken = turned(who, "Log page tab", "Right", "Right")
        spoken += who.move_to("Search log")
        who.write("slow")
        spoken += who.wait_for("1 result")
        spoken += who.move_to("Problems toggle button")
        who.press("space")
        spoken += who.wait_for("pressed")
        return spoken


def turned(who: Listener, tab: str, *keys: str) -> list[str]:
    """To that view. Enter too, since Orca may have kept the arrow keys to read along the tabs."""
    who.move_to("Chat page tab", *BACK)
    who.press(*keys)
    spoken = who.wait_for(tab)
    who.press("Return")
    return spoken


def once(spoken: list[str], words: str) -> None:
    count = sum(each.count(words) for each in spoken)
    expect(count == 1, f"{words!r} was heard {count} times in {spoken}")


def expect(true: bool, words: str) -> None:
    if not true:
        raise NotSpoken(words)


FLOWS: dict[str, Flow] = {
    flow.__name__: flow
    for flow in (
        notice, task, refusing, pausing, stopping, clearing,
        manual_control, looking, reading, past, setting, logged,
    )
}  # fmt: skip
