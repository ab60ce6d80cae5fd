"""Check the KVM's video stream, as the service reads it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from ...kvms.connection_check import sample_video
from ...messages import Message
from ...settings import RECOMMENDED_SCREEN
from ...types import CuaError, NoSignal
from .finding import Finding, check_size

ADDRESS_FIX = "Correct the KVM's address, its login or the stream's address in Settings."


async def examine(frames: Callable[[], AsyncIterator[bytes]]) -> Finding:
    try:
        size, per_second, jpeg = await sample_video(frames())
    except CuaError as error:
        fix = Message("kvm.check_video") if isinstance(error, NoSignal) else ADDRESS_FIX
        return Finding("video stream", "fault", str(error) or Message("screen.no_signal"), fix)
    rate = f"{per_second:.0f} pictures a second, {len(jpeg) // 1024} kB each"
    return check_size("video stream", size, rate, RECOMMENDED_SCREEN)
