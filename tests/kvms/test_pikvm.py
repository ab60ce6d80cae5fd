"""PiKVM and GLKVM in front of a server that speaks their protocol."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
from pathlib import Path

import pytest

from cua.app.machine import Machine
from cua.hid.input_profile import InputProfile
from cua.hid.pointing import Mouse
from cua.kvms.key_codes import CODES
from cua.kvms.pikvm import scale_coordinate
from cua.messages import Message
from cua.screen.http_stream import frames
from cua.screen.image import jpeg_size
from cua.settings import SettingsFile
from cua.types import (
    ActionError,
    CuaError,
    DeviceError,
    Keypress,
    Move,
    Point,
    Type,
)
from tests.kvms.open_kvm import OpenKvm, open_kvm
from tests.servers.pikvm_server import PiKvm
from tests.servers.site import running
from tests.support.devices import interpret
from tests.support.kvm_hardware import any_free_port
from tests.support.waiting import until

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*_SSLProtocolTransport.__del__:pytest.PytestUnraisableExceptionWarning"
)
PASSWORD = {"password": "correct:horse"}


def test_every_absolute_place_arrives_as_it_is() -> None:
    for place in range(32768):
        assert (scale_coordinate(place) + 32768) * 32767 // 65535 == place
    assert scale_coordinate(0) == -32768
    assert scale_coordinate(32767) == 32767


def test_some_keys_by_name() -> None:
    named = {
        0x04: "KeyA",
        0x1D: "KeyZ",
        0x27: "Digit0",
        0x38: "Slash",
        0x45: "F12",
        0x62: "Numpad0",
    }
    named |= {0x64: "IntlBackslash", 0x53: "NumLock", 0x52: "ArrowUp", 0xE6: "AltRight"}
    assert {usage: CODES[usage] for usage in named} == named


async def test_a_port_without_tls_names_the_address_for_it() -> None:
    async with running(PiKvm().app()) as place, open_kvm(f"pikvm://{place}", **PASSWORD) as there:
        await until(lambda: there.screen.status.state == "lost")
        assert there.screen.status.sentence.endswith(f"set its address to pikvm+http://{place}.")


async def test_a_code_opens_a_session() -> None:
    kvm = PiKvm(code="123456")
    async with running(kvm.app()) as place:
        async with open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
            await until(lambda: there.screen.status.state == "lost")
            assert "a fresh one" in there.screen.status.sentence
        async with open_kvm(f"pikvm+http://{place}", code="123456", **PASSWORD) as there:
            await there.until_live()
            kvm.code = "654321"  # time goes on
            await there.inputs.perform(Type(text="ok"))
            assert interpret(kvm.written).text == "ok"


async def test_a_login_can_be_allowed_on_the_kvms_own_screen() -> None:
    kvm = PiKvm(code="1", approval=1)
    async with (
        running(kvm.app()) as place,
        open_kvm(f"pikvm+http://{place}", code="1", **PASSWORD) as there,
    ):
        await there.until_live()
        assert any("Allow this login" in words for _, words in there.calls.logged)


async def test_too_many_logins_have_their_own_message() -> None:
    kvm = PiKvm(limited=True)
    async with (
        running(kvm.app()) as place,
        open_kvm(f"pikvm+http://{place}", code="1", **PASSWORD) as there,
    ):
        await until(lambda: there.screen.status.state == "lost")
        assert "refuses logins for a while" in there.screen.status.sentence


async def test_without_a_stream_snapshots_are_used() -> None:
    kvm = PiKvm(stream=False)
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.until_live()
        assert (await there.screen.take_screenshot(0.0, 0.2, 3.0)).jpeg == kvm.frame
        assert any("snapshots" in words for _, words in there.calls.logged)


async def test_a_streamer_that_starts_on_demand_is_waited_for() -> None:
    kvm = PiKvm(starts_after=0.4)
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.until_live()
        assert not any("snapshots" in words for _, words in there.calls.logged)
        assert kvm.snapshots == 0


async def test_a_streamer_that_does_not_start_has_its_own_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cua.kvms.pikvm.STREAMER_START_S", 0.3)
    kvm = PiKvm(starts_after=math.inf)
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await until(lambda: there.screen.status.state == "lost")
        assert "does not start its video streamer" in there.screen.status.sentence
        kvm.starts_after = 0.0
        await there.until_live()


@pytest.mark.parametrize("at_first", [False, True])
async def test_the_stream_is_asked_for_again_after_some_snapshots(
    monkeypatch: pytest.MonkeyPatch, at_first: bool
) -> None:
    monkeypatch.setattr("cua.kvms.pikvm.STREAM_RETRIES_S", (0.1,))
    kvm = PiKvm(stream=at_first)
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.until_live()
        kvm.stream = False
        await until(lambda: kvm.snapshots > 2)
        kvm.stream = True
        await until(lambda: kvm.viewers == 1 + at_first)
        assert len([words for _, words in there.calls.logged if "snapshots" in words]) == 1


async def test_a_relative_mouse_is_seen_and_driven() -> None:
    kvm = PiKvm(absolute=False)
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.until_live()
        assert there.kvm.relative
        there.inputs.profile = InputProfile(mouse=Mouse(640, 480))
        await there.inputs.perform(Move(at=Point(x=0.5, y=0.5)))
        assert len(kvm.relative) > 10
        assert kvm.place == (0, 0)


async def test_caps_lock_is_read_and_followed() -> None:
    kvm = PiKvm(caps=True)
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.until_live()
        assert there.kvm.leds == 0b011
        await kvm.lamp(caps=False)
        await until(lambda: there.kvm.leds == 0b001)


async def test_a_mouse_jiggler_is_reported_each_time_it_is_switched_on() -> None:
    kvm = PiKvm(jiggles=True)
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.until_live()
        assert warned(there) == [Message("kvm.jiggler", kvm=f"PiKVM {place}")]
        for on in (True, False, True):
            event = {"event_type": "hid", "event": {"jiggler": {"active": on}}}
            await kvm.tell(json.dumps(event))
        await until(lambda: len(warned(there)) == 2)


def warned(there: OpenKvm) -> list[str]:
    return [words for level, words in there.calls.logged if level == "warning"]


STRANGE = [
    "[1]",
    "null",
    "{",
    "[" * 100_000,
    '{"event_type": ["hid"], "event": {}}',
    *(
        f'{{"event_type": "hid", "event": {event}}}'
        for event in (
            "null",
            "[1]",
            '"x"',
            '{"mouse": null, "keyboard": null}',
            '{"mouse": [1], "keyboard": "x"}',
            '{"mouse": {"absolute": null}, "keyboard": {"leds": [1]}}',
        )
    ),
]


async def test_malformed_messages_are_ignored() -> None:
    kvm = PiKvm()
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.kvm.write("keyboard", bytes([0, 0, 4, 0, 0, 0, 0, 0]))
        for message in STRANGE:
            await kvm.tell(message)
        await kvm.lamp(caps=True)
        await until(lambda: there.kvm.leds == 0b011)
        assert kvm.keys == [4]
        assert not there.kvm.relative
        await there.kvm.write("keyboard", bytes(8))
        assert there.calls.input_problems == [""]


async def test_the_power_button_and_a_busy_kvm() -> None:
    kvm = PiKvm()
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        await there.kvm.press("hold_power")
        assert [post.partition("&")[0] for post in kvm.posts] == ["/atx/click?button=power_long"]
        assert not kvm.pressing
        kvm.busy = True
        with pytest.raises(DeviceError, match="busy with another command"):
            await there.kvm.press("reset")


@pytest.mark.skipif(not shutil.which("ustreamer"), reason="apt-get install ustreamer")
async def test_the_framing_of_a_real_ustreamer() -> None:
    port = any_free_port()
    process = await asyncio.create_subprocess_exec(
        *("ustreamer", "--device", "/dev/none", "--host", "127.0.0.1", "--port", str(port)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    sizes = []
    try:
        for _ in range(100):
            try:
                async for jpeg in frames(f"http://127.0.0.1:{port}/stream"):
                    assert jpeg.endswith(b"\xff\xd9")
                    sizes.append(jpeg_size(jpeg))
                    if len(sizes) == 2:
                        break
                break
            except CuaError:  # not yet listening
                await asyncio.sleep(0.05)
    finally:
        process.terminate()
        await process.wait()
    assert sizes == [(640, 480)] * 2


async def answer_nothing(_: str) -> None:
    """Ask no person."""


async def test_text_is_typed_in_the_layout_that_the_kvm_is_set_to(tmp_path: Path) -> None:
    kvm = PiKvm(keymap="de")
    async with running(kvm.app()) as place:
        settings = {"kvm": f"pikvm+http://{place}", "kvm_password": "correct:horse"}
        file = SettingsFile(tmp_path / "cfg.json", environ={}, **settings)
        machine = Machine(file)
        await machine.open()
        await until(lambda: machine.screen.status.state == "live")
        inputs = machine.grant_external_access(answer_nothing).inputs
        await inputs.perform(Type(text="zy"))
        assert interpret(kvm.written).text == "yz", "to a US eye"
        said = [e.data["text"] for e in machine.log.in_memory_since(0) if e.kind == "log"]
        assert any("keyboard layout German" in words for words in said)
        file.update({"keyboard_layout": "us"})
        inputs = machine.grant_external_access(answer_nothing).inputs
        await inputs.perform(Type(text="zy"))
        assert interpret(kvm.written).text == "yzzy"
        await machine.close()


async def test_a_profile_reported_later_applies_to_inputs_made_before(
    tmp_path: Path,
) -> None:
    kvm = PiKvm(keymap="de", absolute=False)
    async with running(kvm.app()) as place:
        settings = {"kvm": f"pikvm+http://{place}", "kvm_password": "correct:horse"}
        machine = Machine(SettingsFile(tmp_path / "cfg.json", environ={}, **settings))
        inputs = machine.grant_external_access(answer_nothing).inputs
        await machine.open()
        await until(lambda: machine.screen.status.state == "live")
        await inputs.perform(Type(text="zy"))
        await inputs.perform(Move(at=Point(x=0.5, y=0.5)))
        assert interpret(kvm.written).text == "yz", "to a US eye"
        assert len(kvm.relative) > 10
        await machine.close()


async def test_a_key_that_it_does_not_know_leaves_no_other_one_down() -> None:
    kvm = PiKvm()
    async with running(kvm.app()) as place, open_kvm(f"pikvm+http://{place}", **PASSWORD) as there:
        with pytest.raises(ActionError, match="does not pass on"):
            await there.inputs.perform(Keypress(keys=("ctrl", "KP=")))
        await until(lambda: not kvm.down())
        await there.inputs.perform(Type(text="ok"))
        assert interpret(kvm.written).text == "ok"
