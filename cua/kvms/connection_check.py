"""Test a KVM with a new connection: login, video and warnings. Presses no key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing

from ..messages import Message, sentences
from ..screen.image import jpeg_size
from ..screen.receiver import Stalled
from ..screen.video_screen import MIN_SIZE_PX
from ..timeouts import finish, within
from ..types import CuaError, NoSignal
from . import registry
from .kvm import KvmCallbacks, KvmConfig

MEASURE_S, FIRST_PICTURE_TIMEOUT_S = 1.5, 12.0


async def sample_video(frames: AsyncIterator[bytes]) -> tuple[tuple[int, int], float, bytes]:
    """Return the size, pictures per second, and the last picture. Raises `CuaError`."""
    times, jpeg, started = [], b"", time.monotonic()
    try:
        async with within(FIRST_PICTURE_TIMEOUT_S), aclosing(frames) as pictures:  # type: ignore[type-var]
            async for picture in pictures:
                jpeg = picture
                times.append(time.monotonic())
                if times[-1] - times[0] > MEASURE_S:
                    break
    except (Stalled, asyncio.TimeoutError):
        jpeg = b""
    if not (size := jpeg_size(jpeg)):  # also of a stream that has ended
        seconds = f"{time.monotonic() - started:.1f}"
        raise NoSignal(Message("kvm.no_picture", seconds=seconds))
    if size[0] < MIN_SIZE_PX[0]:
        raise NoSignal(Message("kvm.placeholder", size="{}×{}".format(*size)))
    return size, (len(times) - 1) / MEASURE_S, jpeg


async def check_connection(config: KvmConfig) -> str:
    """Return a description of the video, with the KVM's warnings. Raises `CuaError`."""
    notes: list[tuple[str, str]] = []
    kvm = registry.create(config, KvmCallbacks(lambda *note: notes.append(note)))
    try:
        await kvm.open()
        size, _, _ = await sample_video(kvm.frames())
    except NoSignal as error:
        why = error.message or Message("screen.no_signal")
        raise NoSignal(sentences(why, Message("kvm.check_video"))) from None
    except CuaError as error:
        if error.setting != "kvm_password" or config.password:
            raise
        raise CuaError(Message("kvm.login_needed"), setting=error.setting) from None
    finally:
        await finish(kvm.close())  # also when the test is cancelled
    return describe(size, *(text for level, text in notes if level == "warning"))


def describe(size: tuple[int, int], *warnings: str) -> str:
    return sentences(Message("kvm.works", size=f"{size[0]}x{size[1]}"), *warnings)
