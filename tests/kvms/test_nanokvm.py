"""NanoKVM and NanoKVM-Pro from elsewhere, in front of servers that speak their protocols."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cua.kvms.address import parse_address
from cua.kvms.connection_check import check_connection
from cua.messages import Message
from cua.types import CuaError, DeviceError, Drag, Keypress, Point, Type
from tests.kvms.open_kvm import OpenKvm, open_kvm, until_written
from tests.servers.nanokvm_server import NanoKvm, nanokvm_pro
from tests.servers.relay import relaying
from tests.servers.site import running, self_signed
from tests.support.devices import interpret
from tests.support.waiting import until

# Python 3.10 does not notice that a TLS transport was closed by its peer (the server's here).
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*_SSLProtocolTransport.__del__:pytest.PytestUnraisableExceptionWarning"
)
PASSWORD = {"password": "correct horse"}
PRO = "nanokvm-pro+http"


async def at(there: OpenKvm, *actions: Any) -> None:
    for action in actions:
        await there.inputs.perform(action)


async def test_a_lockout_has_its_own_message() -> None:
    kvm = NanoKvm(locked=True)
    async with running(kvm.app()) as place, open_kvm(f"nanokvm://{place}", **PASSWORD) as there:
        await until(lambda: there.screen.status.state == "lost")
        assert "locked logins" in there.screen.status.sentence


async def test_another_server_at_that_address_has_its_own_message() -> None:
    async def not_found(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"nothing here"})

    async with running(not_found) as place, open_kvm(f"nanokvm://{place}", **PASSWORD) as there:
        await until(lambda: there.screen.status.state == "lost")
        assert "does not look like a NanoKVM" in there.screen.status.sentence


async def test_an_unreachable_address_has_its_own_message() -> None:
    async with open_kvm("nanokvm-pro://127.0.0.1:9", **PASSWORD) as there:
        await until(lambda: there.screen.status.state == "lost")
        assert "cannot be reached" in there.screen.status.sentence


async def test_frame_detection_is_switched_off_and_on_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cua.screen.receiver.IDLE_TIMEOUT_S", 0.5)
    kvm = NanoKvm()
    async with running(kvm.app()) as place:
        async with open_kvm(f"nanokvm://{place}", **PASSWORD) as there:
            await there.until_live()
            assert kvm.detecting is False
            kvm.detecting = True  # requested on its own page
            await until(lambda: kvm.detecting is False)
        assert kvm.detecting is True


async def test_the_stream_mode_is_set_and_put_back(tmp_path: Path) -> None:
    kvm = nanokvm_pro()
    async with running(kvm.app(), self_signed(tmp_path)) as place:
        async with open_kvm(f"nanokvm-pro://{place}", **PASSWORD) as there:
            await there.until_live()
            assert kvm.mode == "mjpeg"
        assert kvm.mode == "h264-webrtc"


async def test_an_unreachable_kvm_can_be_closed() -> None:
    kvm = NanoKvm()
    async with running(kvm.app()) as place, relaying(place) as relay:
        async with open_kvm(f"nanokvm://127.0.0.1:{relay.port}", **PASSWORD) as there:
            await there.until_live()
            relay.place = "127.0.0.1:9"
            relay.cut()
        level, words = there.calls.logged[-1]
        assert level == "warning"
        assert "Could not restore the settings" in words


async def test_a_connection_that_cannot_be_used_is_closed() -> None:
    lamps_known = asyncio.Event()
    kvm = NanoKvm(lamps_known=lamps_known)
    async with running(kvm.app()) as place, open_kvm(f"nanokvm://{place}", **PASSWORD) as there:
        task = asyncio.create_task(there.inputs.perform(Type(text="x")))
        await until(lambda: len(kvm.sockets) == 1)
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: not kvm.sockets)
        lamps_known.set()


@pytest.mark.parametrize(("scheme", "make"), [("nanokvm", NanoKvm), (PRO, nanokvm_pro)])
async def test_a_mouse_jiggler_is_reported(scheme: str, make: Callable[..., NanoKvm]) -> None:
    kvm = make(jiggles=True)
    async with running(kvm.app()) as place, open_kvm(f"{scheme}://{place}", **PASSWORD) as there:
        await there.until_live()
        assert there.calls.logged == [("warning", Message("kvm.jiggler", kvm=there.kvm.name))]


async def test_the_power_button() -> None:
    kvm = NanoKvm()
    async with running(kvm.app()) as place, open_kvm(f"nanokvm://{place}", **PASSWORD) as there:
        await there.kvm.press("hold_power")
        assert ("POST", "/vm/gpio", {"type": "power", "duration": 5000}) in kvm.asked


async def test_a_first_certificate_is_pinned_and_another_one_refused(tmp_path: Path) -> None:
    kvm = nanokvm_pro()
    first, second = self_signed(tmp_path / "a"), self_signed(tmp_path / "b")
    async with running(kvm.app(), first) as place:
        async with open_kvm(f"nanokvm-pro://{place}", **PASSWORD) as there:
            await there.until_live()
        (pinned,) = there.calls.certificates
        async with open_kvm(f"nanokvm-pro://{place}", fingerprint=pinned, **PASSWORD) as there:
            await there.until_live()
            assert there.calls.certificates == []
    port = int(place.rpartition(":")[2])
    tries = kvm.tries
    async with (
        running(kvm.app(), second, port),
        open_kvm(f"nanokvm-pro://{place}", fingerprint=pinned, **PASSWORD) as there,
    ):
        await until(lambda: there.screen.status.state == "lost")
        words = there.screen.status.sentence
        assert "has changed" in words
        assert pinned in words
        assert words.count(":") > 62  # both fingerprints
        assert kvm.tries == tries


async def test_a_release_that_is_sent_when_the_link_is_back_leaves_the_pointer() -> None:
    """Of a KVM that does not release by itself."""
    kvm = nanokvm_pro()
    async with (
        running(kvm.app()) as place,
        relaying(place) as relay,
        open_kvm(f"{PRO}://127.0.0.1:{relay.port}", **PASSWORD) as there,
    ):
        drag = Drag(path=(Point(x=0.2, y=0.2), Point(x=0.8, y=0.8)))
        task = asyncio.create_task(there.inputs.perform(drag))
        await until_written(kvm, 11)
        relay.cut()
        with pytest.raises(CuaError, match="connection"):
            await task
        await until(lambda: not kvm.down())
        _, last = kvm.written[-1]
        assert last[1:5] != bytes(4)
        assert "held down on the computer" in there.calls.input_problems[-2]
        assert there.calls.input_problems[-1] == ""


async def test_a_silent_network_raises_an_error_in_bounded_time() -> None:
    kvm = nanokvm_pro()
    async with (
        running(kvm.app()) as place,
        relaying(place) as relay,
        open_kvm(f"{PRO}://127.0.0.1:{relay.port}", **PASSWORD) as there,
    ):
        task = asyncio.create_task(there.inputs.perform(Type(text="A" * 500)))
        await until(lambda: len(interpret(kvm.written).text) > 3)
        relay.stalled = True
        with pytest.raises(DeviceError, match="does not answer"):
            await task
        typed = len(interpret(kvm.written).text)
        relay.stalled = False
        await until(lambda: not kvm.down())
        assert len(interpret(kvm.written).text) <= typed + 1


async def test_an_unread_release_is_sent_on_another_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pause while the network stands still: the closed link is not reported."""
    monkeypatch.setattr("cua.kvms.remote_hid.UNREAD_TIMEOUT_S", 0.5)
    kvm = nanokvm_pro()
    async with (
        running(kvm.app()) as place,
        relaying(place) as relay,
        open_kvm(f"{PRO}://127.0.0.1:{relay.port}", **PASSWORD) as there,
    ):
        task = asyncio.create_task(there.inputs.perform(Type(text="A" * 500)))
        await until(lambda: len(interpret(kvm.written).text) > 3)
        relay.stalled = True
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: "held down on the computer" in there.calls.input_problems[-1])
        relay.stalled = False
        await until(lambda: there.calls.input_problems[-1] == "")
        await until(lambda: not kvm.down())


async def test_the_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    kvm = NanoKvm()
    async with running(kvm.app()) as place, open_kvm(f"nanokvm://{place}", **PASSWORD) as there:
        await at(there, Keypress(keys=("esc",)))
        assert kvm.beats == 1


async def test_without_a_password_the_login_is_tried_once() -> None:
    """Each try counts for the KVM's lock."""
    kvm = NanoKvm()
    async with running(kvm.app()) as place:
        with pytest.raises(CuaError, match="needs a login"):
            await check_connection(parse_address(f"nanokvm://{place}"))
    assert kvm.tries == 1
