"""Report for how long the model server has sent nothing, while a reply is awaited."""

from __future__ import annotations

import asyncio
import time

from .endpoint import ModelEndpoint


async def watch(peer: ModelEndpoint) -> None:
    """Call `peer.silent` while nothing arrives, until cancelled."""
    peer.activity.update()
    end = peer.activity.at + peer.total_s
    while True:
        await asyncio.sleep(peer.silent_s)
        now = time.monotonic()
        if now - peer.activity.at >= peer.silent_s:
            until = min(peer.activity.at + peer.idle_s, end)
            peer.silent(round(now - peer.activity.at, 1), round(until - now, 1))
