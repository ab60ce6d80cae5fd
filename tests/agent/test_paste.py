"""Text of the person, typed at their word: decided on before the first key, never recorded."""

from __future__ import annotations

import asyncio
import gc

import pytest

from cua.agent.manual_control import ManualControl, Pasted
from cua.agent.session import TURN_ENDED
from cua.hid.inputs import HidInputs
from cua.types import ActionError, Busy, Drag, InputAction, Keypress, Type
from tests.agent.test_manual_control import manual_control
from tests.safety.test_approval import Gated
from tests.support.devices import Halting, interpret
from tests.support.scripted_session import ScriptedSession
from tests.support.waiting import until


def pasting(scripted: Gated) -> ManualControl:
    return manual_control(scripted, find_risk=scripted.approvals.find_manual_risk)


async def type_text(
    person: ManualControl, text: str, *, skip: bool = False, confirmed: str = ""
) -> Pasted:
    return await person.paste(
        Type(text=text),
        await person.begin_paste(),
        skip_missing=skip,
        confirmed=confirmed,
    )


def recorded(scripted: ScriptedSession) -> str:
    return " ".join(str(event.data) for event in scripted.log.in_memory_since(0))


async def test_a_text_is_typed_and_recorded_as_a_number_of_characters() -> None:
    scripted = Gated("hang", "Done")
    await scripted.session.send("log in")
    await until(lambda: len(scripted.model.requests) == 1)
    await scripted.session.pause()
    assert await type_text(pasting(scripted), "hunter2\n") == Pasted(characters=8)
    assert scripted.typed == "hunter2\n"
    assert "Pasting 8 characters" in recorded(scripted)
    await scripted.session.send("go on")
    await scripted.session.wait_ended()
    assert "typed 8 characters" in scripted.model.request_text()
    assert "hunter2" not in recorded(scripted) + scripted.model.request_text()


async def test_a_procedure_that_is_recorded_has_it_and_what_follows() -> None:
    class Recording:
        def __init__(self) -> None:
            self.actions: list[InputAction] = []

        async def record_action(self, action: InputAction) -> None:
            self.actions.append(action)

        def end_drag(self, drag: Drag) -> None:
            raise AssertionError(drag)

    person = pasting(Gated())
    turn = await person.take_over()
    recording = person.recording = Recording()
    await type_text(person, "abc")
    await person.perform(Keypress(keys=["ENTER"]), turn)
    assert recording.actions == [Type(text="abc"), Keypress(keys=["ENTER"])]


async def test_it_is_refused_while_a_task_runs() -> None:
    scripted = Gated("hang")
    person = pasting(scripted)
    turn = await person.begin_paste()
    await scripted.session.send("do it")
    with pytest.raises(Busy, match="A task is running"):
        await person.begin_paste()
    with pytest.raises(Busy, match="A task is running"):
        await person.paste(Type(text="a"), turn)
    assert (scripted.status(), scripted.typed) == ("running", "")


async def test_what_the_layout_lacks_is_named_before_the_first_key() -> None:
    scripted = Gated()
    person = pasting(scripted)
    found = await type_text(person, "naïve 你")
    assert "'ï' (U+00EF), '你' (U+4F60)" in found.missing
    assert (found.characters, scripted.typed) == (0, "")
    assert await type_text(person, "naïve 你", skip=True) == Pasted(characters=5)
    assert scripted.typed == "nave "
    with pytest.raises(ActionError, match="no text is left"):
        await type_text(person, "你", skip=True)


async def test_a_risky_text_needs_a_second_word_for_exactly_this_text() -> None:
    scripted = Gated()
    person = pasting(scripted)
    found = await type_text(person, "rm -rf /srv/www\n")
    assert found.risk == "This deletes files for good."
    assert scripted.typed == ""
    other = await type_text(person, "rm -rf /srv\n", confirmed=found.digest)
    assert other.risk
    assert scripted.typed == ""
    assert (await type_text(person, "rm -rf /srv/www\n", confirmed=found.digest)).characters == 16
    assert scripted.typed == "rm -rf /srv/www\n"


async def test_a_stop_ends_it_and_nothing_asked_for_before_is_typed_after() -> None:
    scripted = Gated()
    scripted.device = device = Halting(most=21)
    scripted.inputs = HidInputs(device)
    person = pasting(scripted)
    turn = await person.begin_paste()
    work = asyncio.ensure_future(type_text(person, "x" * 1000))
    await device.full.wait()
    await scripted.session.stop()
    with pytest.raises(Busy, match=r"^\d+ of 1000 characters typed\.") as cut_off:
        await asyncio.wait_for(work, 10)
    decoded, typed = interpret(device.reports), int(str(cut_off.value).split()[0])
    assert typed - len(decoded.text) in (0, 1)
    assert decoded.down == []
    assert f"{typed} of 1000 characters were typed." in recorded(scripted)
    assert person.hand_back() == typed
    count = len(device.reports)
    with pytest.raises(Busy, match=TURN_ENDED):
        await person.paste(Type(text="y"), turn)
    assert len(device.reports) == count


async def test_with_its_request_it_is_cancelled_too(caplog: pytest.LogCaptureFixture) -> None:
    scripted = Gated()
    scripted.device = device = Halting(most=21)
    scripted.inputs = HidInputs(device)
    person = pasting(scripted)
    work = asyncio.ensure_future(type_text(person, "x" * 1000))
    await device.full.wait()
    work.cancel()
    await until(lambda: not scripted.session.is_busy)
    device.most = 1000
    await person.perform(Keypress(keys=["ENTER"]))  # the session forgets the paste
    del work
    gc.collect()
    assert caplog.text == "", "it has no exception that was never retrieved"
