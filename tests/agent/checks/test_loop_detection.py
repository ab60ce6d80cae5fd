"""A model that repeats itself is nudged, then the person is asked."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cua.agent.checks import loop_detection
from cua.agent.checks.options import CheckOptions
from cua.types import Ask, Click, Done, Drag, Keypress, Point, Scroll, Type, Wait
from tests.agent.checks.agent_run import AgentRun
from tests.agent.checks.drawn import caret, clock, program, screen, window

OPTIONS = CheckOptions(completion=False, stale_screen=False)
plain, open_, other = screen(), screen(program), screen(window)
CLICK = "mouse 0.5 0.5 1"


def heard(agent: AgentRun) -> list[str]:
    """What was told with each request but the first."""
    return [agent.model.request_text(n) for n in range(1, len(agent.model.requests))]


async def test_the_same_click_without_effect_is_nudged_twice_and_then_asked_about() -> None:
    agent = AgentRun([plain], *[CLICK] * 20, options=OPTIONS)
    ending = await agent.run()
    assert isinstance(ending, Ask)
    assert "I keep doing the same (Click at (640, 360))" in ending.question
    assert agent.clicks == loop_detection.MAX_REPETITIONS
    nudges = [told.splitlines()[-1] for told in heard(agent) if "on the same screen" in told]
    nudged = [told for told in heard(agent) if "another way" in told or "different" in told]
    assert len(nudged) >= 2
    assert "Say in one sentence" in nudges[-1]
    assert agent.task.steps[-1].outcome == loop_detection.ASKED


async def test_a_click_a_little_beside_is_the_same_click() -> None:
    clicks = [f"mouse 0.50{n % 3} 0.50{n % 2} 1" for n in range(20)]
    assert isinstance(await AgentRun([plain], *clicks, options=OPTIONS).run(), Ask)


async def test_going_to_and_fro_is_repeating_though_the_screen_changes_each_time() -> None:
    frames = list(itertools.chain.from_iterable([(plain, plain, open_, open_)] * 20))
    replies = [CLICK, "keyboard ESC"] * 20
    agent = AgentRun(frames, *replies, options=OPTIONS)
    assert isinstance(await agent.run(), Ask)
    assert agent.clicks == loop_detection.MAX_REPETITIONS


async def test_different_actions_without_effect_are_nudged_and_asked_about() -> None:
    clicks = [f"mouse 0.{10 + 5 * n} 0.3 1" for n in range(16)]
    answered = 3
    agent = AgentRun([plain] * 2 * answered + [open_], *clicks, options=OPTIONS)
    ending = await agent.run()
    assert isinstance(ending, Ask)
    assert "Does the computer react at all?" in ending.question
    assert any("Your last 3 actions have changed nothing" in told for told in heard(agent))
    assert agent.clicks == answered + loop_detection.MAX_WITHOUT_EFFECT


async def test_scrolling_through_a_page_that_changes_is_no_repetition() -> None:
    def page(n: int) -> object:
        return screen(
            lambda d: d.text((320, 300), f"{n}{n}{n} paragraph {n}", fill=0, font_size=30)
        )

    frames = list(itertools.chain.from_iterable((page(n), page(n)) for n in range(14)))
    agent = AgentRun(frames, *["mouse 0.5 0.5 5"] * 12, "Done", options=OPTIONS)  # type: ignore[arg-type]
    assert isinstance(await agent.run(), Done)
    assert not any("same screen" in told for told in heard(agent))


async def test_waiting_is_no_repetition() -> None:
    agent = AgentRun([plain], *["sleep 0"] * 15, "Done", options=OPTIONS)
    assert isinstance(await agent.run(), Done)
    assert not any("has not helped" in told for told in heard(agent))


async def test_a_clock_and_a_caret_do_not_hide_a_repetition() -> None:
    frames = itertools.cycle([plain, screen(clock), screen(caret)])
    agent = AgentRun(list(itertools.islice(frames, 60)), *[CLICK] * 20, options=OPTIONS)
    assert isinstance(await agent.run(), Ask)


async def test_after_the_person_had_a_say_it_is_counted_anew() -> None:
    agent = AgentRun([plain], *[CLICK] * 40, options=OPTIONS)
    assert isinstance(await agent.run(), Ask)
    agent.task.inbox.append("click it again, it is slow")
    assert isinstance(await agent.run(), Ask)
    assert agent.clicks == 2 * loop_detection.MAX_REPETITIONS
    assert isinstance(await agent.run(), Ask)
    assert agent.clicks == 3 * loop_detection.MAX_REPETITIONS


@pytest.mark.parametrize("actions", [(Wait(seconds=1),), (Done(),), (Wait(seconds=1), Done())])
def test_waiting_and_ending_have_no_key(actions: tuple[object, ...]) -> None:
    assert loop_detection.actions_key(actions) is None  # type: ignore[arg-type]


fractions = st.floats(0, 1)


@given(fractions, fractions, st.floats(0.05, 0.5))
def test_places_apart_are_different(x: float, y: float, apart: float) -> None:
    here = Click(at=Point(x=x, y=y))
    there = Click(at=Point(x=(x + apart) % 1, y=y))
    if abs(here.at.x - there.at.x) > 2 * loop_detection.SAME_PLACE_PROPORTION:  # type: ignore[union-attr]
        assert loop_detection.actions_key((here,)) != loop_detection.actions_key((there,))
    assert loop_detection.actions_key((here,)) == loop_detection.actions_key(
        (here, Wait(seconds=1))
    )


def test_what_makes_actions_different() -> None:
    at = Point(x=0.5, y=0.5)
    keys = [
        loop_detection.actions_key((action,))
        for action in (
            Click(at=at),
            Click(at=Point(x=0.5, y=0.9)),
            Click(at=at, button="right"),
            Click(at=at, count=2),
            Click(),
            Drag(path=(at, Point(x=0.5, y=0.9))),
            Drag(path=(at, Point(x=0.9, y=0.5))),
            Scroll(at=at, dy=3),
            Scroll(at=at, dy=-3),
            Scroll(at=at, dx=1, dy=-3),
            Type(text="a"),
            Type(text="b"),
            Keypress(keys=("TAB",)),
        )
    ]
    assert len({*keys, None}) == len(keys) + 1
    assert loop_detection.actions_key((Scroll(at=at, dy=3),)) == loop_detection.actions_key(
        (Scroll(at=at, dy=8),)
    )
