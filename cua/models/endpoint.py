"""A model server and the limits and callbacks of its use, for all providers."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cua.messages import Message
from cua.types import ModelError

USER_AGENT = "kvm-cua"


@dataclass
class Activity:
    """When the server last sent something; `time.monotonic()`."""

    at: float = field(default_factory=time.monotonic)

    def update(self) -> None:
        self.at = time.monotonic()


async def _log_nothing(url: str, body: bytes) -> None:
    pass


@dataclass(frozen=True)
class ModelEndpoint:
    """A model on a server. `sampling` goes into the request unchanged.

    `native` declares the provider's own computer-use tool, for the dialect that uses it. Before the
    reply is complete, `notify` gets a message for each event, `show` the end of the reply so far,
    `pause` the seconds until the next try (0 when it begins) and whether the server has answered.
    `log_request` is awaited with the URL and body of each request.

    `idle_s` limits each silence, `total_s` the whole request, for a server that sends a byte a
    minute.

    Raises `ModelError` for a key that no header can contain.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    connect_s: float = 10.0
    idle_s: float = 120.0
    total_s: float = 600.0
    sampling: Mapping[str, object] = field(default_factory=dict)
    native: bool = False
    notify: Callable[[str], None] = lambda _: None
    show: Callable[[str], None] = lambda _: None
    pause: Callable[[float, bool], None] = lambda _seconds, _has_answered: None
    silent: Callable[[float, float], None] = lambda _seconds, _left: None
    """Called every `silent_s` of silence with its seconds, and those until the timeout."""
    silent_s: float = 5.0
    activity: Activity = field(default_factory=Activity)
    log_request: Callable[[str, bytes], Awaitable[None]] = _log_nothing
    kvm_ports: Collection[int] = ()
    """Ports of this machine that the KVM's web server uses; no model server is there."""

    def __post_init__(self) -> None:
        if not (self.key.isascii() and self.key.isprintable()):
            raise ModelError(Message("model.bad_key"), setting="api_key")

    @property
    def shown_url(self) -> str:
        """The address without user and password, for messages."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}" if host else self.url[:200]
