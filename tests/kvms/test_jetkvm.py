"""JetKVM in front of a peer that speaks its protocol."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cua.kvms import jetkvm_link
from cua.kvms.jetkvm import JetKvm as Driver
from cua.kvms.jetkvm_media import JetKvmMedia
from cua.kvms.media import Image
from cua.kvms.probe import find_address
from cua.kvms.watchdog_process import LEASE_S
from cua.types import (
    ActionError,
    Click,
    CuaError,
    DeviceError,
    Drag,
    Drive,
    Eject,
    Mount,
    Point,
    Power,
    Type,
)
from tests.kvms.open_kvm import open_kvm
from tests.kvms.test_watchdog import typing_process
from tests.servers.mjpeg_server import picture
from tests.servers.site import running, self_signed
from tests.support.devices import interpret
from tests.support.waiting import until

pytest.importorskip("aiortc", reason="pip install '.[jetkvm]'")
from tests.servers.jetkvm import JetKvm

PASSWORD = {"password": "correct horse"}
DRAG = Drag(path=(Point(x=0.2, y=0.3), Point(x=0.8, y=0.6)))
DRAGS = Drag(path=(Point(x=0.2, y=0.3), Point(x=0.8, y=0.6)) * 5)
CHORDS = Type(text="Aa" * 50)
CHANGES: list[tuple[str, Drive]] = [("a.iso", "cdrom"), ("new.iso", "disk"), ("a.iso", "cdrom")]


@pytest.mark.slow
async def test_the_leds_and_no_signal_are_reported_at_once() -> None:
    kvm = JetKvm(caps=True)
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        await there.until_live()
        assert there.kvm.leds == 3
        kvm.tell("keyboardLedState", {"num_lock": True, "caps_lock": False, "scroll_lock": False})
        await until(lambda: there.kvm.leds == 1)
        kvm.tell("videoInputState", {"ready": False, "error": "no_signal"})
        await until(lambda: there.screen.status.state == "no_signal")


@pytest.mark.slow
async def test_video_is_decoded_only_while_it_is_watched() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        await there.until_live()
        assert isinstance(there.kvm, Driver)
        video = (await there.kvm.open_link()).video
        there.screen.needs_every_frame = lambda: False
        await asyncio.sleep(2.5)
        before = video.newest
        await asyncio.sleep(0.5)
        assert video.newest is before
        kvm.frame = picture("Hello", size=(480, 320))
        there.screen.needs_every_frame = lambda: True
        await until(lambda: there.screen.status.width == 480)
        assert video.newest is not before


async def test_too_many_logins_have_their_own_message() -> None:
    kvm = JetKvm(limited=True)
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        with pytest.raises(CuaError, match="refuses logins for a while"):
            await there.inputs.perform(Type(text="x"))
        assert kvm.tries == 1


async def test_a_jetkvm_without_a_password_is_connected_again_each_time() -> None:
    kvm = JetKvm(password="")
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}") as there:
        for text in "abc":
            await there.inputs.perform(Type(text=text))
            await kvm.cut()
        assert interpret(kvm.written).text == "abc"
        assert kvm.tries == 0


async def test_a_login_that_was_ended_elsewhere_is_not_taken_back() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        await there.inputs.perform(Type(text="a"))
        kvm.tokens.append("of a browser")
        await kvm.cut()
        with pytest.raises(CuaError, match="Another login"):
            await there.inputs.perform(Type(text="b"))
        assert kvm.tries == 1


async def test_a_later_connection_logs_in_only_if_the_login_was_ended() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place:
        for count, text in enumerate("ab", 1):
            for _ in range(2):
                async with open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
                    await there.inputs.perform(Type(text=text))
                    await kvm.cut()
                    await there.inputs.perform(Type(text=text))
            assert kvm.tries == count
            kvm.tokens.append("of a browser")
    assert interpret(kvm.written).text == "aaaabbbb"


@pytest.mark.slow
async def test_everything_is_released_when_answers_are_lost() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        for action in (CHORDS, DRAGS):
            await there.inputs.perform(Type(text="a"))
            working = asyncio.create_task(there.inputs.perform(action))
            await until(kvm.down)
            kvm.silent = True
            with pytest.raises(CuaError, match="does not answer"):
                await working
            await until(lambda: not kvm.down())  # by the session that is given up
            assert kvm.silent
            kvm.silent = False


async def test_everything_is_released_before_it_is_closed() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place:
        async with open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
            await there.inputs.perform(Click(at=Point(x=0.25, y=0.75)))
            working = asyncio.create_task(there.inputs.perform(DRAGS))
            await until(kvm.down)
            await there.kvm.close()
            with pytest.raises(CuaError):
                await working
            assert not kvm.down()
        last = [method for method, _ in kvm.requests][-3:]
        assert last == ["keyboardReport", "relMouseReport", "absMouseReport"]


async def test_a_success_that_the_computer_did_not_get_is_reported() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        await there.inputs.perform(Type(text="a"))
        kvm.usb = "not attached"
        with pytest.raises(DeviceError, match="USB"):
            await there.inputs.perform(Type(text="b"))
        kvm.usb = "configured"
        await there.inputs.perform(Type(text="c"))
        assert interpret(kvm.written).text == "ac"
        assert there.calls.input_problems[-1] == ""


async def test_a_report_that_fails_is_reported_and_its_release_repeated() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        await there.inputs.perform(Type(text="a"))
        typing = asyncio.create_task(there.inputs.perform(CHORDS))
        await until(kvm.down)
        kvm.failing = 2
        with pytest.raises(DeviceError, match="device busy"):
            await typing
        await until(lambda: not kvm.down())


async def test_a_probe_finds_it_without_a_login() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place:
        assert await find_address(f"kvm://{place}") == f"jetkvm://{place}"
    assert kvm.tries == 0


async def test_power() -> None:
    kvm = JetKvm()
    async with (
        running(kvm.app()) as place,
        open_kvm(f"jetkvm://{place}", mac="00:1b:c4:ff:0e:01", **PASSWORD) as there,
    ):
        for button in ("power", "hold_power", "reset", "wake"):
            await there.kvm.perform(Power(button=button))
        asked = [said for method, said in kvm.requests if method.startswith(("setATX", "sendWOL"))]
        actions = [{"action": f"{each}"} for each in ("power-short", "power-long", "reset")]
        assert asked == [*actions, {"macAddress": there.kvm.mac}]
        assert await there.kvm.is_powered() is True
        kvm.extension = "dc-power"
        await there.kvm.perform(Power(button="power"))
        assert await there.kvm.is_powered() is False
        kvm.extension = ""
        assert await there.kvm.is_powered() is None
        with pytest.raises(DeviceError, match="cannot press that button"):
            await there.kvm.perform(Power(button="power"))


async def test_images_are_uploaded_mounted_one_for_another_and_ejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(JetKvmMedia, "usb_reset_s", 0.0)
    kvm = JetKvm()
    kvm.disk_images.files = {"a.iso": b"content", "new.iso.incomplete": b"of another"}
    content = bytes(range(256)) * 10

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 700):
            yield content[start : start + 700]

    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        media = there.kvm.require_media()
        assert (await media.state()).images == (Image("a.iso", 7),)
        await media.upload("new.iso", len(content), chunks())
        assert kvm.disk_images.files["new.iso"] == content
        for name, drive in CHANGES:
            await there.kvm.perform(Mount(image=name, drive=drive))
            state = await media.state()
            assert (state.mounted, state.drive) == (name, drive)
        await there.kvm.perform(Eject())
        assert (await media.state()).mounted == ""
        with pytest.raises(ActionError, match=r"no image “c\.iso”"):
            await there.kvm.perform(Mount(image="c.iso"))
        with pytest.raises(DeviceError, match="does not support it"):
            media.fetch("http://mirror.example/b.iso")


async def test_a_mount_ends_when_the_computer_takes_input_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(JetKvmMedia, "usb_reset_s", 0.0)
    kvm = JetKvm(detached_by_mount=True)
    kvm.disk_images.files = {"a.iso": b"content"}
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        mount = asyncio.ensure_future(there.kvm.perform(Mount(image="a.iso")))
        await until(lambda: kvm.disk_images.mounted == "a.iso")
        assert not (await asyncio.wait([mount], timeout=0.5))[0]
        kvm.tell_usb("configured")
        await mount
        await there.inputs.perform(Type(text="a"))
        assert interpret(kvm.written).text == "a"

        monkeypatch.setattr("cua.kvms.kvm.ATTACH_TIMEOUT_S", 0.2)
        for _ in range(2):  # a computer that is off gets its image too
            await there.kvm.perform(Eject())
            await there.kvm.perform(Mount(image="a.iso"))
        assert kvm.disk_images.mounted == "a.iso"


async def test_a_media_request_that_hangs_leaves_keyboard_and_mouse_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jetkvm_link, "CALL_TIMEOUT_S", 0.5)
    kvm = JetKvm(hanging=("unmountImage",))
    async with running(kvm.app()) as place, open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
        await there.inputs.perform(Type(text="a"))
        with pytest.raises(DeviceError, match="no reply to unmountImage"):
            await there.kvm.perform(Eject())
        await there.inputs.perform(Type(text="b"))
        assert interpret(kvm.written).text == "ab"
        assert kvm.offers == 1


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
async def test_nothing_stays_down_when_the_program_is_killed_or_frozen(
    end: signal.Signals, tmp_path: Path
) -> None:
    kvm = JetKvm()
    async with (
        running(kvm.app(), self_signed(tmp_path)) as place,
        typing_process(f"jetkvm+https://{place}", kvm.password) as process,
    ):
        await until(lambda: len(kvm.written) >= 10 and kvm.down(), 60)
        process.send_signal(end)
        await until(lambda: not kvm.down(), 30)
        await asyncio.sleep(LEASE_S)
        await until(lambda: not kvm.down())


@pytest.mark.slow
async def test_a_stalled_program_says_so_and_may_connect_again() -> None:
    kvm = JetKvm()
    async with (
        running(kvm.app()) as place,
        typing_process(f"jetkvm://{place}", kvm.password) as process,
    ):
        while True:
            await until(kvm.down, 60)
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(0.2)
            if kvm.down():
                break
            process.send_signal(signal.SIGCONT)
        await until(lambda: not kvm.down(), 30)
        process.send_signal(signal.SIGCONT)
        said, _ = await process.communicate()
        assert "Another login" not in said.decode()
        assert "stalled" in said.decode()
        assert not kvm.down()


@pytest.mark.slow
async def test_the_watchdog_does_not_take_back_what_a_person_took() -> None:
    kvm = JetKvm()
    async with running(kvm.app()) as place:
        async with open_kvm(f"jetkvm://{place}", **PASSWORD) as there:
            typing = asyncio.create_task(there.inputs.perform(CHORDS))
            await until(kvm.down)
            async with open_kvm(f"jetkvm://{place}", **PASSWORD) as person:
                await person.until_live()
                with pytest.raises(CuaError, match="Another login"):
                    await typing
                await there.kvm.close()
                await asyncio.sleep(4)
                await person.inputs.perform(Type(text="mine"))
        assert kvm.offers == 2
