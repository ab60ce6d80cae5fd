"""One connection to an MJPEG stream, from the HTTP request to whole JPEGs."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from .. import tls_contexts
from ..messages import Message, os_reason
from ..timeouts import within
from ..types import ScreenError
from .http_body import Head, HttpError
from .receiver import Receiver

CONNECT_TIMEOUT_S = 5.0
SAFE_CHARS = "%/:=&?~+!$,;'@()*[]"
"""Characters of an address that are sent unquoted."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")


Source = Callable[[], AsyncIterator[bytes]]
"""Opens one connection to the source of pictures and yields JPEGs until it ends.

Raises `Stalled`, `NoSignal` and `ScreenError`.
"""


class LoginNeeded(ScreenError):
    """The KVM requires a login."""


def mjpeg(url: str) -> Source:
    return partial(frames, url)


async def frames(
    url: str, tls: ssl.SSLContext | None = None, headers: Mapping[str, str] | None = None
) -> AsyncIterator[bytes]:
    """Yield the JPEGs of one connection until the server closes it.

    Raises `Stalled` after 3 s of silence and `ScreenError` when the stream cannot be read.
    """
    try:
        receiver, transport = await _connect(url, tls, headers or {})
        try:
            while (jpeg := await receiver.next()) is not None:
                yield jpeg
        finally:
            transport.abort()
    except (OSError, HttpError, ValueError, asyncio.TimeoutError) as error:
        raise _unreadable(url, error) from error


async def _connect(
    url: str, tls: ssl.SSLContext | None, headers: Mapping[str, str]
) -> tuple[Receiver, asyncio.Transport]:
    """Connect. Raises `HttpError` for an invalid `url`, `OSError` and `asyncio.TimeoutError`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise HttpError(Message("screen.invalid_url"))
    secure = parts.scheme == "https"
    context = (tls or await _default_tls(parts.hostname)) if secure else None
    port = parts.port or (443 if secure else 80)
    make = partial(Receiver, _request(parts, headers), _boundary)
    async with within(CONNECT_TIMEOUT_S):
        transport, receiver = await asyncio.get_running_loop().create_connection(
            make, parts.hostname, port, ssl=context
        )
    return receiver, transport


async def _default_tls(host: str) -> ssl.SSLContext:
    """Return TLS settings that accept a self-signed certificate from this machine only."""
    if host not in LOOPBACK:
        return await asyncio.to_thread(ssl.create_default_context)
    return tls_contexts.make_unverified_context()


def _request(parts: SplitResult, headers: Mapping[str, str]) -> bytes:
    target = urlunsplit(
        ("", "", quote(parts.path or "/", SAFE_CHARS), quote(parts.query, SAFE_CHARS), "")
    )
    sent = {
        "Host": parts.netloc.rpartition("@")[2],
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        **_authorization(parts),
        **headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"GET {target} HTTP/1.1\r\n{lines}\r\n".encode()


def _authorization(parts: SplitResult) -> dict[str, str]:
    """Return the header for an address such as http://user:password@host/."""
    if parts.username is None:
        return {}
    known = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {base64.b64encode(known.encode()).decode()}"}


def _unreadable(url: str, error: Exception) -> ScreenError:
    scheme, _, rest = url.rpartition("://")
    url = f"{scheme}://{rest.rpartition('@')[2]}"  # without the password
    reason = os_reason(error)
    if isinstance(error, asyncio.TimeoutError):
        reason = Message("screen.no_answer", seconds=f"{CONNECT_TIMEOUT_S:g}")
    message = Message("screen.unreadable", url=url, reason=reason)
    return ScreenError(message, setting="stream_url")


def _boundary(head: Head) -> str:
    """Return the boundary. Raises `ScreenError` if the response is not an MJPEG stream."""
    if head.status in (401, 403):
        raise LoginNeeded(Message("screen.login_needed"), setting="kvm_password")
    if head.status != 200:
        message = Message("screen.http_status", status=head.status)
        raise ScreenError(message, setting="stream_url")
    kind, _, parameters = head.headers.get("content-type", "").partition(";")
    name, _, boundary = parameters.strip().partition("=")
    if kind.strip().lower() != "multipart/x-mixed-replace" or name.lower() != "boundary":
        message = Message("screen.not_mjpeg", kind=kind or Message("screen.nothing"))
        raise ScreenError(message, setting="stream_url")
    return boundary.strip().strip('"')
