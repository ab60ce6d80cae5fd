"""What does not depend on a provider's protocol, over each HTTP library."""

from __future__ import annotations

import platform
import time

import pytest

from cua.models.endpoint import Activity
from cua.types import ModelError
from tests.models import HTTP_KINDS, REQUEST, provider, refusal, server, talking

pytestmark = pytest.mark.parametrize("kind", HTTP_KINDS)


async def test_screenshots_do_not_follow_a_redirect(kind: str) -> None:
    async with server(kind, {"text": "stolen"}) as thief:
        moved = {"status": 307, "body": "", "headers": {"location": thief.base_url}}
        assert "redirects the request (307)" in str(await refusal(kind, moved))
        assert thief.calls == []


async def test_a_server_that_is_not_there(kind: str, unused_tcp_port: int) -> None:
    absent = server(kind)
    absent.port = unused_tcp_port
    made = provider(kind, absent)
    with pytest.raises(ModelError, match=r"Cannot connect to http://127.*\(Connection refused\)"):
        await made.complete(REQUEST)
    await made.aclose()


async def test_no_proxy_is_asked_for_this_very_machine(
    kind: str, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_tcp_port}")
    monkeypatch.delenv("no_proxy", raising=False)
    async with talking(kind, {"text": "Done"}) as (_, made):
        assert (await made.complete(REQUEST)).text == "Done"


async def test_the_connection_is_kept_for_the_next_request(kind: str) -> None:
    async with talking(kind, {"text": "one"}, {"text": "two"}) as (peer, made):
        await made.complete(REQUEST)
        await made.complete(REQUEST)
        ports = {call.writer.get_extra_info("peername") for call in peer.calls}
    assert len(ports) == 1


async def test_no_header_tells_of_this_machine(kind: str) -> None:
    async with talking(kind, {"text": "Done"}) as (peer, made):
        await made.complete(REQUEST)
    sent = " ".join(f"{name}: {value}" for name, value in peer.calls[0].headers.items()).lower()
    own = (platform.system(), platform.release(), platform.python_version(), "cpython", "x64")
    assert [word for word in own if word.lower() in sent] == []


async def test_whatever_comes_ends_a_silence(kind: str) -> None:
    activity = Activity(0.0)
    async with talking(kind, {"text": "Done"}, activity=activity) as (_, made):
        began = time.monotonic()
        await made.complete(REQUEST)
        assert activity.at > began
