"""Who is let in: the KVM's own login in all its firmwares, and the pairing code below it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cua.kvms import local_web_server
from cua.types import CuaError
from cua.web.auth.access import (
    MAX_FAILURES,
    Authenticator,
    Connection,
    LoggedIn,
    Paired,
)
from cua.web.auth.kvm_login import REQUEST_INTERVAL_S, KvmLogin
from cua.web.auth.pairing import (
    LIFETIME_S,
    MAX_TRIES,
    CodeDisplay,
    PairingCodes,
    find_code,
    writes_to_journal,
)
from cua.web.page_sockets import Admission, _recheck_login
from cua.web.session_ownership import NotAdmitted, Person, SessionOwnership
from tests.servers.kvm_web_server import PIKVM_TOKEN, TOKEN, Fault, KvmWeb, answering, firmwares
from tests.support.addresses import lan_address
from tests.support.scripted_session import ScriptedSession

FIRMWARES = list(firmwares())
FAULTS: tuple[Fault, ...] = ("disabled", "error", "redirect", "html", "huge", "closed")
"""With "disabled" the KVM needs no login, which the request without a cookie shows."""
OTHER_COOKIES = {
    "eHh4.eXl5.enp6": "no",
    "f" * 64: "no",
    "disabled": "none",
    "a.b.c; nano-kvm-token=x": "none",
    "a.b.c\r\nX-Real-IP: 127.0.0.1": "none",
    "x" * 5000 + ".y.z": "none",
}


class Clock:
    def __init__(self, step: float = 0.0) -> None:
        """`step`: seconds by which each call advances the time, so that the test need not wait."""
        self.now, self._step = 1000.0, step

    def __call__(self) -> float:
        self.now += self._step
        return self.now


@asynccontextmanager
async def kvm(name: str, folder: Path, **changes: Any) -> AsyncIterator[tuple[KvmWeb, KvmLogin]]:
    lan_address()  # the KVM is asked over it
    web = firmwares()[name]
    for field, value in changes.items():
        setattr(web, field, value)
    async with answering(web):
        yield web, KvmLogin(local_web_server.read(web.settings(folder)))


def cookies(web: KvmWeb, value: str = "") -> dict[str, str]:
    token = PIKVM_TOKEN if web.cookie == "auth_token" else TOKEN
    return {web.cookie: value or token, "other": "1"}


@pytest.mark.parametrize("name", FIRMWARES)
async def test_who_is_logged_in_is_known_until_the_logout(name: str, tmp_path: Path) -> None:
    """No other cookie is accepted, and no answer of a KVM that has a fault."""
    clock = Clock(step=REQUEST_INTERVAL_S)
    async with kvm(name, tmp_path) as (web, _):
        login = KvmLogin(local_web_server.read(web.settings(tmp_path)), clock)
        answer = await login.verify(cookies(web), "127.0.0.1")
        assert (answer.answer, bool(answer.name)) == ("yes", True)
        for value, expected in OTHER_COOKIES.items():
            clock.now += 6
            web.asked.clear()
            other = (await login.verify(cookies(web, value), lan_address())).answer
            assert other in (expected, "none"), value
            assert (value in web.asked) == (other == "no"), value
        for fault in FAULTS:
            clock.now += 6
            web.fault = fault
            assert (await login.verify(cookies(web), lan_address())).answer == "unsure", fault
        clock.now += 6
        web.fault = ""
        assert (await login.verify(cookies(web), lan_address())).answer == "yes"
        web.logout()
        clock.now += 6
        assert (await login.verify(cookies(web), "127.0.0.1")).answer == "no"


async def test_a_user_without_the_rights_is_not_let_in(tmp_path: Path) -> None:
    async with kvm("nanokvm with roles", tmp_path, users={TOKEN: "user"}) as (web, login):
        assert (await login.verify(cookies(web), lan_address())).answer == "no"


async def test_a_kvm_that_hangs_is_given_up_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.web.auth.kvm_login.TIMEOUT_S", 0.5)
    async with kvm("pro", tmp_path, fault="hang") as (web, login):
        started = time.monotonic()
        assert (await login.verify(cookies(web), lan_address())).answer == "unsure"
        assert time.monotonic() - started < 17


class Stalling(KvmWeb):
    """Holds up the whole process once, between the first request and its answer."""

    async def _respond(self, head: str, peer: str) -> tuple[int, str]:
        if not self.asked:
            asyncio.get_running_loop().call_soon(time.sleep, 1.5)
            await asyncio.sleep(0.05)  # the client's time is over when it answers
        return await super()._respond(head, peer)


async def test_a_stall_of_this_process_is_not_held_against_the_kvm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.web.auth.kvm_login.TIMEOUT_S", 1.0)
    async with answering(Stalling()) as web:
        login = KvmLogin(local_web_server.read(web.settings(tmp_path)))
        assert (await login.verify(cookies(web), lan_address())).answer == "yes"


async def test_no_kvm_is_no_login(tmp_path: Path) -> None:
    login = KvmLogin(local_web_server.KvmServer((("https", 1), ("http", 1))))
    assert (await login.verify(cookies(KvmWeb()), lan_address())).answer == "unsure"


async def test_the_pro_is_never_asked_over_loopback(tmp_path: Path) -> None:
    async with kvm("pro", tmp_path) as (web, login):
        stranger = cookies(web, "eHh4.eXl5.enp6")
        for local_address in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", ""):
            assert (await login.verify(stranger, local_address)).answer == "no"


async def test_a_burst_asks_the_kvm_once(tmp_path: Path) -> None:
    async with kvm("pro", tmp_path) as (web, login):
        for _ in range(20):
            assert (await login.verify(cookies(web), lan_address())).answer == "yes"
        assert len(web.asked) == 2  # the canary and the cookie


def test_the_settings_of_the_kvms_server(tmp_path: Path) -> None:
    path = tmp_path / "server.yaml"
    assert local_web_server.read(path) == local_web_server.KvmServer()
    for text in ("", "- 1", "port: 3", "a: [", "proto: 7", "port: {https: x}"):
        path.write_text(text)
        assert local_web_server.read(path).places == local_web_server.DEFAULT_PORTS
    (tmp_path / "a.crt").touch()
    (tmp_path / "a.key").touch()
    path.write_text(
        f"proto: http\nport: {{http: 8080, https: 8443}}\n"
        f"cert: {{crt: {tmp_path}/a.crt, key: {tmp_path}/a.key}}\n"
    )
    found = local_web_server.read(path)
    assert found.places == (("http", 8080),)
    assert found.certificate == (tmp_path / "a.crt", tmp_path / "a.key")
    assert found.ports == {8080, 80, 443}


class Counter:
    """Keeps the codes that were told."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.told: list[str] = []
        self.codes = PairingCodes(self.told.append, lambda _: None, self.clock)

    def wrong(self) -> str:
        return f"{(int(self.told[-1]) + 1) % 10**6:06}"


def test_a_code_is_good_once() -> None:
    counter = Counter()
    counter.codes.offer()
    counter.codes.offer()
    [code] = counter.told
    assert len(code) == 6
    counter.codes.redeem(code)
    with pytest.raises(CuaError):
        counter.codes.redeem(code)


def test_a_code_lasts_two_minutes() -> None:
    counter = Counter()
    counter.codes.offer()
    counter.clock.now += LIFETIME_S
    with pytest.raises(CuaError, match="no longer valid"):
        counter.codes.redeem(counter.told[0])
    counter.codes.offer()
    assert len(counter.told) == 2


def test_five_wrong_tries_spend_a_code_and_no_new_one_comes_before_its_time() -> None:
    counter = Counter()
    counter.codes.offer()
    for _ in range(MAX_TRIES - 1):
        with pytest.raises(CuaError, match="Wrong pairing code"):
            counter.codes.redeem(counter.wrong())
        counter.codes.offer()
    for code in (counter.wrong(), counter.told[0]):
        with pytest.raises(CuaError, match="Too many wrong codes"):
            counter.codes.redeem(code)
        counter.codes.offer()
    assert len(counter.told) == 1
    counter.clock.now += LIFETIME_S
    counter.codes.offer()
    counter.codes.redeem(counter.told[1])


def test_pair_shows_no_code_that_was_used_or_has_no_tries_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    display = CodeDisplay(["http://kvm"], 1)
    codes = PairingCodes(display.show, display.withdraw)
    codes.offer()
    valid, words = find_code(1)
    assert valid
    codes.redeem(words.split()[2])
    assert find_code(1) == (False, find_code(2)[1])
    codes.offer()
    assert find_code(2)[1].endswith("one is at --port 1")
    for _ in range(MAX_TRIES):
        with pytest.raises(CuaError):
            codes.redeem("")
    valid, words = find_code(1)
    assert not valid
    assert words.startswith("Too many wrong codes.")
    assert find_code(2)[1].startswith("No code is valid. Open the page")


@pytest.mark.parametrize("code", ["", "12345", "1234567", "१२३४५६", "abcdef", "0" * 10_000])
def test_nonsense_is_no_code(code: str) -> None:
    counter = Counter()
    with pytest.raises(CuaError):
        counter.codes.redeem(code)
    counter.codes.offer()
    with pytest.raises(CuaError):
        counter.codes.redeem(code)


def connection(web: KvmWeb | None = None, **more: Any) -> Connection:
    brought = cookies(web) if web else {}
    return Connection(
        **{"client_address": "192.168.1.9", "local_address": "", "cookies": brought, **more}
    )


async def test_the_ladder(tmp_path: Path) -> None:
    counter = Counter()
    async with kvm("pro", tmp_path) as (web, login):
        ladder = Authenticator(login, counter.codes, login, counter.clock)
        admin = await ladder.admit(connection(web))
        assert isinstance(admin, LoggedIn)
        assert admin.name == "maria, 192.168.1.9"
        assert counter.told == []
        with pytest.raises(NotAdmitted, match="log in to that KVM") as refusal:
            await ladder.admit(connection())
        assert refusal.value.details["code"]
        [code] = counter.told
        paired = await ladder.admit(connection(code=code))
        assert isinstance(paired, Paired)
        assert await ladder.admit(connection(returning=paired)) == paired
        with pytest.raises(NotAdmitted):
            await ladder.admit(connection(returning=admin))  # logged in once, and now no more


async def test_whom_the_kvm_no_longer_knows_does_not_stay(tmp_path: Path) -> None:
    clock = Clock()
    async with kvm("pro", tmp_path) as (web, _):
        login = KvmLogin(local_web_server.read(web.settings(tmp_path)), clock)
        ladder = Authenticator(login, Counter().codes, login, clock)
        maria = connection(web)
        person = await ladder.admit(maria)
        assert await ladder.is_still_admitted(maria, person)
        clock.now += 6
        web.fault = "closed"
        assert await ladder.is_still_admitted(maria, person) is None
        web.fault = ""
        assert await ladder.is_still_admitted(maria, person)
        web.logout()
        clock.now += 6
        assert await ladder.is_still_admitted(maria, person) is False


class Rechecks:
    """Answers in turn whether a person is still logged in."""

    def __init__(self, *answers: bool | None) -> None:
        self.left = list(answers)

    async def is_still_admitted(self, *_: object) -> bool | None:
        return self.left.pop(0)


async def test_a_kvm_that_restarts_is_waited_for_shortly() -> None:
    ownership = SessionOwnership(ScriptedSession().session, exclusive=True, grace=60)
    lease = await ownership.claim("", Person("maria"))
    rechecks = Rechecks(True, None, None, True, None, None, None)
    admission = Admission(ownership, rechecks, recheck_s=0)  # type: ignore[arg-type]
    rechecking = asyncio.create_task(_recheck_login(connection(), lease, admission, "gone"))
    await lease.revoked.wait()
    assert rechecks.left == []
    rechecking.cancel()
    await asyncio.wait([rechecking])


async def test_strangers_do_not_wear_the_kvm_down_nor_get_anybody_dismissed(
    tmp_path: Path,
) -> None:
    async with kvm("pro", tmp_path) as (web, _):
        server = local_web_server.read(web.settings(tmp_path))
        login = KvmLogin(server)
        again = KvmLogin(server)
        ladder = Authenticator(login, Counter().codes, again)
        maria = connection(web, local_address=lan_address())
        person = await ladder.admit(maria)
        strangers = [cookies(web, f"a{number}.b.c") for number in range(200)]
        asking = [asyncio.ensure_future(login.verify(each, lan_address())) for each in strangers]
        await asyncio.sleep(0)
        assert (await again.verify(maria.cookies, maria.local_address)).answer == "yes"
        assert await ladder.is_still_admitted(maria, person)
        assert {each.answer for each in await asyncio.gather(*asking)} <= {"no", "unsure"}
        assert len(web.asked) < 40


async def test_an_address_that_guesses_is_soon_not_answered(tmp_path: Path) -> None:
    counter = Counter()
    async with kvm("pro", tmp_path) as (web, login):
        ladder = Authenticator(login, counter.codes, login, counter.clock)
        with contextlib.suppress(NotAdmitted):
            await ladder.admit(connection())
        for _ in range(MAX_FAILURES):
            with pytest.raises(NotAdmitted, match="log in to that KVM") as refusal:
                await ladder.admit(connection(code=counter.wrong()))
            assert "code" in str(refusal.value.details["wrong"])
        with pytest.raises(NotAdmitted, match="Too many attempts"):
            await ladder.admit(connection(web))
        assert await ladder.admit(connection(web, client_address="192.168.1.10"))
        counter.clock.now += 61
        assert await ladder.admit(connection(web))


def test_what_is_written_to_the_journal_is_not_written_to_the_system_log_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    with (tmp_path / "journal").open("w") as journal, (tmp_path / "file").open("w") as file:
        assert not writes_to_journal(journal.fileno())
        about = os.fstat(journal.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{about.st_dev}:{about.st_ino}")
        assert writes_to_journal(journal.fileno())
        assert not writes_to_journal(file.fileno())
