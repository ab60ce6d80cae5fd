"""The wrong scheme and an unknown certificate, with real servers that speak TLS."""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme

from cua.models import errors, retry
from cua.models.endpoint import ModelEndpoint
from cua.models.retry import RetryingModel
from cua.types import ModelError
from tests.models import HTTP_KINDS, KEY, KINDS, REQUEST, server
from tests.support.kvm_hardware import ROOT

EXPECTED_TEXT = "Done"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@asynccontextmanager
async def talking(
    kind: str, authority: trustme.CA | None = None, scheme: str = ""
) -> AsyncIterator[tuple[RetryingModel, str]]:
    """A model behind TLS where there is an `authority`, addressed with another `scheme` if given.

    Yields the address without its scheme, too.
    """
    scripted = server(kind, {"text": EXPECTED_TEXT}, key=KEY)
    if authority:
        scripted.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(scripted.tls)
    async with scripted:
        own, _, address = scripted.base_url.partition("://")
        endpoint = ModelEndpoint(f"{scheme or own}://{address}", "scripted", KEY, idle_s=10.0)
        model = RetryingModel(KINDS[kind][0](endpoint), endpoint)
        try:
            yield model, address
        finally:
            await model.aclose()


@pytest.mark.parametrize("kind", HTTP_KINDS)
async def test_an_unknown_authority_gets_the_variable_to_set(
    kind: str, authority: trustme.CA
) -> None:
    async with talking(kind, authority) as (model, _):
        with pytest.raises(ModelError, match="SSL_CERT_FILE=FILE"):
            await model.complete(REQUEST)


ASK = """
import asyncio, sys
from cua.models.endpoint import ModelEndpoint
from tests.support.kvm_hardware import ROOT
from tests.models import KEY, KINDS, REQUEST

async def ask():
    model = KINDS[sys.argv[1]][0](ModelEndpoint(sys.argv[2], "scripted", KEY, idle_s=10.0))
    print((await model.complete(REQUEST)).text)
    await model.aclose()

asyncio.run(ask())
"""


@pytest.mark.parametrize("kind", HTTP_KINDS)
async def test_the_variable_makes_the_authority_trusted(
    kind: str, authority: trustme.CA, tmp_path: Path
) -> None:
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(file)
    async with talking(kind, authority) as (_, address):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", ASK, kind, f"https://{address}"),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "SSL_CERT_FILE": str(file)},
            cwd=ROOT,
        )
        out, _ = await process.communicate()
    assert out.decode().split() == [EXPECTED_TEXT]


@pytest.mark.parametrize("kind", HTTP_KINDS)
async def test_http_to_a_server_with_tls_names_the_address_to_enter(
    kind: str, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "RETRY_DELAYS_S", ())
    async with talking(kind, authority, "http") as (model, address):
        with pytest.raises(ModelError, match=f"enter https://{address} as base URL"):
            await model.complete(REQUEST)
        if kind != "dashscope":  # it has no list
            with pytest.raises(ModelError, match=f"enter https://{address} as base URL"):
                await model.list_models()


@pytest.mark.parametrize("kind", HTTP_KINDS)
async def test_https_to_a_server_without_tls_names_the_address_to_enter(kind: str) -> None:
    async with talking(kind, scheme="https") as (model, address):
        with pytest.raises(ModelError, match=f"Enter http://{address} as base URL"):
            await model.complete(REQUEST)


@pytest.mark.parametrize(
    "said",
    [
        "<html><body>The plain HTTP request was sent to HTTPS port</body></html>",
        "Client sent an HTTP request to an HTTPS server.\n",
        "You're speaking plain HTTP to an SSL-enabled server port.",
        "This combination of host and port requires TLS.",
    ],
)
def test_servers_that_refuse_http_in_words_are_understood(said: str) -> None:
    error = errors.status_error(ModelEndpoint("http://gpu:8000/v1", "m"), 400, said)
    assert "Enter https://gpu:8000/v1 as base URL" in str(error)
