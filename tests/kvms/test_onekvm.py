"""One-KVM in front of a server that speaks its protocol."""

from __future__ import annotations

import asyncio

import pytest

from cua.types import CuaError, DeviceError, Power, Type
from tests.kvms.meeting import assert_same_as_the_device, meeting, until, until_written
from tests.servers.mjpeg_server import picture
from tests.servers.onekvm_server import OneKvm
from tests.servers.site import running
from tests.support.devices import heard

PASSWORD = {"password": "correct horse"}


async def test_the_computer_gets_what_the_device_would_have_written() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place, meeting(f"onekvm://{place}", **PASSWORD) as there:
        await there.until_live()
        await assert_same_as_the_device(there, kvm, times=50)


async def test_the_stream_is_mjpeg_meanwhile_and_follows_the_size() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place:
        async with meeting(f"onekvm://{place}", **PASSWORD) as there:
            await there.until_live()
            assert kvm.mode == "mjpeg"
            kvm.frame = picture(size=(800, 600))
            await until(lambda: there.screen.status.width == 800)
        assert kvm.mode == "h264"


async def test_no_signal_and_the_leds() -> None:
    kvm = OneKvm(signal=False, caps=True)
    async with running(kvm.app()) as place, meeting(f"onekvm://{place}", **PASSWORD) as there:
        await until(lambda: there.screen.status.state == "no_signal")
        kvm.signal = True
        await there.until_live()
        assert there.heard.lamps[-1] == 3
        kvm.signal = False
        await until(lambda: there.screen.status.state == "no_signal")


async def test_a_wrong_password_is_tried_once() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place, meeting(f"onekvm://{place}", password="x") as there:
        await until(lambda: there.screen.status.state == "lost")
        assert "does not take this user" in there.screen.status.sentence
        with pytest.raises(CuaError, match="does not take this user"):
            await there.inputs.perform(Type(text="x"))
        assert kvm.tries == 1


@pytest.mark.parametrize(
    ("code", "limited", "told"),
    [
        ("123456", False, ""),
        ("", False, "enter a fresh one"),
        ("000000", False, "enter a fresh one"),
        ("123456", True, "refuses logins for a while"),
    ],
)
async def test_a_second_factor(code: str, limited: bool, told: str) -> None:
    kvm = OneKvm(code="123456", limited=limited)
    async with (
        running(kvm.app()) as place,
        meeting(f"onekvm://{place}", code=code, **PASSWORD) as there,
    ):
        await until(lambda: there.screen.status.state == ("lost" if told else "live"))
        assert told in there.screen.status.sentence


async def test_an_expired_session_is_renewed_and_one_that_was_ended_is_not() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place, meeting(f"onekvm://{place}", **PASSWORD) as there:
        await there.until_live()
        kvm.sessions.append("none")
        await there.kvm.is_powered()
        assert kvm.tries == 2
        typing = asyncio.create_task(there.inputs.perform(Type(text="A" * 1000)))
        await until_written(kvm, 20)
        kvm.log_in_elsewhere()
        with pytest.raises(CuaError, match="Another login"):
            await typing
        assert kvm.tries == 2
        await until(lambda: not kvm.down())
        assert "Another login" in there.screen.status.sentence


async def test_input_that_the_server_drops_is_reported() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place, meeting(f"onekvm://{place}", **PASSWORD) as there:
        await there.inputs.perform(Type(text="a"))
        kvm.available = False
        with pytest.raises(DeviceError, match="USB"):
            await there.inputs.perform(Type(text="b"))
        kvm.available = True
        await there.inputs.perform(Type(text="c"))
        assert heard(kvm.written).text == "ac"
        assert there.heard.reached[-1] == ""


async def test_the_buttons_of_the_case() -> None:
    kvm = OneKvm()
    async with (
        running(kvm.app()) as place,
        meeting(f"onekvm://{place}", mac="00:1b:c4:ff:0e:01", **PASSWORD) as there,
    ):
        for button in ("power", "hold_power", "reset", "wake"):
            await there.kvm.perform(Power(button=button))
        assert (kvm.pressed, kvm.woken) == (["short", "long", "reset"], [there.kvm.mac])
