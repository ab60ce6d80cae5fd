"""Connect to the very address that was checked, against DNS rebinding.

The owner of a name can let it resolve to a harmless address when it is checked, and to the KVM's
own web server when it is connected to. So the name is resolved once for each request, and the
request goes to the checked address; Host and certificate are those of the name. A proxy resolves
names itself, so there nothing can be pinned.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.request import getproxies

import httpx2

from cua.messages import Message
from cua.settings import ssrf


class Pinned(httpx2.AsyncBaseTransport):
    """`inner` makes the connections.

    Raises `ConnectError` for a forbidden address, or a host name that cannot be resolved.
    """

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        kvm_ports: Collection[int] = (),
        resolve: ssrf.Resolve = ssrf.resolve,
    ) -> None:
        self._inner, self._kvm_ports, self._resolve = inner, kvm_ports, resolve

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        server = f"{request.url.scheme}://{request.url.netloc.decode()}"
        objection, addresses = await ssrf.check(server, self._kvm_ports, self._resolve)
        if objection:
            raise httpx2.ConnectError(objection)
        failed = httpx2.ConnectError(Message("model.unresolved", host=request.url.host))
        for address in addresses:
            try:
                return await self._inner.handle_async_request(_to(address, request))
            except httpx2.ConnectError as error:
                failed = error
        raise failed

    async def aclose(self) -> None:
        await self._inner.aclose()


def make_transport(kvm_ports: Collection[int]) -> Pinned | None:
    """None if a proxy of the environment resolves names."""
    if {"http", "https", "all"} & getproxies().keys():
        return None
    return Pinned(httpx2.AsyncHTTPTransport(), kvm_ports)


def _to(address: str, request: httpx2.Request) -> httpx2.Request:
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address.partition("%")[0]),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )
