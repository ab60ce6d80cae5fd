"""One-KVM in front of a server that speaks its protocol."""

from __future__ import annotations

import pytest

from cua.hid.keymap import MODIFIERS
from cua.hid.reports import make_keyboard_report
from cua.types import DeviceError, Power, Type
from tests.kvms.open_kvm import open_kvm
from tests.servers.onekvm_server import OneKvm
from tests.servers.site import running
from tests.support.devices import interpret
from tests.support.waiting import until

PASSWORD = {"password": "correct horse"}


async def test_the_stream_is_mjpeg_meanwhile() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place:
        async with open_kvm(f"onekvm://{place}", **PASSWORD) as there:
            await there.until_live()
            assert kvm.mode == "mjpeg"
        assert kvm.mode == "h264"


async def test_the_leds_are_read() -> None:
    kvm = OneKvm(caps=True)
    async with running(kvm.app()) as place, open_kvm(f"onekvm://{place}", **PASSWORD) as there:
        await there.until_live()
        assert there.kvm.leds == 3


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
        open_kvm(f"onekvm://{place}", code=code, **PASSWORD) as there,
    ):
        await until(lambda: there.screen.status.state == ("lost" if told else "live"))
        assert told in there.screen.status.sentence


async def test_input_that_the_server_drops_is_reported() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place, open_kvm(f"onekvm://{place}", **PASSWORD) as there:
        await there.inputs.perform(Type(text="a"))
        kvm.available = False
        with pytest.raises(DeviceError, match="USB"):
            await there.inputs.perform(Type(text="b"))
        kvm.available = True
        await there.inputs.perform(Type(text="c"))
        assert interpret(kvm.written).text == "ac"
        assert there.calls.input_problems[-1] == ""


async def test_a_release_of_keys_that_are_up_presses_nothing() -> None:
    kvm = OneKvm()
    async with running(kvm.app()) as place, open_kvm(f"onekvm://{place}", **PASSWORD) as there:
        await there.kvm.write("keyboard", make_keyboard_report(MODIFIERS["SHIFT"], [4, 5]))
        assert kvm.down()
        kvm.keys, kvm.modifiers = [], 0  # another client has disconnected
        kvm.written.clear()
        there.kvm.release()
        await until(lambda: len(kvm.written) == 3)
        assert not any(any(report) for _, report in kvm.written)


async def test_the_buttons_of_the_case() -> None:
    kvm = OneKvm()
    async with (
        running(kvm.app()) as place,
        open_kvm(f"onekvm://{place}", mac="00:1b:c4:ff:0e:01", **PASSWORD) as there,
    ):
        for button in ("power", "hold_power", "reset", "wake"):
            await there.kvm.perform(Power(button=button))
        assert (kvm.pressed, kvm.woken) == (["short", "long", "reset"], [there.kvm.mac])
