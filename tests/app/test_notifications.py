"""What a person who is away is told, through a real HTTP receiver."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.servers.site import running
from tests.support.page_client import Page, page
from tests.support.service import Service
from tests.support.waiting import until

TOKEN = "canary-token"


class Receiver:
    """Answers with `status`, and keeps what came."""

    def __init__(self) -> None:
        self.status, self.url = 200, ""
        self._got: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def take(self, request: Request) -> Response:
        self._got.put_nowait(await request.json())
        return Response(status_code=self.status)

    async def next(self) -> dict[str, Any]:
        """The first message takes a while: apprise imports all of its services."""
        return await asyncio.wait_for(self._got.get(), 60)


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    app = Starlette(routes=[Route("/{path:path}", receiver.take, methods=["POST"])])
    async with running(app) as place:
        receiver.url = f"json://{place}/{TOKEN}"
        yield receiver


async def do_task(person: Page, service: Service) -> None:
    """Do a task until it ends."""
    await person.post("/api/reset")
    await person.post("/api/send", text="go")
    await service.machine.session.wait_ended()


async def test_a_person_who_is_away_is_told(service: Service) -> None:
    script = [{"text": "Done"}, {"text": "$ Which one?"}, *[{"fault": "silent"}] * 2]
    service.model.script = script
    async with receiving() as receiver, page(service.origin) as person:
        address = {"notify_url": receiver.url, "notify_screenshot": True}
        await person.post("/api/settings", check_done=False, **address)
        await do_task(person, service)
        told = await receiver.next()
        assert (told["title"], told["message"].strip()) == ("Computer-use agent", "Done.")
        [picture] = told["attachments"]
        assert base64.b64decode(picture["base64"]).startswith(b"\xff\xd8")
        log = service.machine.log
        log.append("done", text="I see it.", refused=True)
        assert (await receiver.next())["message"] == "Partly done. I see it."
        await person.post("/api/settings", notify_screenshot=False, prompt_language="zh")
        await do_task(person, service)
        told = await receiver.next()
        assert (told["message"], told["attachments"]) == ("等待你回答：Which one?", [])
        await person.post("/api/settings", prompt_language="en")
        await person.post("/api/reset")
        await person.post("/api/send", text="go")
        await until(lambda: len(service.model.requests) == 3)
        person.visible = False
        assert (await receiver.next())["message"].startswith("Paused. The page was hidden.")
        async with page(service.origin, page="another") as other:
            await other.post("/api/send", text="")
            await until(lambda: len(service.model.requests) == 4)
        assert (await receiver.next())["message"].startswith("Paused. The page was closed")


async def test_a_failure_is_told_once_and_never_with_the_address(service: Service) -> None:
    service.model.script = [{"text": "Done"}] * 2
    async with receiving() as receiver, page(service.origin) as person:
        receiver.status = 500
        changes = {"notify_url": receiver.url, "check_done": False}
        assert (await person.post("/api/settings", **changes)).is_success
        for _ in range(2):
            await do_task(person, service)
            await receiver.next()
            assert service.machine.session.status == "done"
            await person.until("log", aloud=True)
        await service.machine.notifier.close()
        assert sum(event["data"].get("aloud", False) for event in person.events) == 1
        shown = (await person.get("/api/settings")).json()
        assert (shown["secrets"]["notify_url"], TOKEN in str([shown, person.events])) == (
            True,
            False,
        )


async def test_a_test_message_is_sent_before_the_address_is_saved(service: Service) -> None:
    async with receiving() as receiver, page(service.origin) as person:

        async def test(**values: Any) -> Any:
            return await person.post("/api/settings/test-notification", **values)

        assert (await test(notify_url=receiver.url)).is_success
        assert (await receiver.next())["message"] == "This is a test message."
        receiver.status = 403
        failed = await test(notify_url=receiver.url)
        assert failed.status_code == 502
        assert failed.json()["error"].startswith("The notification was not sent. ")
        assert TOKEN not in failed.text
        assert "no known service" in (await test(notify_url="nowhere://x")).text
        assert "Enter an address first" in (await test()).text
        assert "such as ntfy" in (await test(notify_url="topic")).text
        assert not service.machine.settings.describe()["secrets"]["notify_url"]
