"""The person at the controls: allowed or not, the agent pauses first, and is told what was done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from cua.agent.manual_control import TAKEOVER_OFF, ManualControl
from cua.agent.session import CUT_OFF, LATCHED, MANUAL_INPUT_RUNS, STOPPING, TURN_ENDED
from cua.hid.inputs import HidInputs
from cua.types import Busy, Click, Keypress, Move, Point, Type
from cua.web.presence import Person, SessionOwnership
from tests.agent.test_session import House, Leaving, until
from tests.safety.test_approval import Gated
from tests.support.devices import Halting, heard

A = Point(x=0.25, y=0.5)


def manual_control(house: House, *, allowed: bool = True) -> ManualControl:
    return ManualControl(house.session, lambda: house.inputs, lambda: (1280, 720), lambda: allowed)


async def test_manual_input_needs_the_setting() -> None:
    house = House()
    with pytest.raises(Busy, match=TAKEOVER_OFF):
        await manual_control(house, allowed=False).perform(Type(text="a"))
    assert house.device.reports == []


async def test_the_agent_pauses_first_and_is_told_what_was_done() -> None:
    house = House("hang", "Done")
    await house.session.send("do it")
    await until(lambda: len(house.model.requests) == 1)
    person = manual_control(house)
    await person.perform(Click(at=A))
    assert house.session.status == "paused"
    for letter in ("s", "e", "c"):
        await person.perform(Type(text=letter))
    await person.perform(Move(at=A))
    await person.perform(Keypress(keys=("ENTER",)))
    assert heard(house.device.reports).text.startswith("sec")
    await house.session.send("go on")
    await house.session.wait_ended()
    told = house.model.heard()
    assert "Meanwhile the person did this by hand: Left click at (320, 360); " in told
    assert "typed 3 characters; Press ENTER." in told
    assert "sec" not in told.split("Meanwhile")[1].replace("second", "")


async def stopped_while_the_agent_leaves(house: House, wish: Coroutine[Any, Any, object]) -> None:
    """What the person asks for then is refused."""
    house.model = model = Leaving()
    await house.session.send("do it")
    await model.asked.wait()
    asked = asyncio.create_task(wish)
    await model.going.wait()
    stop = asyncio.create_task(house.session.stop())
    await asyncio.sleep(0)
    model.may_go.set()
    with pytest.raises(Busy, match=TURN_ENDED):
        await asked
    await stop


async def test_input_that_waits_for_the_pause_is_not_sent_after_a_stop() -> None:
    house = House()
    await stopped_while_the_agent_leaves(
        house, manual_control(house).perform(Keypress(keys=("ENTER",)))
    )
    assert house.device.reports == []


async def test_no_manual_input_begins_until_a_stop_is_complete() -> None:
    house = House("hang")
    await house.session.send("do it")
    stop = asyncio.create_task(house.session.stop())
    await asyncio.sleep(0)
    with pytest.raises(Busy, match=STOPPING):
        await manual_control(house).perform(
            Keypress(keys=("ENTER",)), turn=house.session.stop_count
        )
    await stop
    assert house.device.reports == []


@pytest.mark.parametrize(
    ("keys", "letter"),
    [
        (("SHIFT", "P"), True),
        (("ALT", "@"), True),
        (("CTRL", "ALT", "@"), True),
        (("P",), True),
        (("CTRL", "C"), False),
        (("CTRL", "ALT", "T"), False),
        (("Meta", "R"), False),
        (("SHIFT", "TAB"), False),
    ],
)
async def test_characters_are_neither_recorded_nor_told(
    keys: tuple[str, ...], letter: bool
) -> None:
    house = House("hang")
    await house.session.send("do it")
    await manual_control(house).perform(Keypress(keys=keys))
    (recorded,) = [
        event.data["words"] for event in house.log.in_memory_since(0) if event.kind == "by_hand"
    ]
    assert (recorded == "Typing") == letter
    assert ("typed 1 characters" in house.session.by_hand) == letter
    assert (keys[-1] in house.session.by_hand.replace("Meanwhile the person", "")) != letter


async def test_manual_actions_are_told_once() -> None:
    house = House("hang", "hang", "Done")
    await house.session.send("do it")
    await until(lambda: len(house.model.requests) == 1)
    person = manual_control(house)
    await person.perform(Click(at=A))
    await house.session.send("")
    await until(lambda: len(house.model.requests) == 2)
    await person.perform(Keypress(keys=("TAB",)))
    await house.session.send("")
    await house.session.wait_ended()
    assert house.model.heard().count("by hand: Press TAB.") == 1


@pytest.mark.parametrize("by_hand", [Type(text="rm -r"), Keypress(keys=("ALT", "F4"))])
async def test_a_line_begun_by_hand_is_judged_with_what_the_agent_adds(
    by_hand: Type | Keypress,
) -> None:
    house = Gated("typestr f /srv/www", "Done")
    person = manual_control(house)
    await person.perform(by_hand)
    await house.session.send("go on")
    if isinstance(by_hand, Type):
        question = await house.asked()
        assert question["rule"] == "deletes"
        assert "rm -r" not in str(house.facts("approval"))  # it may have been a password
        house.say(question, allow=False)
    await house.session.wait_ended()
    assert ("f /srv/www" in house.typed) == isinstance(by_hand, Keypress)


async def typing(house: House) -> asyncio.Task[None]:
    """A long text by hand, in the middle of which the device hangs."""
    house.device = device = Halting(most=21)
    house.inputs = HidInputs(device)
    work = asyncio.ensure_future(manual_control(house).perform(Type(text="x" * 1000)))
    await device.full.wait()
    return work


@pytest.mark.parametrize("end", ["stop", "pause", "the page goes"])
async def test_whatever_cancels_a_run_cancels_manual_input(end: str) -> None:
    house = House()
    ownership = SessionOwnership(house.session, exclusive=True, grace=60)
    page_lease = await ownership.claim(None, Person("ada"))
    work = await typing(house)
    if end == "the page goes":
        await ownership.release(page_lease)
    else:
        await {"stop": house.session.stop, "pause": house.session.pause}[end]()
    with pytest.raises(Busy, match=CUT_OFF):
        await asyncio.wait_for(work, 10)
    assert heard(house.device.reports).down == []
    assert house.status() == ("stopped" if end == "stop" else "idle")


async def test_after_a_stop_manual_input_needs_a_turn_taken_after_it() -> None:
    house = House("hang")
    await house.session.send("do it")
    person = manual_control(house)
    before = await person.take_over()
    await house.session.stop()
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.perform(Type(text="a"), turn=before)
    turn = await person.take_over()
    await person.perform(Type(text="b"), turn=turn)
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.perform(Type(text="c"), turn=before)  # late, and from before the stop
    assert heard(house.device.reports).text == "b"
    assert house.status() == "stopped"
    with pytest.raises(Busy, match=LATCHED):
        await house.session.send("go on")


async def test_a_second_stop_cancels_manual_input_and_ends_its_turn() -> None:
    house = House()
    await house.session.stop("first")
    person = manual_control(house)
    turn = await person.take_over()
    house.device = device = Halting(most=21)
    house.inputs = HidInputs(device)
    work = asyncio.ensure_future(person.perform(Type(text="x" * 1000), turn=turn))
    await device.full.wait()
    with pytest.raises(Busy, match=MANUAL_INPUT_RUNS):
        await house.session.resume()
    await house.session.stop("second")
    with pytest.raises(Busy, match=CUT_OFF):
        await asyncio.wait_for(work, 10)
    assert heard(device.reports).down == []
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.perform(Type(text="y"), turn=turn)
    told = [
        event.data["reason"] for event in house.log.in_memory_since(0) if event.kind == "status"
    ]
    assert told == ["first", "second"]
    await house.session.resume()
    assert house.status() == "idle"


async def test_a_turn_requested_before_a_stop_is_refused() -> None:
    house = House()
    await stopped_while_the_agent_leaves(house, manual_control(house).take_over())


async def test_manual_actions_while_stopped_are_told_after_the_resume() -> None:
    house = House("hang", "Done")
    await house.session.send("do it")
    await until(lambda: len(house.model.requests) == 1)
    await house.session.stop()
    person = manual_control(house)
    await person.perform(Click(at=A), turn=await person.take_over())
    await house.session.resume()
    await house.session.wait_ended()
    assert house.status() == "done"
    assert "did this by hand: Left click at (320, 360)." in house.model.heard()


async def test_no_run_starts_during_manual_input() -> None:
    house = House("Done")
    work = await typing(house)
    with pytest.raises(Busy, match=MANUAL_INPUT_RUNS):
        await house.session.send("do it")
    await house.session.pause()
    await asyncio.wait([work])
    assert await house.run() == "done"


async def test_queued_manual_input_is_checked_when_its_turn_comes() -> None:
    house, there = House(), True
    house.device = device = Halting(most=21)
    house.inputs = HidInputs(device)
    person = manual_control(house)

    def check() -> None:
        if not there:
            raise Busy("No page is in sight.")

    first = asyncio.ensure_future(person.perform(Type(text="x" * 1000), check))
    await device.full.wait()
    second = asyncio.ensure_future(person.perform(Type(text="y"), check))
    await asyncio.sleep(0)
    there = False
    await house.session.pause()
    await asyncio.wait([first, second])
    assert "No page" in str(second.exception())
    assert "y" not in heard(device.reports).text
