"""The web layer on a real uvicorn: who is let in, what is refused, what every answer carries."""

from __future__ import annotations

import asyncio
import json
import time
from itertools import product

import httpx2
import pytest
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from cua.web import page_sockets
from tests.servers.http import Call, Server
from tests.servers.mjpeg_server import Stream, picture, serving
from tests.support.page_client import enter, page
from tests.support.service import Service
from tests.support.waiting import until


async def ask(service: Service, method: str, path: str, **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, verify=False) as client:
        answer: httpx2.Response = await client.request(
            method, service.origin + path, headers=headers
        )
        return answer


SOCKETS = ("/api/ws", "/api/preview")


async def test_bodies_that_are_too_long_or_malformed_are_refused(service: Service) -> None:
    async with page(service.origin) as person:
        assert (await person.post("/api/send", text="x" * 140_000)).status_code == 413
        refused = await person.post("/api/send", text="x" * 20_000)
        assert refused.status_code == 422
        assert refused.json()["error"].startswith("That is too long: at most 10000 characters.")
        refused = await person.post(
            "/api/manual-action", action={"kind": "dance", "secret": "hunter2"}
        )
        assert refused.status_code == 422
        assert "Reload the page." in refused.json()["error"]
        assert "hunter2" not in refused.text
    answer = await ask(service, "POST", "/api/send", Origin=service.origin)
    assert answer.status_code == 403
    assert "Reload it." in answer.json()["error"]
    answer = await ask(service, "POST", "/api/send", Origin="http://evil.example")
    assert "another web page" in answer.json()["error"]


class SilentServer(Server):
    async def answer(self, call: Call) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("what", ["model", "kvm"])
async def test_a_connection_test_ends_with_its_request(service: Service, what: str) -> None:
    async with page(service.origin) as person, SilentServer() as server:
        values = {"base_url": server.url, "kvm": server.url.replace("http", "nanokvm")}
        test = asyncio.create_task(person.post(f"/api/settings/test-{what}", **values))
        await until(lambda: server.calls)
        test.cancel()
        await until(lambda: server.calls[0].hung_up is not None)
        assert (server.calls[0].hung_up or 0) < 5


async def test_settings_come_without_the_key_and_reasons_with_the_field(service: Service) -> None:
    async with page(service.origin) as person:
        saved = await person.post("/api/settings", api_key="canary-key", max_rounds=7)
        assert saved.status_code == 200
        assert saved.json()["secrets"]["api_key"] is True
        assert saved.json()["values"]["max_rounds"] == 7
        assert "canary" not in saved.text
        refused = await person.post("/api/settings", max_rounds=0, img_keep_n="x")
        assert refused.status_code == 422
        assert set(refused.json()["errors"]) == {"max_rounds", "img_keep_n"}
        assert (await person.get("/api/settings")).json()["values"]["max_rounds"] == 7
        assert (await person.post("/api/settings", dialect="klingon")).status_code == 422
        unchanged = await person.post("/api/settings", api_key="")
        assert unchanged.json()["secrets"]["api_key"] is True
        removed = await person.post("/api/settings", api_key=None)
        assert removed.json()["secrets"]["api_key"] is False
        settings = (await person.get("/api/settings")).json()
        assert set(settings["help"]) == {*settings["secrets"], *settings["values"]}
        assert all(settings["help"].values())
        assert settings["default_prompt"]


REFUSED_SETTINGS: list[tuple[str, object]] = [
    ("hid_prefix", "/tmp/theirs"),
    ("kvm_config", "/tmp/theirs"),
    ("grace_seconds", 600),
    ("notice_acknowledged", True),
    ("nonsense", 1),
    # of a wrong type
    ("kvm", "pikvm://[x"),
    ("kvm", 5),
    ("target_os", {}),
    ("dialect", []),
]


async def test_a_page_changes_only_settings_that_it_shows_to_valid_values(
    service: Service,
) -> None:
    async with page(service.origin) as person:
        for name, value in REFUSED_SETTINGS:
            refused = await person.post("/api/settings", **{name: value, "max_rounds": 7})
            assert refused.status_code == 422, name
            assert list(refused.json()["errors"]) == [name]
        values = (await person.get("/api/settings")).json()["values"]
        assert values["max_rounds"] != 7
        changes = {"max_rounds": 7, "gate": "always", "take_over": True, "kvm_user": "ann"}
        await person.post("/api/settings", **{**values, **changes})
        changed = await person.until("settings", changed=sorted(changes))
        shown = {"max_rounds": 7, "gate": "Always", "take_over": True, "kvm_user": None}
        assert changed["data"]["values"] == shown
        acknowledged = await person.post("/api/notice")
        assert acknowledged.json()["notice_acknowledged"] is True


async def test_a_model_that_is_replaced_gives_its_connections_back(service: Service) -> None:
    service.model.script = [{"text": "sleep 20"}, {"text": "Done"}]
    async with page(service.origin) as person:
        await person.post("/api/send", text="wait")
        await person.until("phase", phase="acting")
        await person.post("/api/settings", model_name="another")
        await person.post("/api/pause")
        await person.until("status", status="paused")
        await person.post("/api/send", text="go on")
        await person.until("status", status="done")
        assert service.model.calls[-1].json()["model"] == "another"
        await until(lambda: service.model.open_connections == 1)


async def test_another_stream_address_takes_effect_at_once(service: Service) -> None:
    other = Stream([picture("other", size=(800, 600))])
    async with serving(other) as url, page(service.origin) as person:
        await person.post("/api/settings", stream_url=url)
        await person.until("screen", state="live", width=800)


async def test_the_preview_gives_the_holder_one_picture_for_each_request(service: Service) -> None:
    address = f"ws://{service.host}/api/preview"
    async with connect(address, origin=service.origin, proxy=None) as ws:  # type: ignore[arg-type]
        await ws.send(json.dumps({"token": "guess"}))
        with pytest.raises(ConnectionClosed):
            await ws.recv()
    service.stream.frames = [picture("one"), picture("another")]
    async with page(service.origin) as person:
        await person.until("screen", state="live")
        async with connect(address, origin=service.origin, proxy=None) as ws:  # type: ignore[arg-type]
            await ws.send(json.dumps({"token": person.token}))
            for _ in range(3):
                await ws.send("next")
                assert await ws.recv() in service.stream.frames
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(ws.recv(), 0.2)
        assert service.stream.connections == 1


async def test_a_picture_that_stands_still_is_sent_once_in_an_interval(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_sockets, "STILL_PICTURE_INTERVAL_S", 0.4)
    still, stream = service.stream.frames[0], service.stream
    address = f"ws://{service.host}/api/preview"
    async with page(service.origin) as person:
        await person.until("screen", state="live")
        async with connect(address, origin=service.origin, proxy=None) as ws:  # type: ignore[arg-type]
            await ws.send(json.dumps({"token": person.token}))
            began = time.monotonic()
            for _ in range(3):
                await ws.send("next")
                assert await ws.recv() == still
            assert time.monotonic() - began > page_sockets.STILL_PICTURE_INTERVAL_S
            stream.frames.append(picture("changed"))
            before = stream.sent
            for _ in range(5):
                await ws.send("next")
                assert await ws.recv() in stream.frames
            assert stream.sent - before < stream.fps, "what changes does not wait"


async def test_nobody_waits_for_a_picture_for_a_page_that_has_left(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.screen.receiver.IDLE_TIMEOUT_S", 0.5)
    screen = service.machine.screen
    async with page(service.origin) as person:
        await person.until("screen", state="live")
        address = f"ws://{service.host}/api/preview"
        async with connect(address, origin=service.origin, proxy=None) as ws:  # type: ignore[arg-type]
            await ws.send(json.dumps({"token": person.token}))
            await ws.send("next")
            await ws.recv()
            screen.needs_every_frame = lambda: False  # as where nothing runs
            service.stream.frozen = True
            for _ in range(2):  # one may be there already
                await ws.send("next")
                await asyncio.sleep(0.1)
    await until(lambda: screen.status.state == "connecting", 30)  # at rest: it is not dialled again


async def test_a_step_shows_its_screenshot_to_the_holder_only(service: Service) -> None:
    service.model.script = [{"text": "Done"}] * 2
    async with page(service.origin) as person:
        await person.post("/api/send", text="look")
        frame = await person.until("frame")
        url = frame["data"]["url"]
        shown = await person.get(url)
        assert shown.content in service.stream.frames
        assert (await ask(service, "GET", url)).status_code == 403
        assert (await person.get("/api/frames/99999.jpg")).status_code == 404


async def test_a_page_that_comes_back_gets_what_it_missed(service: Service) -> None:
    service.model.script = [{"text": "Done"}] * 2
    first = await enter(service.origin)
    await first.post("/api/send", text="look")
    await first.until("status", status="done")
    missed = first.events[-3:]
    last = f"{first.last_id.partition(':')[0]}:{missed[0]['seq'] - 1}"
    await first.close()
    async with page(service.origin, first.token, last) as again:
        await again.find(lambda event: event["seq"] == missed[-1]["seq"])
        assert again.events[: len(missed)] == missed


async def test_reset_clears_for_everybody(service: Service) -> None:
    service.model.script = [{"fault": "silent"}]
    async with page(service.origin) as person:
        await person.post("/api/send", text="look")
        await person.post("/api/queue", text="and this")
        assert (await person.post("/api/reset")).is_success
        await person.until("reset")
        kept = [{"id": 1, "text": "and this", "procedure": ""}]
        reason = "Paused by the reset."
        await person.find(
            lambda e: (
                e["kind"] == "queue"
                and e["data"] == {"tasks": kept, "held": reason}
                and any(each["kind"] == "reset" for each in person.events[: person.events.index(e)])
            )
        )
        await person.find(lambda e: e["kind"] == "session_started" and e["seq"] > 3)


async def test_the_last_page_that_leaves_pauses_the_run(service: Service) -> None:
    service.model.script = [{"fault": "silent"}]
    first = await enter(service.origin)
    await first.post("/api/send", text="look")
    await first.close()
    while service.machine.session.status != "paused":
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("way", ["socket", "request"])
async def test_stop_on_either_way_until_a_resume(service: Service, way: str) -> None:
    service.model.script = [{"fault": "silent"}, *[{"text": "Done"}] * 2]
    async with page(service.origin) as person:
        await person.post("/api/send", text="look")
        while not service.model.calls:
            await asyncio.sleep(0.01)
        if way == "socket":
            await person.say("stop")
        else:
            assert (await person.post("/api/stop")).is_success
        await person.until("status", status="stopped")
        refused = await person.post("/api/send", text="go on")
        assert refused.status_code == 409
        assert "Press Resume" in refused.json()["error"]
        assert (await person.post("/api/resume", text="go on")).is_success
        await person.until("status", status="done")
        await person.post("/api/stop")
        service.model.script = lambda _: {"text": "1. Open it"}
        assert (await person.post("/api/resume", text="open it", plan=True)).is_success
        await person.until("plan", items=["Open it"])


async def test_who_was_paused_by_another_page_is_told_so(service: Service) -> None:
    service.model.script = [{"fault": "silent"}]
    async with page(service.origin, page="a") as one, page(service.origin, page="b") as other:
        await one.post("/api/send", text="look")
        await one.post("/api/pause")
        await one.until("status", reason="Paused by you.")
        await other.until("status", reason="Paused on another page.")
        await one.post("/api/send", text="")
        await one.until("status", status="running")
    async with page(service.origin, page="a") as one, page(service.origin, page="b") as other:
        await one.until("status", reason="Paused because you reloaded this page.")
        await other.until("status", reason="The page was closed or reloaded.")


async def test_manual_control_ends_with_its_page_and_says_what_was_done(service: Service) -> None:
    async with page(service.origin, page="a") as one, page(service.origin, page="b") as other:
        await one.post("/api/settings", take_over=True)
        await one.post("/api/send", text="look")
        turn = (await one.post("/api/take-over", stays=True)).json()["turn"]
        await one.post("/api/manual-action", action={"kind": "type", "text": "a"}, turn=turn)
        await other.until("control", page="a")
        await one.close()
        await other.until("control", page="")
        await other.find(lambda event: "You controlled the computer" in str(event["data"]))


async def test_what_a_person_begins_lifts_a_stop_that_left_nothing_unfinished(
    service: Service,
) -> None:
    service.model.script = [{"text": "Done"}]
    async with page(service.origin) as person:
        await person.say("stop")
        await person.until("status", status="stopped")
        await person.post("/api/queue", text="look")
        await person.until("status", status="done")


@pytest.mark.parametrize("visible", [False, None])
async def test_a_page_that_hides_or_hangs_pauses_the_run(
    service: Service, visible: bool | None
) -> None:
    service.model.script = [{"fault": "silent"}]
    async with page(service.origin) as person:
        await person.post("/api/send", text="look")
        person.visible = visible
        reason = (await person.until("status", status="paused"))["data"]["reason"]
        assert "was hidden" in reason if visible is False else "did not answer" in reason
        refused = await person.post("/api/send", text="go on")
        assert refused.status_code == 409
        assert "This page is hidden" in refused.json()["error"]
        await person.post("/api/queue", text="and this")
        await person.post("/api/queue/continue")
        await person.until("queue", held=refused.json()["error"])
        assert service.machine.session.status == "paused"


async def test_a_page_out_of_sight_types_nothing(service: Service) -> None:
    async with page(service.origin) as person:
        await person.post("/api/settings", take_over=True)
        action = {"kind": "type", "text": "a"}
        assert (await person.post("/api/manual-action", action=action)).status_code == 200
        person.visible = False
        while service.ownership.attended:
            await asyncio.sleep(0.01)
        for refused in (
            await person.post("/api/manual-action", action=action),
            await person.post("/api/take-over"),
            await person.post("/api/paste/begin"),
            await person.post("/api/paste", text="a"),
            await person.post("/api/hold-button", at={"x": 0.5, "y": 0.5}, button="left"),
        ):
            assert refused.status_code == 409
            assert "This page is hidden" in refused.json()["error"]


async def test_nonsense_on_the_socket_does_nothing(service: Service) -> None:
    async with page(service.origin) as person:
        for word in ("stopp", "send", "resume"):
            await person.say(word, text="go")
        await person.send_raw("[1]")
        await person.send_raw("{")
        await person.send_raw("[" * 30_000)
        await person.send_raw(b"\x00")
        await person.post("/api/pause")
        assert service.machine.session.status == "idle"


async def test_a_malformed_hello_closes_the_socket(service: Service) -> None:
    hellos: list[str | bytes] = ["[" * 30_000, "[1]", "{", b"\x00", "{}"]
    for path, hello in product(SOCKETS, hellos):
        address = service.origin.replace("http", "ws", 1) + path
        async with connect(address, origin=service.origin, proxy=None) as socket:  # type: ignore[arg-type]
            await socket.send(hello)
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            assert socket.close_code == 4000


async def test_a_heartbeat_to_a_page_that_has_left_is_a_disconnect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its socket may be closed before the disconnect has been received."""

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        if message["type"] == "websocket.send":
            raise RuntimeError("Unexpected 'websocket.send', after sending 'websocket.close'.")

    monkeypatch.setattr(page_sockets, "HEARTBEAT_INTERVAL_S", 0.0)
    socket = WebSocket({"type": "websocket"}, receive, send)
    await socket.accept()
    with pytest.raises(WebSocketDisconnect):
        await page_sockets._send_heartbeats(socket)
