"""Notifications to a person who is away, through any service that `apprise` knows.

Nothing here delays or fails a run: `queue_event` only queues, and messages are sent in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .events.log import Event, EventLog
from .extras import missing_modules
from .messages import Message, catalogue, translate
from .settings import Settings
from .timeouts import cancel_and_wait
from .types import CuaError, MissingExtra

EXTRA = "notify"
SEND_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 5.0
PAGE_CLOSED = Message("session.page_closed")
"""Of a page that asked for the pause by closing: the person may be away."""
MAX_QUEUED = 20
MAX_TEXT_CHARS = 1000
_ADDRESS_PART = re.compile(r"[^\s/:@?&=,]{6,}")
"""What of an address may be a token."""


class Notifier:
    """Sends what a person has to know of the log's events.

    Also while a page is in view: the person may be away from it, and a page out of view pauses the
    run.
    """

    def __init__(self, values: Callable[[], Settings], log: EventLog) -> None:
        self._values, self._log = values, log
        self._queue: asyncio.Queue[tuple[Message, int]] = asyncio.Queue(MAX_QUEUED)
        self._sending: asyncio.Task[None] | None = None
        self._frame_seq = 0
        """The number of the task's last screenshot."""
        self._has_failed = False

    def open(self) -> None:
        self._sending = asyncio.create_task(self._send_queued())

    async def close(self) -> None:
        """Wait a moment for what is queued."""
        if self._sending:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._queue.join(), CLOSE_TIMEOUT_S)
            await cancel_and_wait(self._sending)

    def queue_event(self, event: Event) -> None:
        """Queue an event that a person has to know of."""
        if event.kind in ("task", "frame"):
            self._frame_seq = event.seq if event.picture else 0
        words = describe(event)
        if words and self._values().notify_url.get_secret_value():
            with suppress(asyncio.QueueFull):
                self._queue.put_nowait((words, self._frame_seq))

    async def send(self, values: Settings, words: Message, picture: bytes | None = None) -> None:
        """Send a message to the address in `values`. Raises `CuaError`."""
        if missing_modules(EXTRA):
            raise MissingExtra(EXTRA, setting="notify_url")
        texts = catalogue(values.prompt_language)
        title, text = (translate(each, texts) for each in (Message("notify.title"), words))
        address = values.notify_url.get_secret_value()
        fault = await asyncio.to_thread(_send, address, title, text[:MAX_TEXT_CHARS], picture)
        if fault:
            raise CuaError(Message("notify.failed", reason=fault))

    async def _send_queued(self) -> None:
        while True:
            words, frame_seq = await self._queue.get()
            try:
                await self._notify(words, frame_seq)
            finally:
                self._queue.task_done()

    async def _notify(self, words: Message, frame_seq: int) -> None:
        values = self._values()
        has_picture = values.notify_screenshot and frame_seq
        try:
            picture = await self._log.picture(frame_seq) if has_picture else None
            await self.send(values, words, picture)
            self._has_failed = False
        except CuaError as error:
            self._tell_failure(error.message)
        except Exception as error:  # noqa: BLE001 - a fault of a service's plugin
            self._tell_failure(Message("notify.failed", reason=type(error).__name__))

    def _tell_failure(self, text: str) -> None:
        """Tell it on the page, but not again until a message was sent."""
        if not self._has_failed:
            self._log.note("warning", text, aloud=True)
        self._has_failed = True


def describe(event: Event) -> Message | None:
    """Return what a person who is away has to know of an event."""
    data = event.data
    match event.kind:
        case "question":
            return Message("notify.question", text=data["text"])
        case "approval":
            return Message("notify.approval", action=data["words"], why=data["why"])
        case "done" if data.get("refused"):
            return Message("notify.partly", text=data["text"])
        case "done":
            return Message("notify.done", text=data["text"])
        case "failed":
            return Message("notify.not_done", text=data["text"])
        case "status" if data["status"] == "paused" and (
            not data.get("by") or data["reason"] == PAGE_CLOSED
        ):
            return Message("notify.paused", reason=data["reason"])
    return None


def _send(address: str, title: str, text: str, picture: bytes | None) -> str:
    """Return why it could not be sent, or ""."""
    import apprise
    from apprise.attachment import memory

    logging.getLogger("apprise").propagate = False  # it may write parts of the address
    service = apprise.Apprise()
    if not service.add(address):
        return Message("notify.unknown_service")
    make_attachment: Any = memory.AttachMemory
    attached = make_attachment(picture, "screen.jpg", "image/jpeg") if picture else None
    sent = service.notify(text, title, attach=attached, timeout=SEND_TIMEOUT_S)
    if sent:
        return ""
    *_, reason = ["", *(entry.message for entry in sent.logs())]
    for part in _ADDRESS_PART.findall(address):
        reason = reason.replace(part, "…")
    return reason
