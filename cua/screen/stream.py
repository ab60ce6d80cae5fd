"""One connection to an MJPEG stream: HTTP on the one side, whole JPEGs on the other."""

from __future__ import annotations

import asyncio
import importlib
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from ..types import ScreenError
from .multipart import Splitter

CONNECT = 5.0
IDLE = 3.0
"""Seconds without a byte. A KVM without a signal does not even send its status line."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")


Source = Callable[[], AsyncIterator[bytes]]
"""Begins one connection to wherever pictures come from: JPEGs until it ends.

Raises `Stalled`, `NoSignal` and `ScreenError`.
"""


class Stalled(Exception):
    """Connected, but nothing comes."""


class LoginNeeded(ScreenError):
    """The KVM does not take us for somebody who has logged in."""


def mjpeg(url: str) -> Source:
    return partial(frames, url)


async def frames(
    url: str, tls: ssl.SSLContext | None = None, headers: Mapping[str, str] | None = None
) -> AsyncIterator[bytes]:
    """The JPEGs of one connection, until the other end closes it.

    Raises `Stalled` after 3 s of silence and `ScreenError` when the stream cannot be had.
    """
    http = await asyncio.to_thread(importlib.import_module, "httpx2")
    # The KVM's certificate is its own; it is taken unseen from this very machine only.
    local = urlsplit(url).hostname in LOOPBACK
    options = {"verify": tls or not local, "trust_env": not local and not tls}
    timeout = http.Timeout(CONNECT, read=IDLE)
    sent = {"Accept-Encoding": "identity", **(headers or {})}
    try:
        async with (
            http.AsyncClient(timeout=timeout, **options) as client,
            client.stream("GET", url, headers=sent) as response,
        ):
            splitter = Splitter(_boundary(response))
            async for chunk in response.aiter_raw():
                for jpeg in splitter.feed(chunk):
                    yield jpeg
    except http.ReadTimeout as error:
        raise Stalled from error
    except (http.HTTPError, http.InvalidURL) as error:
        why = str(error) or f"the connection broke ({type(error).__name__})"
        raise ScreenError(f"The KVM's video stream at {url} cannot be read: {why}.") from error


def _boundary(response: Any) -> str:
    if response.status_code in (401, 403):
        raise LoginNeeded("The KVM asks for a login before it shows its video stream.")
    if response.status_code != 200:
        raise ScreenError(
            f"The KVM answers {response.status_code} where its video stream should be: "
            "check the stream address in Settings."
        )
    kind, _, parameters = response.headers.get("content-type", "").partition(";")
    name, _, boundary = parameters.strip().partition("=")
    if kind.strip().lower() != "multipart/x-mixed-replace" or name.lower() != "boundary":
        raise ScreenError(
            f"The address of the video stream gives {kind or 'nothing'}, not MJPEG: "
            "check it in Settings, and set the KVM's Video Mode to MJPEG."
        )
    return str(boundary).strip().strip('"')
