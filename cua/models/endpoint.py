"""A model server and the limits and callbacks of its use, for all providers."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cua.events.log import EventLog
from cua.messages import Message
from cua.types import ModelError

USER_AGENT = "kvm-cua"


@dataclass
class Activity:
    """When the server last sent something; `time.monotonic()`."""

    at: float = field(default_factory=time.monotonic)

    def update(self) -> None:
        self.at = time.monotonic()


@dataclass(frozen=True)
class ModelEndpoint:
    """A model on a server. `sampling` goes into the request unchanged.

    `native` declares the provider's own computer-use tool, for the dialect that uses it. `log` gets
    what a person can see before the reply is complete: each request, the end of the reply so far,
    retries and silence.

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
    silent_s: float = 5.0
    """Seconds of silence after which it is logged, again and again."""
    log: EventLog = field(default_factory=EventLog)
    activity: Activity = field(default_factory=Activity)
    kvm_ports: Collection[int] = ()
    """Ports of this machine that the KVM's web server uses; no model server is there."""

    def __post_init__(self) -> None:
        if not (self.key.isascii() and self.key.isprintable()):
            raise ModelError(Message("model.bad_key"), setting="api_key")

    def show(self, text: str) -> None:
        """Show the end of the reply so far."""
        self.log.send_transient("draft", text=text)

    @property
    def shown_url(self) -> str:
        """The address without user and password, for messages."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}" if host else self.url[:200]
