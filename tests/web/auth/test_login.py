"""The way in on a real uvicorn, with the KVM's login and pairing codes: claims, guests, logouts."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from starlette.routing import Route
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from cua.app.machine import Machine
from cua.cli.install.on_demand import OnDemand
from cua.cli.listening_socket import listen
from cua.kvms import local_web_server
from cua.settings import SettingsFile
from cua.web import routes
from cua.web.application import create
from cua.web.auth.access import LOGGED_OUT, Authenticator, OpenAccess
from cua.web.auth.kvm_login import KvmLogin
from cua.web.auth.pairing import PairingCodes
from cua.web.page_sockets import Admission
from cua.web.pages import Files
from cua.web.server import serve
from cua.web.session_ownership import SessionOwnership
from tests.servers.kvm_web_server import KvmWeb, answering
from tests.servers.mjpeg_server import Stream, serving
from tests.servers.openai_server import OpenAIServer
from tests.support.addresses import lan_address
from tests.support.devices import Fifos
from tests.support.page_client import COOKIE, Page, Refused, enter, page, say_hello


class KvmService:
    """A service on a KVM whose web server is `kvm`."""

    def __init__(
        self, folder: Path, kvm: KvmWeb, model: OpenAIServer, stream: Stream, url: str
    ) -> None:
        file = SettingsFile(
            folder / "cfg.json",
            environ={},
            stream_url=url,
            hid_prefix=str(folder / "hidg"),
            api_type="openai",
            base_url=model.base_url,
            model_name="scripted",
            notice_acknowledged=True,
            gate_reads=False,
        )
        self.kvm, self.model, self.machine = kvm, model, Machine(file)
        self.codes: list[str] = []
        self.stream = stream
        self.ownership = SessionOwnership(self.machine.session, exclusive=True, grace=60)
        logins = KvmLogin(local_web_server.read(kvm.settings(folder)))
        self.admission = Admission(
            self.ownership,
            Authenticator(logins, PairingCodes(self.codes.append, lambda _: None), logins),
            recheck_s=0.5,
        )
        self.listener = listen("", 0)
        self.port = self.listener.getsockname()[1]

    @property
    def origin(self) -> str:
        return f"http://{lan_address()}:{self.port}"

    @property
    def status(self) -> str:
        return self.machine.session.status

    async def begin(self, person: Page) -> None:
        """Until the model has been asked."""
        await person.post("/api/send", text="go")
        while not self.model.calls:
            await asyncio.sleep(0.01)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[KvmService]:
    fifos = Fifos(tmp_path)
    async with (
        answering(KvmWeb(trusts_loopback=True)) as kvm,
        OpenAIServer() as model,
        serving(stream := Stream()) as url,
    ):
        service = KvmService(tmp_path, kvm, model, stream, url)
        app = create(service.machine, service.admission, OnDemand(), Files("index.html"))
        task = asyncio.create_task(serve(app, service.machine, service.ownership, service.listener))
        yield service
        service.ownership.expired.set()
        await task
    fifos.close()


@asynccontextmanager
async def preview(service: KvmService, token: str) -> AsyncIterator[ClientConnection]:
    """The socket of the live picture."""
    address = f"{service.origin.replace('http', 'ws', 1)}/api/preview"
    async with connect(address, origin=service.origin, proxy=None) as socket:  # type: ignore[arg-type]
        await socket.send(json.dumps({"token": token}))
        yield socket


def bogus(number: int) -> str:
    """Cookies of all sorts, none of them good."""
    chosen = random.Random(number)
    name = chosen.choice(["nano-kvm-token", "auth_token", "session", "nano-kvm-token2"])
    value = chosen.choice(["disabled", "a.b.c", "x" * 64, "f" * 64, "", f"{number}.b.c", "{}"])
    return chosen.choice(["", f"{name}={value}", f"a=b; {name}={value}"])


async def test_a_thousand_claims_of_strangers_and_none_is_granted(service: KvmService) -> None:
    async def claim(number: int) -> str:
        code = f"{number:06}" if number % 3 == 0 else ""
        hello = {"code": code, "token": "x" * 43, "take_over": True}
        answer, socket = await say_hello(service.origin, bogus(number), **hello)
        await socket.close()
        return str(answer["type"])

    for first in range(0, 1000, 50):
        granted = await asyncio.gather(*map(claim, range(first, first + 50)))
        assert set(granted) == {"refused"}
    assert not service.ownership.attended


async def test_of_many_claims_only_the_one_that_the_kvm_knows_is_granted(
    service: KvmService,
) -> None:
    async def claim(number: int) -> tuple[str, int]:
        cookie = COOKIE if number == 33 else ""
        answer, socket = await say_hello(service.origin, cookie)
        if answer["type"] != "welcome":
            await socket.close()
        return answer["type"], number

    answers = await asyncio.gather(*map(claim, range(60)))
    assert [number for kind, number in answers if kind == "welcome"] == [33]


async def test_only_one_of_many_who_are_logged_in_holds_it(service: KvmService) -> None:
    claims = [say_hello(service.origin, COOKIE) for _ in range(8)]
    answers = [answer for answer, _ in await asyncio.gather(*claims)]
    assert [answer["type"] for answer in answers].count("welcome") == 1


async def test_asking_for_the_page_claims_nothing(service: KvmService) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        for _ in range(3):
            answer = await client.get(f"{service.origin}/", headers={"Cookie": COOKIE})
            assert answer.status_code == 200
            assert "set-cookie" not in answer.headers
    async with page(service.origin):
        pass


async def test_another_person_stops_and_takes_over_and_the_first_is_told(
    service: KvmService,
) -> None:
    service.model.script = [{"fault": "silent"}, {"text": "Done"}]
    first = await enter(service.origin)
    await service.begin(first)
    holder = f"Another page is in control \\(maria, {lan_address()}\\)"
    with pytest.raises(Refused, match=holder) as held:
        await enter(service.origin)
    guest = held.value.answer["guest"]
    headers = {"Origin": service.origin, "X-CUA-Token": guest}
    async with httpx2.AsyncClient(
        base_url=service.origin, headers=headers, trust_env=False
    ) as client:
        for path in ("/api/send", "/api/resume", "/api/pause", "/api/reset", "/api/settings"):
            assert (await client.post(path, json={"text": "go"})).status_code == 403
        assert (await client.post("/api/stop", json={})).is_success
    await first.until("status", status="stopped")
    async with page(service.origin, take_over=True) as second:
        assert "took control" in (await first.refused())["reason"]
        assert (await first.post("/api/resume")).status_code == 403  # its token is stale
        assert (await second.post("/api/resume")).is_success
        await second.until("status", status="done")
    await first.close()


def commands(service: KvmService) -> Iterator[tuple[str, str]]:
    """Every way to ask for something, from the route table."""
    for route in routes.create(service.machine, service.ownership, OnDemand()).routes:
        if isinstance(route, Route):
            yield from ((method, route.path) for method in route.methods or () if method != "HEAD")


async def test_another_person_watches_everything_and_commands_nothing_but_stop(
    service: KvmService,
) -> None:
    service.model.script = [{"fault": "silent"}]
    first = await enter(service.origin)
    await service.begin(first)
    async with page(service.origin, watch=True) as other:
        frame = await other.until("frame")
        assert (await other.get(frame["data"]["url"])).content in service.stream.frames
        assert (await other.get("/api/settings")).json() == routes.WATCHED
        await other.say("heartbeat", visible=False)
        await other.say("send", text="go")
        seen = {("GET", "/api/frames/{seq}.jpg"), ("GET", "/api/settings")}
        may = {*seen, ("POST", "/api/stop")}
        refused = set()
        for method, path in commands(service):
            if (method, path) in may:
                continue
            address = path.replace("{", "").replace("}", "")
            answer = await (other.get(address) if method == "GET" else other.post(address))
            assert answer.status_code == 403, (method, path)
            refused.add(path)
        assert {"/api/send", "/api/approve", "/api/manual-action", "/api/secrets"} <= refused
        async with preview(service, other.token) as pictures:
            await pictures.send("next")
            assert await pictures.recv() in service.stream.frames
        assert service.status == "running"
        await first.until("connection", what="A page was opened to watch.")
        await other.say("stop")
        await first.until("status", status="stopped")
    assert (await first.post("/api/pause")).status_code == 200  # the session is still its own
    async with preview(service, other.token) as pictures:
        with pytest.raises(ConnectionClosed):
            await pictures.recv()
    await first.close()


async def test_who_watches_counts_for_no_supervisor(service: KvmService) -> None:
    service.model.script = [{"fault": "silent"}]
    first = await enter(service.origin)
    async with page(service.origin, watch=True) as other:
        await service.begin(first)
        await first.close()
        await other.until("status", status="paused")
        async with page(service.origin, take_over=True) as again:
            assert (await again.post("/api/reset")).status_code == 200


async def test_strangers_do_not_watch(service: KvmService) -> None:
    for cookie in ("", "nano-kvm-token=a.b.c"):
        with pytest.raises(Refused):
            await enter(service.origin, cookie=cookie, watch=True)


async def test_taking_over_pauses_a_run(service: KvmService) -> None:
    service.model.script = [{"fault": "silent"}]
    first = await enter(service.origin)
    await service.begin(first)
    async with page(service.origin, take_over=True) as second:
        await second.until("status", status="paused")
        assert service.status == "paused"
    await first.close()


async def test_a_page_that_is_away_is_displaced_without_a_word(service: KvmService) -> None:
    first = await enter(service.origin)
    await first.close()
    async with page(service.origin):
        with pytest.raises(Refused):
            await enter(service.origin, first.token)


async def test_a_logout_at_the_kvm_ends_the_session_here_and_who_watches_sees_no_more(
    service: KvmService,
) -> None:
    service.model.script = [{"fault": "silent"}]
    first = await enter(service.origin)
    await service.begin(first)
    other = await enter(service.origin, watch=True)
    async with preview(service, other.token) as pictures:
        service.kvm.logout()
        assert "no longer logged in" in (await first.refused())["reason"]
        assert (await other.refused())["reason"] == LOGGED_OUT
        await pictures.send("next")
        with pytest.raises(ConnectionClosed):
            await pictures.recv()
    assert service.status == "paused"
    assert (await first.post("/api/resume")).status_code == 403
    assert (await other.post("/api/stop")).status_code == 403
    with pytest.raises(Refused, match="log in to that KVM"):
        await enter(service.origin, first.token)
    await other.close()
    await first.close()


async def test_the_code_lets_in_and_its_tab_back_in(service: KvmService) -> None:
    with pytest.raises(Refused, match="log in to that KVM") as refusal:
        await enter(service.origin, cookie="")
    assert refusal.value.answer["code"] is True
    [code] = service.codes
    assert code not in json.dumps(refusal.value.answer)
    first = await enter(service.origin, cookie="", code=code)
    await first.close()
    again = await enter(service.origin, first.token, cookie="")
    assert (await again.get("/api/settings")).status_code == 200
    await again.close()
    with pytest.raises(Refused):
        await enter(service.origin, cookie="", code=code)


async def pair(service: KvmService) -> Page:
    """Ask for a code, then enter it."""
    with contextlib.suppress(Refused):
        await enter(service.origin, cookie="")
    return await enter(service.origin, cookie="", code=service.codes[-1])


async def refuse_guest(service: KvmService) -> str:
    """The guest's token of someone whose code was accepted while another page holds the session."""
    with pytest.raises(Refused, match="is in control") as held:
        await pair(service)
    return str(held.value.answer["guest"])


async def test_who_entered_a_code_while_the_session_is_held_watches_and_takes_over(
    service: KvmService,
) -> None:
    first = await pair(service)
    guest = await refuse_guest(service)
    with pytest.raises(Refused, match="is in control") as again:  # the page is reloaded
        await enter(service.origin, guest, cookie="")
    assert again.value.answer["guest"] == guest
    watching = await enter(service.origin, guest, cookie="", watch=True)
    assert (await watching.get("/api/settings")).json() == routes.WATCHED
    assert (await watching.post("/api/send", text="go")).status_code == 403
    assert (await watching.post("/api/stop")).status_code == 200
    await watching.close()
    watching = await enter(service.origin, watching.token, cookie="", watch=True)
    second = await enter(service.origin, watching.token, cookie="", take_over=True)
    assert "took control" in (await first.refused())["reason"]
    assert (await second.get("/api/settings")).status_code == 200
    await second.close()
    second = await enter(service.origin, second.token, cookie="")  # its tab comes back
    assert len(service.codes) == 2
    for each in (first, watching, second):
        await each.close()


async def test_one_tab_watches_with_a_guests_token(service: KvmService) -> None:
    first = await pair(service)
    guest = await refuse_guest(service)
    watching = await enter(service.origin, guest, cookie="", watch=True)
    again = await enter(service.origin, watching.token, cookie="", watch=True)
    assert "another tab" in (await watching.refused())["reason"]
    assert (await again.get("/api/settings")).status_code == 200
    for each in (first, watching, again):
        await each.close()


async def test_a_guests_token_that_was_used_up_admits_nobody(service: KvmService) -> None:
    first = await pair(service)
    guest = await refuse_guest(service)
    second = await enter(service.origin, guest, cookie="", take_over=True)
    third = await enter(service.origin, take_over=True)  # logged in to the KVM
    for token in (first.token, second.token, guest):
        with pytest.raises(Refused, match="log in to that KVM"):
            await enter(service.origin, token, cookie="", watch=True)
    for each in (first, second, third):
        await each.close()


async def test_the_guests_token_of_who_was_logged_in_admits_nobody_after_the_logout(
    service: KvmService,
) -> None:
    first = await pair(service)
    with pytest.raises(Refused, match="is in control") as held:
        await enter(service.origin)
    for wish in ("visible", "watch", "take_over"):
        answer, socket = await say_hello(
            service.origin, "", token=held.value.answer["guest"], **{wish: True}
        )
        assert (answer["type"], answer["code"]) == ("refused", True)
        await socket.close()
    await first.close()


async def test_first_visitor_is_not_displaced(service: KvmService) -> None:
    admission = Admission(service.ownership, OpenAccess("the first visitor", may_displace=False))
    object.__setattr__(service.admission, "access", admission.access)
    first = await enter(service.origin, cookie="")
    with pytest.raises(Refused) as held:
        await enter(service.origin, take_over=True)
    assert held.value.answer["guest"] == ""
    await first.close()
    with pytest.raises(Refused):
        await enter(service.origin)
    async with page(service.origin, first.token, cookie=""):
        pass


async def test_no_answer_and_no_event_holds_a_cookie_or_a_code(service: KvmService) -> None:
    with pytest.raises(Refused):
        await enter(service.origin, cookie="")
    async with page(service.origin) as person:
        await person.until("session_started")
        heard = json.dumps(person.events) + (await person.get("/api/settings")).text
    assert COOKIE.partition("=")[2] not in heard
    assert service.codes[0] not in heard
