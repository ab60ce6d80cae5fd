"""What holds for each KVM, before a program that speaks its protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from cua.kvms.registry import DEVICE, KINDS
from cua.types import CuaError, Drag, Keypress, Point, Type
from tests.kvms.open_kvm import OpenKvm, assert_same_as_the_device, open_kvm, typed, until_written
from tests.servers.ch9329_chip import Ch9329
from tests.servers.mjpeg_server import picture
from tests.servers.nanokvm_server import NanoKvm, nanokvm_pro
from tests.servers.onekvm_server import OneKvm
from tests.servers.pikvm_server import PiKvm
from tests.servers.relay import Relay, relaying
from tests.servers.rfb_server import APPLE, RfbServer, serving
from tests.servers.site import running
from tests.support.waiting import until

DRAGS = Drag(path=(Point(x=0.2, y=0.3), Point(x=0.8, y=0.6)) * 5)
CHORDS = Type(text="Aa" * 50)
SHARED = "it serves several clients at once"
NO_LOGIN = "it has no login"


@dataclass(frozen=True)
class Row:
    scheme: str
    make: Callable[..., Any]
    """Returns the KVM of the tests."""
    who: dict[str, str] = field(default_factory=lambda: {"password": "correct horse"})
    refused: str = "does not accept this"
    tries: int = 1
    """Requests for one login with a wrong password."""
    after_session: str = ""
    """What is said when the login has ended; empty: it logs in again."""
    lacks: dict[str, str] = field(default_factory=dict)
    """What is proved here and the KVM does not have -> why."""
    slow: bool = False


def jetkvm(**switches: Any) -> Any:
    pytest.importorskip("aiortc", reason="pip install '.[jetkvm]'")
    from tests.servers.jetkvm import JetKvm

    return JetKvm(**switches)


def vnc() -> RfbServer:
    return RfbServer(logins=(APPLE,), account=("maria", "correct horse"))


def old_nanokvm_pro(**switches: Any) -> NanoKvm:
    passphrase = b"nanokvmpro-sipeed-2025"
    return NanoKvm(passphrase, cookie_only=False, releases=False, **switches)


NANOKVM: dict[str, Any] = {"tries": 2, "lacks": {"takeover": SHARED}}  # with either scrambling
OTHER_LOGIN = dict.fromkeys(
    ("reports", "pauses", "signal"), "once it is logged in it is as the row above"
)
OLD_NANOKVM: dict[str, Any] = {"tries": 2, "lacks": {"takeover": SHARED, **OTHER_LOGIN}}
JETKVM_SESSION = {"session": "a restart keeps the login, as a cut does"}
ROWS = {
    "nanokvm": Row("nanokvm", NanoKvm, **NANOKVM),
    "nanokvm, old": Row("nanokvm", lambda **on: NanoKvm(cookie_only=False, **on), **OLD_NANOKVM),
    "nanokvm-pro": Row("nanokvm-pro+http", nanokvm_pro, **NANOKVM),
    "nanokvm-pro, old": Row("nanokvm-pro+http", old_nanokvm_pro, **OLD_NANOKVM),
    "pikvm": Row(
        "pikvm+http",
        PiKvm,
        {"password": "correct:horse"},
        lacks={"takeover": SHARED, "session": "each request has the password"},
    ),
    "pikvm, code": Row(
        "pikvm+http",
        lambda **on: PiKvm(code="123456", **on),
        {"password": "correct:horse", "code": "123456"},
        after_session="a fresh one",
        lacks={"takeover": SHARED, **OTHER_LOGIN},
    ),
    "onekvm": Row("onekvm", OneKvm),
    "jetkvm": Row("jetkvm", jetkvm, lacks=JETKVM_SESSION),
    "jetkvm, no password": Row(
        "jetkvm",
        lambda **on: jetkvm(password="", **on),
        lacks={"login": NO_LOGIN, **JETKVM_SESSION},
        slow=True,
    ),
    "vnc": Row(
        "vnc",
        vnc,
        {"user": "maria", "password": "correct horse"},
        refused="does not accept this password",
        lacks={
            "reports": "RFB has keysyms; test_vnc.py has what TigerVNC and QEMU make of them",
            "session": "a login is for one connection",
            "signal": "it always has a screen",
            "takeover": SHARED,
        },
    ),
    "usb": Row(
        "usb",
        Ch9329,
        lacks={
            "login": NO_LOGIN,
            "session": NO_LOGIN,
            "size": "the stick scales to the size that was asked for",
            "signal": "the stick shows a picture of its own then",
            "takeover": "its serial port is locked: test_a_port_in_use_is_left_alone",
        },
    ),
}


def over(what: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "row",
        [
            pytest.param(row, id=name, marks=[pytest.mark.slow] * row.slow)
            for name, row in ROWS.items()
            if what not in row.lacks
        ],
    )


@dataclass
class Subject:
    kvm: Any
    there: OpenKvm
    relay: Relay | None

    async def cut(self) -> None:
        """Break the connection, in the KVM's own way if it has one."""
        if hasattr(self.kvm, "cut"):
            await self.kvm.cut()
        else:
            assert self.relay
            self.relay.cut()

    def perform(self, action: Any) -> asyncio.Task[None]:
        self.kvm.written.clear()
        return asyncio.create_task(self.there.inputs.perform(action))

    async def perform_until(self, count: int, action: Any) -> asyncio.Task[None]:
        """Return when so many reports are written; a stall of this machine may end an attempt."""
        for _ in range(3):
            working = self.perform(action)
            await until(lambda: working.done() or len(self.kvm.written) >= count)  # noqa: B023
            if not working.done():
                return working
            with suppress(CuaError):
                await working
        raise AssertionError("it always ends before")

    async def until_up(self) -> None:
        await until(lambda: not self.kvm.down())

    async def assert_it_works(self) -> None:
        await self.perform(Type(text="ok"))
        assert typed(self.kvm) == "ok"


@asynccontextmanager
async def meet(
    row: Row, *, who: dict[str, str] | None = None, **switches: Any
) -> AsyncIterator[Subject]:
    kvm, who = row.make(**switches), who or row.who
    if isinstance(kvm, Ch9329):
        async with kvm.plugged_in() as path, open_kvm(f"usb://{path}?video=/dev/null") as there:
            yield Subject(kvm, there, None)
        return
    async with (
        serving(kvm) if isinstance(kvm, RfbServer) else running(kvm.app()) as place,
        relaying(place) as relay,
        open_kvm(f"{row.scheme}://127.0.0.1:{relay.port}", **who) as there,
    ):
        yield Subject(kvm, there, relay)


def test_each_kind_of_kvm_is_here() -> None:
    """But the one that this runs on: tests/hid."""
    here = {row.scheme.partition("+")[0] for row in ROWS.values()}
    assert here == KINDS.keys() - {DEVICE}, "add a row to ROWS, with a server of tests/servers/"


@over("reports")
async def test_the_computer_gets_what_the_device_would_have_written(row: Row) -> None:
    async with meet(row) as it:
        twelve_bits = row.scheme == "usb"  # for a place
        await assert_same_as_the_device(it.there, it.kvm, exact=not twelve_bits)


@over("cuts")
async def test_nothing_stays_down_after_a_cut_at_any_place(
    row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.kvms.ch9329.ANSWER_TIMEOUT_S", 0.4)
    async with meet(row) as it:
        for count in range(1, 24, 3):
            working = await it.perform_until(count, CHORDS if count % 2 else DRAGS)
            await it.cut()
            with suppress(CuaError):  # not if nothing was down at that moment
                await working
            await it.until_up()
        await it.assert_it_works()


@over("pauses")
async def test_a_pause_stops_between_two_reports(row: Row) -> None:
    async with meet(row) as it:
        await it.perform(Keypress(keys=("esc",)))
        for after in (1, 2, 3, 7):
            typing = it.perform(Type(text="AbCdEfGh" * 10))
            await until_written(it.kvm, after)
            typing.cancel()
            await asyncio.wait([typing])
            assert typing.cancelled()
            await it.until_up()
            await asyncio.sleep(0.3)  # what was on its way has come
            assert not it.kvm.down()
            told = int(it.there.inputs.progress.partition(" ")[0].replace("nothing", "0"))
            assert told - 1 <= len(typed(it.kvm)) <= told


@over("login")
async def test_a_wrong_password_is_not_tried_again(row: Row) -> None:
    async with meet(row, who={**row.who, "password": "wrong"}) as it:
        await until(lambda: it.there.screen.status.state == "lost")
        assert row.refused in it.there.screen.status.sentence
        for again in (it.perform(Type(text="x")), it.there.kvm.frames().__anext__()):
            with pytest.raises(CuaError, match=row.refused):
                await again
        assert it.kvm.tries == row.tries
        assert not it.kvm.written


@over("session")
async def test_a_login_that_ends_in_the_middle_of_a_stroke(row: Row) -> None:
    async with meet(row) as it:
        working = it.perform(DRAGS)
        await until(it.kvm.down)
        tries = it.kvm.tries
        await it.kvm.end_session()
        with pytest.raises(CuaError):
            await working
        await it.until_up()
        if row.after_session:
            with pytest.raises(CuaError, match=row.after_session):
                await it.perform(Type(text="x"))
        else:
            await it.assert_it_works()
        assert it.kvm.tries == 2 * tries


@over("size")
async def test_the_size_of_the_screen_is_followed(row: Row) -> None:
    async with meet(row) as it:
        await it.there.until_live()
        if isinstance(it.kvm, RfbServer):
            it.kvm.resize(800, 600)
        else:
            it.kvm.frame = picture(size=(800, 600))
        await until(lambda: it.there.screen.status.width == 800)


@over("signal")
async def test_a_missing_signal_is_reported_until_it_is_back(
    row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.screen.receiver.IDLE_TIMEOUT_S", 0.5)
    monkeypatch.setattr("cua.kvms.http_kvm.CHECK_INTERVAL_S", 0.2)
    async with meet(row, signal=False) as it:
        await until(lambda: it.there.screen.status.state == "no_signal")
        it.kvm.signal = True
        await it.there.until_live()
        it.kvm.signal = False
        await until(lambda: it.there.screen.status.state == "no_signal")


@over("takeover")
async def test_what_another_took_over_is_released_and_not_taken_back(row: Row) -> None:
    async with meet(row) as it:
        await it.there.until_live()
        typing = it.perform(Type(text="A" * 1000))
        await until_written(it.kvm, 20)
        tries = it.kvm.tries
        it.kvm.take_over()
        with pytest.raises(CuaError, match="Another login"):
            await typing
        await it.until_up()
        await until(lambda: "Another login" in it.there.screen.status.sentence)
        with pytest.raises(CuaError, match="Another login"):
            await it.perform(Type(text="A"))
        assert it.kvm.tries == tries
