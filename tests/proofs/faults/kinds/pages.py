"""Faults of the page and of the network between it and the service."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from tests.support.page_client import Refused, enter

from ..box import Box
from .kind import InputAction, Kind, do_nothing


async def _close(box: Box) -> None:
    await box.page.close()


async def _come_back(box: Box) -> None:
    await box.open_page()


async def _hide(box: Box) -> None:
    box.page.visible = False
    await box.page.say("heartbeat", visible=False)


def _hush(box: Box) -> None:
    box.page.visible = None


async def _show(box: Box) -> None:
    box.page.visible = True
    await box.page.say("heartbeat", visible=True)


def _stall(box: Box) -> None:
    box.relay.stalled = True


async def _flow(box: Box) -> None:
    box.relay.stalled = False
    box.relay.cut()
    await box.open_page()


async def _second(box: Box, **hello: Any) -> None:
    with suppress(Refused):
        box.guests.append(await enter(box.origin, **hello))


async def _asks(box: Box) -> None:
    await _second(box)


async def _watches(box: Box) -> None:
    await _second(box, watch=True)


async def _takes_over(box: Box) -> None:
    await _second(box, take_over=True)


async def _guest_leaves(box: Box) -> None:
    while box.guests:
        await box.guests.pop().close()


async def _given_back(box: Box) -> None:
    await _guest_leaves(box)
    await box.open_page()


async def _nonsense(box: Box) -> None:
    for text in ("[" * 30_000, "{}", '{"type": 5}', "\x00", '{"type": "stop", "x": '):
        await box.page.send_raw(text)


async def _half_open(box: Box) -> None:
    opened = [await asyncio.open_connection("127.0.0.1", box.kvm.port) for _ in range(150)]
    await asyncio.sleep(1)
    for _, writer in opened:
        writer.close()


def _page(name: str, begin: InputAction, end: InputAction, lasts_s: float = 1.0) -> Kind:
    return Kind(f"page: {name}", begin, end, lasts_s, before_task=False)


PAGES = [
    _page("vanishes", lambda box: box.page.vanish(), _come_back),
    _page("is closed", _close, _come_back),
    _page("is hidden", _hide, _show, 2.0),
    _page("stops answering", _hush, _show, 5.0),
    _page("a second one asks", _asks, _guest_leaves),
    _page("a second one watches", _watches, _guest_leaves),
    _page("a second one takes over", _takes_over, _given_back),
    _page("talks nonsense", _nonsense, _come_back),
    _page("half-open connections", _half_open, do_nothing),
    _page("the network is cut", lambda box: box.relay.cut(), _come_back),
    _page("the network stands still", _stall, _flow, 5.0),
]
