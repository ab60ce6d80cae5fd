"""Where a model server cannot be, and that nothing is ever sent there."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Collection

import httpx2
import pytest
import trustme

from cua.events.log import EventLog
from cua.messages import ENGLISH, catalogue, translate
from cua.models import dashscope_native, registry, retry
from cua.models.endpoint import ModelEndpoint
from cua.models.http_client import Pinned
from cua.settings import ssrf
from cua.types import ChatMessage, ModelError
from cua.web.local_addresses import find_own_address
from tests.servers.kvm_web_server import KvmWeb, answering

OWN = find_own_address() or "127.0.0.1"
REFUSED = [
    "http://127.0.0.1/v1",
    "https://127.0.0.1/api/vm/system/reboot",
    "https://127.0.0.1:443/v1",
    "http://localhost/v1",
    "https://localhost/api",
    "http://127.1/v1",
    "http://127.0.0.2:80/v1",
    "http://0x7f000001/v1",
    "http://2130706433/v1",
    "http://0177.0.0.1/v1",
    "https://[::1]/v1",
    "https://[::ffff:127.0.0.1]/v1",
    "https://[::ffff:7f00:1]/v1",
    f"https://{OWN}/v1",
    f"http://{OWN}:80/v1",
    "http://127.0.0.1:8443/v1",
    f"http://{OWN}:8443/v1",
    "http://localhost:22/v1",
    "http://0.0.0.0:8000/v1",
    "http://0:8000/v1",
    "http://[::]:8000/v1",
    "http://169.254.169.254/latest/meta-data",
    "http://169.254.1.1:8000/v1",
    "http://[fe80::1]:8000/v1",
    "http://[fd00:ec2::254]/latest",
    "http://100.100.100.200/latest",
    "http://192.0.0.192/latest",
    "http://224.0.0.1:8000/v1",
    "http://255.255.255.255/v1",
    "http://[ff02::1]:8000/v1",
    "http://[::ffff:169.254.169.254]/v1",
    "http://2852039166/latest",
    "http://user@example.com/v1",
    "http://user:pass@192.168.1.5/v1",
    "http://127.0.0.1@example.com/v1",
    "http://example.com/v1?x=",
    "http://example.com/v1#x",
    "http://[::1/v1",
    "http://example.com:99999/v1",
]
ALLOWED = [
    "http://127.0.0.1:11434/v1",
    "http://localhost:11434/v1",
    "http://[::1]:8000/v1",
    "http://192.168.1.5:8000/v1",
    "http://192.168.1.5/v1",
    "http://10.0.0.7/v1",
    "https://api.openai.com/v1",
    "http://gpu.local:8000/v1",
    "http://100.64.0.9:8000/v1",
    "http://[fd12:3456::1]:8000/v1",
    "http://name.that.is.not.known.invalid/v1",
    f"http://{OWN}:8000/v1",
]
KVM_PORTS = {443, 80, 8443}


@pytest.mark.parametrize("url", REFUSED)
async def test_where_no_model_server_can_be(url: str) -> None:
    assert (await ssrf.check(url, KVM_PORTS))[0]


@pytest.mark.parametrize("url", ALLOWED)
async def test_where_one_can(url: str) -> None:
    assert (await ssrf.check(url, KVM_PORTS))[0] == ""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", socket.gethostname(), OWN])
async def test_the_kvms_own_server_never_hears_of_it(host: str) -> None:
    async with answering(KvmWeb(https=False, trusts_loopback=True)) as web:
        model = registry.create(
            "openai",
            base_url=f"http://{host}:{web.port}/api/vm/system/reboot",
            api_key="k",
            model_name="m",
            log=EventLog(),
            kvm_ports={web.port},
        )
        with pytest.raises(ModelError, match="machine belongs to the system"):
            await model.complete([ChatMessage("user", ("hi",))])
        await model.aclose()
        assert web.asked == []


class Turncoat:
    """A name whose owner changes its address: what it stands for, look after look."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = list(answers), 0

    async def __call__(self, host: str, port: int) -> list[str]:
        assert host == "model.test"
        self.asked += 1
        return [self.answers[min(self.asked, len(self.answers)) - 1]]


async def test_the_address_that_was_looked_at_is_the_one_that_is_asked() -> None:
    async with answering(KvmWeb(https=False, trusts_loopback=True)) as web:
        lookup = Turncoat("127.0.0.1", "169.254.169.254")
        url = f"http://model.test:{web.port}/api/auth/account"
        async with client(lookup) as model:
            assert (await model.get(url)).status_code in (200, 401)
            assert lookup.asked == 1  # not resolved again after it had changed
            asked = list(web.asked)
            assert asked
            with pytest.raises(httpx2.ConnectError, match="no model server can be"):
                await model.get(url)
        async with client(Turncoat("127.0.0.1"), {web.port}) as model:
            with pytest.raises(httpx2.ConnectError, match="belongs to the system"):
                await model.get(url)
        assert web.asked == asked


@pytest.mark.parametrize("api_type", ["openai", "dashscope"])
async def test_a_host_that_cannot_be_resolved_is_named(
    api_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "RETRY_DELAYS_S", ())
    if api_type == "dashscope":
        pytest.importorskip("aiohttp")
    url = "http://ssl.not-known.invalid:8000/v1"
    model = registry.create(api_type, base_url=url, api_key="k", model_name="m", log=EventLog())
    with pytest.raises(ModelError) as refused:
        await model.complete([ChatMessage("user", ("hi",))])
    await model.aclose()
    for language, words in (
        (ENGLISH, "the host name ssl.not-known.invalid cannot be resolved"),
        ("zh", "无法解析主机名 ssl.not-known.invalid"),
    ):
        assert words in translate(refused.value.message, catalogue(language))


async def test_the_certificate_is_still_that_of_the_name() -> None:
    authority = trustme.CA()
    ours, theirs = ssl.create_default_context(), ssl.create_default_context()
    authority.configure_trust(ours)
    authority.configure_trust(theirs)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("model.test").configure_cert(tls)
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    async with server:
        async with client(Turncoat("127.0.0.1"), verify=ours) as model:
            assert (await model.get(f"https://model.test:{port}/v1")).text == "hi"
        assert f"Host: model.test:{port}".lower() in heard[0].decode().lower()
        lookup = Anything("127.0.0.1")
        async with client(lookup, verify=theirs) as model:
            with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate"):
                await model.get(f"https://other.test:{port}/v1")
        assert len(heard) == 1


class Anything(Turncoat):
    """For any name."""

    async def __call__(self, host: str, port: int) -> list[str]:
        return self.answers


def client(
    resolve: ssrf.Resolve, kvm_ports: Collection[int] = (), verify: ssl.SSLContext | bool = True
) -> httpx2.AsyncClient:
    inner = httpx2.AsyncHTTPTransport(verify=verify)
    return httpx2.AsyncClient(transport=Pinned(inner, kvm_ports, resolve))


async def test_dashscopes_own_client_judges_the_address_that_it_connects_to() -> None:
    aiohttp = pytest.importorskip("aiohttp")
    async with answering(KvmWeb(https=False, trusts_loopback=True)) as web:
        url = f"http://localhost:{web.port}/api/auth/account"
        for ports, fits in (({web.port}, False), (set(), True)):
            session = dashscope_native._open_session(ModelEndpoint(url, "m", kvm_ports=ports))
            async with session:
                if fits:
                    assert (await session.get(url)).status in (200, 401)
                    continue
                with pytest.raises(aiohttp.ClientError, match="belongs to the system"):
                    await session.get(url)
            assert web.asked == []
