"""Another computer while the service runs: nothing is typed at the one and seen at the other."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.servers.mjpeg_server import picture
from tests.servers.nanokvm_server import OK, NanoKvm
from tests.servers.onekvm_server import OneKvm
from tests.servers.site import running
from tests.support.devices import interpret
from tests.support.page_client import Page, page
from tests.support.service import Service, in_this_process
from tests.support.waiting import until

HIS = {"kvm_user": "admin", "kvm_password": "correct horse"}
A = {"kind": "type", "text": "a"}


class Leaving(NanoKvm):
    """One that takes its time, or does not answer at all, when it is asked to be as before."""

    asked_to_restore: asyncio.Event
    may_answer: asyncio.Event

    async def _other(self, request: Request) -> Response:
        if request.method == "POST" and (await request.json()) == {"enabled": True}:
            self.asked_to_restore.set()
            await self.may_answer.wait()
            return JSONResponse(OK)
        return await super()._other(request)


async def at(person: Page, place: str) -> None:
    """Work at this KVM, as far as that its pictures come."""
    saved = await person.post("/api/settings", kvm=f"nanokvm://{place}", take_over=True, **HIS)
    assert saved.status_code == 200, saved.text
    await person.until("screen", state="live", width=1000)


def leaving() -> Leaving:
    kvm = Leaving(frame=picture(size=(1000, 700)))
    kvm.asked_to_restore, kvm.may_answer = asyncio.Event(), asyncio.Event()
    return kvm


async def test_nobody_gets_hands_while_another_computer_is_connected(service: Service) -> None:
    kvm = leaving()
    async with running(kvm.app()) as place, page(service.origin) as person:
        await at(person, place)
        change = asyncio.create_task(person.post("/api/settings", kvm=""))
        await kvm.asked_to_restore.wait()
        again = asyncio.create_task(person.post("/api/use-simulator", on=False))
        orders: list[tuple[str, dict[str, Any]]] = [
            ("/api/send", {"text": "go"}),
            ("/api/manual-action", {"action": A}),
        ]
        for path, body in orders:
            refused = await person.post(path, **body)
            assert refused.status_code == 409
            assert "Another computer is being connected" in refused.json()["error"]
        kvm.may_answer.set()
        assert (await change).status_code == (await again).status_code == 200
        assert (await person.post("/api/manual-action", action=A)).status_code == 200
    assert interpret([("keyboard", each) for each in service.fifos.read("keyboard")]).text == "a"
    assert kvm.written == []


async def test_a_kvm_that_is_gone_is_replaced_all_the_same(service: Service) -> None:
    async with page(service.origin) as person:
        async with running(NanoKvm(frame=leaving().frame).app()) as place:
            await at(person, place)
        await person.post("/api/settings", kvm="")
        await person.find(lambda event: "Could not restore the settings" in str(event["data"]))
        assert (await person.post("/api/manual-action", action=A)).status_code == 200
        await until(lambda: service.machine.screen.status.width == 1280)


async def test_by_hand_the_computer_is_the_one_of_the_settings(service: Service) -> None:
    async with page(service.origin) as person:
        await person.post("/api/settings", keyboard_layout="de", take_over=True)
        action = {"kind": "type", "text": "z"}
        assert (await person.post("/api/manual-action", action=action)).status_code == 200
    typed = interpret([("keyboard", each) for each in service.fifos.read("keyboard")]).text
    assert typed == "y"  # the key that a German keyboard has a z on, as a US one reads it


async def test_the_persons_own_enter_or_another_computer_ends_the_withholding_of_the_screen(
    service: Service,
) -> None:
    secret_store = service.machine.secret_store
    async with page(service.origin) as person:
        await person.post("/api/settings", take_over=True)
        orders: list[tuple[str, dict[str, Any]]] = [
            ("/api/manual-action", {"action": {"kind": "keypress", "keys": ["ENTER"]}}),
            ("/api/settings", {"stream_url": "http://127.0.0.1:9/"}),
        ]
        for path, body in orders:
            secret_store.withheld = True
            assert (await person.post(path, **body)).status_code == 200
            assert not secret_store.withheld


async def test_a_file_that_names_no_computer_moves_nothing_on_this_one(tmp_path: Path) -> None:
    (tmp_path / "cfg.json").write_text(json.dumps({"kvm": "foo://host", "take_over": True}))
    async with in_this_process(tmp_path) as service, page(service.origin) as person:
        for path, body in (("/api/send", {"text": "go"}), ("/api/manual-action", {"action": A})):
            refused = await person.post(path, **body)
            assert "The KVM in the settings file is not valid" in refused.json()["error"]
        await person.post("/api/settings", max_rounds=5)
        assert (await person.post("/api/manual-action", action=A)).status_code != 200
        said = await person.post("/api/settings", kvm="")
        assert said.json()["ignored"] == {}
        assert (await person.post("/api/manual-action", action=A)).status_code == 200
        typed = interpret([("keyboard", each) for each in service.fifos.read("keyboard")]).text
    assert typed == "a"


async def test_the_environment_names_a_computer_where_the_file_does_not(tmp_path: Path) -> None:
    (tmp_path / "cfg.json").write_text(json.dumps({"kvm": "pikvm://host:99999", "take_over": True}))
    async with (
        running(NanoKvm(frame=leaving().frame).app()) as place,
        in_this_process(tmp_path, CUA_KVM=f"nanokvm://{place}") as service,
        page(service.origin) as person,
    ):
        answer = await person.post("/api/manual-action", action={"kind": "wait", "seconds": 0})
        assert "which computer" not in answer.text


async def test_that_nothing_can_be_recorded_is_told_aloud(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    blocked = str(tmp_path / "file" / "r")
    async with (
        in_this_process(tmp_path, CUA_RECORD_DIR=blocked) as service,
        page(service.origin) as person,
    ):
        await person.post("/api/send", text="go")
        told = await person.find(lambda event: "cannot be recorded" in str(event["data"]))
    assert told["data"]["aloud"] is True


async def test_only_the_simulated_computer_is_restarted_and_only_at_rest(service: Service) -> None:
    async with page(service.origin) as person:
        refused = await person.post("/api/restart-simulator")
        assert refused.json()["message"]["key"] == "session.not_simulated"
        await person.post("/api/settings", take_over=True)
        await person.post("/api/use-simulator", on=True)
        service.model.script = [{"fault": "silent"}]
        await person.post("/api/send", text="go")
        refused = await person.post("/api/restart-simulator")
        assert refused.json()["message"]["key"] == "session.restart_running"
        await person.post("/api/pause")
        assert (await person.post("/api/manual-action", action=A)).status_code == 200
        before = await computer_state(person, 0)
        assert (await person.post("/api/restart-simulator")).status_code == 200
        after = await computer_state(person, 1)
        told = await person.find(lambda event: "was restarted" in str(event["data"].get("text")))
        assert told["data"]["aloud"], "a question may stand in the chat"
        await person.post("/api/queue", text="more")
        await person.post("/api/use-simulator", on=False)
        await person.find(lambda event: event["kind"] == "queue" and not event["data"]["tasks"])
    assert (before["typed"], after["typed"]) == ("a", "")


async def test_the_pointer_is_not_on_a_sign_that_is_chosen(service: Service) -> None:
    pytest.importorskip("rapidocr")
    text, start = "name: a\nsteps: [{when: {text: Notepad}}]", {"x": 0.02, "y": 0.13}
    async with page(service.origin) as person:
        await person.post("/api/settings", take_over=True)
        await person.post("/api/use-simulator", on=True)
        await person.post("/api/manual-action", action={"kind": "move", "at": start})
        part = {"left": 0.02, "top": 0.02, "right": 0.09, "bottom": 0.1}
        found = await person.post("/api/procedures/find", text=text, step=0, part=part)
        assert found.status_code == 200, found.text
        assert (await computer_state(person, 0))["pointer"][0] > 0.99


async def computer_state(person: Page, number: int) -> dict[str, Any]:
    """The state of the simulated computer that was connected as this one, from 0."""

    def urls() -> list[str]:
        return re.findall(r"http://127.0.0.1:\d+/state", str(person.events))

    await until(lambda: len(urls()) > number)
    async with httpx2.AsyncClient(trust_env=False) as client:
        state: dict[str, Any] = (await client.get(urls()[number])).json()
    return state


async def test_the_same_password_again_takes_a_login_back(service: Service) -> None:
    kvm = OneKvm(frame=picture(size=(1000, 700)))
    async with running(kvm.app()) as place, page(service.origin) as person:
        whole = f"onekvm://admin:correct%20horse@{place}"  # the password is kept for itself
        saved = await person.post("/api/settings", kvm=whole, take_over=True)
        assert saved.json()["values"]["kvm"] == f"onekvm://admin@{place}"
        await person.until("screen", state="live", width=1000)
        service.machine.screen.needs_every_frame = lambda: True  # as while a task runs
        kvm.take_over()
        await person.until("screen", state="lost", width=1000)
        seen = len(person.events)
        assert kvm.tries == 1
        await person.post("/api/settings", kvm_password=HIS["kvm_password"])
        await until(lambda: any(e["data"].get("state") == "live" for e in person.events[seen:]))
        assert kvm.tries == 2
