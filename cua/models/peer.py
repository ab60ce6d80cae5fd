"""Who is spoken to, and for how long one waits for it: what every provider is made from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cua.types import ModelError

from . import faults


async def _nobody(url: str, body: bytes) -> None:
    """Looks at what is sent."""


@dataclass(frozen=True)
class Peer:
    """A model on a server. Times are seconds; `sampling` goes into the request as it is.

    `native` declares the provider's own computer-use tool, for the dialect that speaks it;
    `notify` gets a sentence for each thing that happens before the reply does, `show` the end of
    what has come of the reply, `pause` the seconds before the next try, and 0 when it begins;
    `sent` is awaited with the URL and the body of every request.

    Raises `ModelError` for what can be neither an address nor a key.

    `idle` is the longest silence while a reply is awaited or streams in, `total` bounds the whole
    request, so that a server which drips a byte a minute ends too.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    connect: float = 10.0
    idle: float = 120.0
    total: float = 600.0
    sampling: Mapping[str, object] = field(default_factory=dict)
    native: bool = False
    notify: Callable[[str], None] = lambda _: None
    show: Callable[[str], None] = lambda _: None
    pause: Callable[[float], None] = lambda _: None
    sent: Callable[[str, bytes], Awaitable[None]] = _nobody
    kvm_ports: Collection[int] = ()
    """Ports of this machine where the KVM's web server is, and no model server."""

    def __post_init__(self) -> None:
        if self.url and not _is_address(self.url):
            raise faults.bad_address(self.url)
        if not (self.key.isascii() and self.key.isprintable()):
            raise ModelError(faults.BAD_KEY)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
