"""Two computers behind one address: paths, commands for both, and one supervision."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from cua.cli.install.on_demand import OnDemand
from cua.messages import Message, to_json
from cua.screen.image import jpeg_size
from cua.timeouts import within
from cua.types import CuaError
from cua.web.auth.access import OpenAccess
from cua.web.fleet import application
from cua.web.fleet.fleet import Fleet
from cua.web.fleet.member import Member
from cua.web.page_sockets import Admission
from cua.web.pages import Files
from cua.web.server import serve
from cua.web.session_ownership import SessionOwnership
from tests.support.page_client import page
from tests.support.service import not_yet_serving

BOTH = ["one", "two"]
LONG = {"text": f"typestr {'x' * 1900}"}


def _fill(text: str) -> str:
    if "{" in text:
        raise CuaError("It has no such label.")
    return text


@contextlib.asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[tuple[Fleet, str]]:
    for name in BOTH:
        (folder / name).mkdir()
    async with (
        not_yet_serving(folder / "one") as one,
        not_yet_serving(folder / "two") as two,
    ):
        members = {
            name: Member(each.machine, ("rack",), {"site": name}, _fill)
            for name, each in zip(BOTH, (one, two))  # noqa: B905
        }
        fleet = Fleet(members)
        ownership = SessionOwnership(fleet.session, exclusive=False, grace=1)
        admission = Admission(ownership, OpenAccess("this machine", may_displace=True))
        app = application.create(fleet, admission, OnDemand(), Files("fleet.html"))
        served = serve(app, fleet, ownership, one.listener)
        two.listener.close()
        task = asyncio.create_task(served)
        one.model.script = two.model.script = lambda _: LONG
        yield fleet, one.origin
        ownership.expired.set()
        await task


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[tuple[Fleet, str]]:
    async with _served(tmp_path) as found:
        yield found


async def _wait_for(fleet: Fleet, *states: str) -> None:
    async with within(20):
        while [each.session.status for each in fleet.machines] != [*states]:
            await asyncio.sleep(0.01)


async def test_one_page_supervises_and_stops_all(served: tuple[Fleet, str]) -> None:
    fleet, origin = served
    async with page(origin) as person:
        refused = await person.post("/api/send", text="Go to {rack}", names=BOTH)
        assert "no such label" in refused.text
        assert (await person.post("/api/send", text="go", names=["three"])).status_code == 404
        assert (await person.post("/api/send", text="go", names=BOTH)).json() == {"refused": {}}
        await _wait_for(fleet, "running", "running")
    await _wait_for(fleet, "paused", "paused")
    async with page(origin) as person:
        await person.post("/api/resume", names=["two"])
        await _wait_for(fleet, "paused", "running")
        await person.post("/api/stop")
        await _wait_for(fleet, "stopped", "stopped")
        await person.post("/api/resume", names=["two"])
        await _wait_for(fleet, "stopped", "running")
        found = (await person.post("/api/send", text="anew", names=BOTH)).json()["refused"]
        assert [*found] == ["two"]
        assert "Open the computer's page and pause it there" in found["two"]["text"]
        tasks = [each.session.task for each in fleet.machines]
        assert [task and task.goal for task in tasks] == ["anew", "go"]
        await _wait_for(fleet, "running", "running")
        await person.post("/computers/one/api/stop")
        await _wait_for(fleet, "stopped", "running")
        states = (await person.get("/api/computers")).json()
        assert [(states[name]["state"], states[name]["labels"]) for name in BOTH] == [
            ("stopped", {"site": "one"}),
            ("running", {"site": "two"}),
        ]
        await person.post("/api/hand-over")
    await _wait_for(fleet, "stopped", "running")
    await _wait_for(fleet, "stopped", "paused")


async def test_a_tile_has_the_action_as_a_message(served: tuple[Fleet, str]) -> None:
    fleet, origin = served
    fleet.machines[0].log.append(
        "reply", step=1, thought="", actions=[{"words": Message("action.move_brief")}]
    )
    fleet.machines[1].log.append("reply", step=1, thought="", actions=[])
    async with page(origin) as person:
        found = (await person.get("/api/computers")).json()
    assert [found[name]["sentence"] for name in BOTH] == [to_json(Message("action.move_brief")), ""]


async def test_a_tile_has_the_task_until_a_reset(served: tuple[Fleet, str]) -> None:
    fleet, origin = served
    log = fleet.machines[0].log
    log.append("task", text="Read the clock")
    log.append("done", text="It is noon.")
    async with page(origin) as person:
        found = (await person.get("/api/computers")).json()["one"]
        assert (found["task"], found["sentence"]) == ("Read the clock", "It is noon.")
        log.append("reset")
        found = (await person.get("/api/computers")).json()["one"]
        assert (found["task"], found["sentence"]) == ("", "")


async def test_a_tile_has_the_answer_in_place_of_its_question(served: tuple[Fleet, str]) -> None:
    fleet, origin = served
    log = fleet.machines[0].log
    log.append("question", text="Which one?")
    log.append("said", text="The first.", queued=False)
    async with page(origin) as person:
        found = (await person.get("/api/computers")).json()
    assert found["one"]["sentence"] == "The first."


async def test_each_computer_has_its_own_path(served: tuple[Fleet, str]) -> None:
    _, origin = served
    async with page(origin) as person:
        picture = await person.get("/api/computers/one/picture")
        assert jpeg_size(picture.content) == (480, 270)
        again = await person.get(f"/api/computers/one/picture?after={picture.headers['etag']}")
        assert again.status_code in (200, 204)  # another frame may have come
        assert (await person.get("/api/computers/three/picture")).status_code == 404
        for path, status in (("one/", 200), ("three/", 404), ("one/static/none.js", 404)):
            assert (await person.get(f"/computers/{path}")).status_code == status
        assert (await person.get("/computers/two/api/tasks")).json() == []
        file = b"x" * 200_000  # more than other requests may have
        headers = {"X-CUA-Token": person.token, "Origin": origin}
        async with httpx2.AsyncClient(base_url=origin, headers=headers) as client:
            path = "/computers/one/api/files?name=notes.txt"
            assert (await client.post(path, content=file)).status_code != 413
            foreign = {"Origin": "http://evil.example"}
            for path in ("/api/stop", "/computers/one/api/stop"):
                assert (await client.post(path, headers=foreign)).status_code == 403
    async with httpx2.AsyncClient(base_url=origin, headers={"Origin": origin}) as stranger:
        for path in ("/api/computers", "/api/computers/one/picture", "/computers/one/api/tasks"):
            assert (await stranger.get(path)).status_code == 403
        for path in ("/api/stop", "/api/hand-over", "/api/notice"):
            assert (await stranger.post(path, json={})).status_code == 403
