"""Faults of the page and of the network between it and the service."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from tests.support.page_client import Refused, enter

from ..testbed import Testbed
from .kind import InputAction, Kind, do_nothing


async def _close(testbed: Testbed) -> None:
    await testbed.page.close()


async def _come_back(testbed: Testbed) -> None:
    await testbed.open_page()


async def _hide(testbed: Testbed) -> None:
    testbed.page.visible = False
    await testbed.page.say("heartbeat", visible=False)


def _hush(testbed: Testbed) -> None:
    testbed.page.visible = None


async def _show(testbed: Testbed) -> None:
    testbed.page.visible = True
    await testbed.page.say("heartbeat", visible=True)


def _stall(testbed: Testbed) -> None:
    testbed.relay.stalled = True


async def _flow(testbed: Testbed) -> None:
    testbed.relay.stalled = False
    testbed.relay.cut()
    await testbed.open_page()


async def _second(testbed: Testbed, **hello: Any) -> None:
    with suppress(Refused):
        testbed.guests.append(await enter(testbed.origin, **hello))


async def _asks(testbed: Testbed) -> None:
    await _second(testbed)


async def _watches(testbed: Testbed) -> None:
    await _second(testbed, watch=True)


async def _takes_over(testbed: Testbed) -> None:
    await _second(testbed, take_over=True)


async def _guest_leaves(testbed: Testbed) -> None:
    while testbed.guests:
        await testbed.guests.pop().close()


async def _given_back(testbed: Testbed) -> None:
    await _guest_leaves(testbed)
    await testbed.open_page()


async def _nonsense(testbed: Testbed) -> None:
    for text in ("[" * 30_000, "{}", '{"type": 5}', "\x00", '{"type": "stop", "x": '):
        await testbed.page.send_raw(text)


async def _half_open(testbed: Testbed) -> None:
    opened = [await asyncio.open_connection("127.0.0.1", testbed.kvm.port) for _ in range(150)]
    await asyncio.sleep(1)
    for _, writer in opened:
        writer.close()


def _page(name: str, begin: InputAction, end: InputAction, lasts_s: float = 1.0) -> Kind:
    return Kind(f"page: {name}", begin, end, lasts_s, before_task=False)


PAGES = [
    _page("vanishes", lambda testbed: testbed.page.vanish(), _come_back),
    _page("is closed", _close, _come_back),
    _page("is hidden", _hide, _show, 2.0),
    _page("stops answering", _hush, _show, 5.0),
    _page("a second one asks", _asks, _guest_leaves),
    _page("a second one watches", _watches, _guest_leaves),
    _page("a second one takes over", _takes_over, _given_back),
    _page("talks nonsense", _nonsense, _come_back),
    _page("half-open connections", _half_open, do_nothing),
    _page("the network is cut", lambda testbed: testbed.relay.cut(), _come_back),
    _page("the network stands still", _stall, _flow, 5.0),
]
