"""The Model Context Protocol by the SDK's own client, as a process and over HTTP."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitRequestFormParams, ElicitResult

import cua
from cua.agent.session import NewTask
from cua.app.machine import ExternalAccess
from cua.hid.inputs import Device, HidInputs
from cua.hid.reports import Endpoint
from cua.kvms.kvm import Kvm as AnyKvm
from cua.kvms.kvm import KvmConfig
from cua.kvms.registry import create as create_kvm
from cua.procedures.folder import ProcedureFolder
from cua.procedures.procedure import read
from cua.safety.approval import AllowAll
from cua.screen.image import jpeg_size
from cua.types import CuaError, DeviceError
from cua.web.mcp.server import KEEPALIVE, TokenGuard, Tools, create, detect_lost_clients
from tests.kvms.open_kvm import CallbackLog, open_kvm
from tests.servers.nanokvm_server import NanoKvm
from tests.servers.site import running
from tests.support.devices import Halting, Recorder, interpret
from tests.support.fakes import StillScreen
from tests.support.kvm_hardware import ROOT, Kvm, any_free_port
from tests.support.scripted_session import ScriptedSession
from tests.support.waiting import until

LOCAL = {"CUA_API_TYPE": "local"}


def environ(kvm: Kvm) -> dict[str, str]:
    return {**os.environ, **kvm.environ, **LOCAL}


@asynccontextmanager
async def over_stdio(kvm: Kvm, **more: Any) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=sys.executable, args=[str(ROOT / "cua_webapp.py"), "mcp"], env=environ(kvm)
    )
    async with Client(command, **more) as client:
        yield client


async def text(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    return " ".join(part.text for part in result.content if part.type == "text")


async def test_a_client_sees_and_acts_but_for_what_needs_a_persons_yes(kvm: Kvm) -> None:
    async with over_stdio(kvm) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names >= {"screenshot", "click", "type", "keys", "scroll", "drag"}
        assert "Take a screenshot first" in await text(client, "click", x=1, y=1)
        shot = await client.call_tool("screenshot", {})
        image, size = shot.content
        assert image.type == "image"
        assert jpeg_size(base64.b64decode(image.data)) == (1280, 720)
        assert size.type == "text"
        assert size.text == "1280x720 pixels"
        assert "Done" in await text(client, "click", x=320, y=540, count=2)
        assert "Done" in await text(client, "type", text="Hello")
        assert "Done" in await text(client, "keys", keys=["ctrl", "a"])
        assert "Done" in await text(client, "scroll", x=10, y=10, down=2)
        assert "Done" in await text(client, "drag", path=[[10, 10], [200, 200]])
        assert "not on the screen" in await text(client, "click", x=1280, y=0)
        assert "no key for" in await text(client, "type", text="雪")
        assert "needs a person's yes" in await text(client, "type", text="sudo rm -rf /\n")
        assert (await client.call_tool("wait_until_still", {"quiet": 0.3})).content
    result = interpret(kvm.reports())
    assert result.text == "Hello"
    assert result.chords[-1] == "ctrl+a"
    assert [(press.x, press.y, press.clicks) for press in result.presses[:2]] == [
        (320, 540, 1),
        (320, 540, 2),
    ]
    assert result.wheel == -2
    assert result.down == []


ANSWERS = {
    "yes": ElicitResult(action="accept", content={"allow": True}),
    "no": ElicitResult(action="accept", content={"allow": False}),
    "declined": ElicitResult(action="decline"),
}


@pytest.mark.parametrize(
    ("mode", "answers"), [("auto", ("no", "yes")), ("legacy", ("declined", "yes"))]
)
async def test_a_client_that_can_ask_its_person_does(
    kvm: Kvm, mode: str, answers: tuple[str, ...]
) -> None:
    answer, asked = "", []

    async def person(_: Any, question: ElicitRequestFormParams) -> ElicitResult:
        asked.append(question.message)
        return ANSWERS[answer]

    async with over_stdio(kvm, elicitation_callback=person, mode=mode) as client:
        await client.call_tool("screenshot", {})
        for count, answer in enumerate(answers, 1):
            said = await text(client, "type", text="rm -rf build\n")
            assert ("Done." in said) == (answer == "yes")
            assert len(asked) == count
            assert "rm -rf build" in asked[-1]
            assert "This deletes files for good." in asked[-1]
            assert interpret(kvm.reports()).text == ("rm -rf build\n" if answer == "yes" else "")


async def test_a_client_that_goes_leaves_nothing_down(kvm: Kvm) -> None:
    async with over_stdio(kvm) as client:
        await client.call_tool("screenshot", {})
        typing = asyncio.create_task(client.call_tool("type", {"text": "A" * 5000}))
        reports = kvm.reports()
        while len(reports) < 20:
            await asyncio.sleep(0.01)
            reports += kvm.reports()
        typing.cancel()
        await asyncio.wait([typing])
    for _ in range(100):
        await asyncio.sleep(0.02)
        reports += kvm.reports()
    assert interpret(reports).down == []
    assert len(interpret(reports).text) < 5000


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
async def test_over_http_only_with_the_token(kvm: Kvm, host: str) -> None:
    port, local = any_free_port(), host == "127.0.0.1"
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            str(ROOT / "cua_webapp.py"),
            "mcp",
            "--http",
            "--host",
            host,
            "--port",
            str(port),
        ),
        env=environ(kvm),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr
    assert process.stdout
    try:
        line = (await process.stderr.readline()).decode()
        token = re.findall(r"token (\S+)", line)[0]
        url = f"http://127.0.0.1:{port}/mcp"
        async with httpx2.AsyncClient(timeout=60) as stranger:
            for wrong in ({}, {"Authorization": "Bearer x"}):
                answer = await stranger.post(url, json={}, headers=wrong)
                assert answer.status_code == 401
            named = {"Authorization": f"Bearer {token}", "Host": "kvm.example"}
            answer = await stranger.post(url, json={}, headers=named)
            assert (answer.status_code == 421) == local
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert (await client.call_tool("screenshot", {})).content
            assert "Done" in await text(client, "type", text="ok")
    finally:
        process.terminate()
        assert await process.wait() == -signal.SIGTERM
        assert await process.stdout.read() == b""
    assert interpret(kvm.reports()).text == "ok"


def access(device: Device) -> ExternalAccess:
    kvm = create_kvm(KvmConfig("vnc", "vnc://127.0.0.1:9"), CallbackLog().callbacks)
    return access_to(kvm, HidInputs(device, kvm=kvm))


def access_to(kvm: AnyKvm, inputs: HidInputs) -> ExternalAccess:
    def folder() -> ProcedureFolder:
        return ProcedureFolder(Path("/nowhere"))

    def replay(*_: object) -> NewTask:
        raise AssertionError

    return ExternalAccess(
        StillScreen(), inputs, AllowAll(), kvm, ScriptedSession().session, folder, replay
    )


async def test_power_and_media_of_a_kvm() -> None:
    kvm = NanoKvm(powered=False)
    kvm.disk_images.files = {"/data/a.iso": b"a"}
    async with (
        running(kvm.app()) as place,
        open_kvm(f"nanokvm://{place}", password="correct horse") as there,
        Client(create(access_to(there.kvm, there.inputs))) as client,
    ):
        assert await text(client, "power_state") == "off"
        assert await text(client, "media_list") == "/data/a.iso\nMounted: nothing."
        assert "Stored images: /data/a.iso." in await text(client, "media_mount", image="b.iso")
        assert "Done" in await text(client, "media_mount", image="/data/a.iso")
        assert await text(client, "media_list") == "/data/a.iso\nMounted: /data/a.iso as cdrom."
        assert "Done" in await text(client, "media_eject")
        assert kvm.disk_images.mounted == ""
        assert "Done" in await text(client, "power", button="reset")
        assert ("POST", "/vm/gpio", {"type": "reset", "duration": 800}) in kvm.asked


async def test_what_a_client_is_told_of_the_tools() -> None:
    async with Client(create(access(Recorder()))) as client:
        assert client.server_info
        assert client.server_info.version == cua.__version__
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    assert "prefixItems" not in json.dumps(schemas)
    pixel = schemas["drag"]["properties"]["path"]["items"]
    assert (pixel["type"], pixel["items"], pixel["maxItems"]) == ("array", {"type": "integer"}, 2)
    assert all(schema["additionalProperties"] is False for schema in schemas.values())


async def test_an_argument_that_a_tool_does_not_have_is_refused() -> None:
    device = Recorder()
    async with Client(create(access(device))) as client:
        await client.call_tool("screenshot", {})
        said = await text(client, "click", x=1, y=1, clicks=2)
        assert "clicks\n  Extra inputs are not permitted" in said
        assert "at most 2 items" in await text(client, "drag", path=[[1, 2, 3], [4, 5]])
    assert device.reports == []


CALL = {"jsonrpc": "2.0", "id": 1}
JSON = {
    "Authorization": "Bearer secret",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


async def test_a_call_ends_with_its_connection_in_the_protocol_of_2025() -> None:
    device = Halting(1)
    app = create(access(device)).streamable_http_app()
    asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT_INFO}
    async with (
        running(TokenGuard(app, "secret"), lifespan="on") as place,
        httpx2.AsyncClient(timeout=60, headers=JSON, base_url=f"http://{place}") as http,
    ):
        begun = await http.post("/mcp", json={**CALL, "method": "initialize", "params": asked})
        session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        await http.post(
            "/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session
        )
        for name, arguments in (("screenshot", {}), ("type", {"text": "A" * 100})):
            call = {**CALL, "method": "tools/call"}
            call |= {"id": name, "params": {"name": name, "arguments": arguments}}
            async with http.stream("POST", "/mcp", json=call, headers=session) as answer:
                assert answer.status_code == 200
                if name == "screenshot":
                    await answer.aread()
                else:
                    await device.full.wait()
                    assert interpret(device.reports).down != []
        await until(lambda: interpret(device.reports).down == [])


def test_a_client_that_vanishes_is_noticed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        detect_lost_clients(listener)
        with socket.create_connection(listener.getsockname()):
            connection, _ = listener.accept()
            with connection:
                assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                found = {
                    name: connection.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
                    for name in KEEPALIVE
                }
                assert found == KEEPALIVE


CLIENT_INFO = {"name": "a test", "version": "1"}


async def test_the_demo_needs_no_ocr_when_the_client_is_the_model(tmp_path: Path) -> None:
    site = Path(mcp.__file__).parent.parent
    for each in site.iterdir():
        if not each.name.startswith(("rapidocr", "onnxruntime")):
            (tmp_path / each.name).symlink_to(each)
    ProcedureFolder(tmp_path / "procedures").save(read("{name: hi, steps: [wait 1 s]}"))
    command = StdioServerParameters(
        command=sys.executable,
        args=[
            "-S",
            str(ROOT / "cua_webapp.py"),
            "mcp",
            "--demo",
            "--config",
            str(tmp_path / "cfg.json"),
        ],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    async with Client(command) as client:
        shot = await client.call_tool("screenshot", {})
        assert [part.type for part in shot.content] == ["image", "text"]
        assert "Done" in await text(client, "click", x=5, y=5)
        assert '"name": "hi"' in await text(client, "procedures")


async def test_a_client_is_told_how_much_was_typed_before_the_kvm_was_gone() -> None:
    class Gone(Recorder):
        async def write(self, endpoint: Endpoint, report: bytes) -> None:
            if len(self.reports) >= 5:
                raise DeviceError("The computer is asleep.")
            await super().write(endpoint, report)

    with pytest.raises(DeviceError, match=r"asleep\. .*: 3 of its 4 characters were typed\.$"):
        await Tools(access(Gone())).type("abcd")


async def test_one_action_at_a_time() -> None:

    device = Recorder()
    tools = Tools(access(device))
    await tools.screenshot()
    await asyncio.gather(tools.type("aaaa"), tools.type("bbbb"), tools.click(1, 1))
    assert interpret(device.reports).text in ("aaaabbbb", "bbbbaaaa")
    with pytest.raises(CuaError, match="not on the screen"):
        await tools.click(-1, 0)
