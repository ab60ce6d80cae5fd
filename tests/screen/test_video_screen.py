"""The reader against a real HTTP server that behaves and misbehaves like a KVM."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import socket
import ssl
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trustme
from PIL import Image, ImageDraw

from cua.events.log import EventLog
from cua.screen import video_screen as room
from cua.screen.http_stream import frames, mjpeg
from cua.screen.image import sketch
from cua.screen.video_screen import VideoScreen
from cua.types import Area, ScreenError
from tests.bench.camera import Camera
from tests.servers.mjpeg_server import HEAD, Stream, picture, serving
from tests.support.waiting import until


@asynccontextmanager
async def reading(stream: Stream, tls: ssl.SSLContext | None = None) -> AsyncIterator[VideoScreen]:
    async with serving(stream, tls=tls) as url:
        screen = VideoScreen(mjpeg(url), EventLog())
        task = asyncio.create_task(screen.run())
        try:
            yield screen
        finally:
            task.cancel()
            await asyncio.wait([task])


async def test_frames_are_the_untouched_bytes() -> None:
    stream = Stream([picture("one")])
    async with reading(stream) as screen:
        frame = await screen.take_screenshot(0.0, 0.2, 3.0)
        assert frame.jpeg == stream.frames[0]
        assert (frame.width, frame.height) == (1280, 720)
        assert screen.status.state == "live"


async def test_a_screenshot_is_newer_than_the_last_report_and_stable() -> None:
    stream = Stream([picture("before")])
    async with reading(stream) as screen:
        await screen.take_screenshot(0.0, 0.2, 3.0)
        since = time.monotonic()
        stream.frames = [picture("busy", grey=g) for g in (0, 120, 240)]
        asyncio.get_running_loop().call_later(0.5, setattr, stream, "frames", [picture("after")])
        frame = await screen.take_screenshot(since, 0.2, 3.0)
        assert frame.jpeg == picture("after")
        assert frame.at > since + 0.2


async def test_three_frames_are_decoded_to_find_a_stable_screen() -> None:
    async with reading(Camera([picture("one")], stamped=True)) as screen:
        sketch.cache_clear()
        await screen.take_screenshot(time.monotonic(), 0.2, 3.0)
    assert 2 <= sketch.cache_info().misses <= 3


async def test_a_screen_that_keeps_moving_is_taken_after_the_timeout() -> None:
    stream = Stream([picture(grey=g) for g in (0, 120, 240)])
    async with reading(stream) as screen:
        frame = await asyncio.wait_for(screen.take_screenshot(0.0, 0.2, 1.0), 10)
        assert frame.jpeg in stream.frames


async def test_a_frozen_stream_is_stale_and_not_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "FRAME_TIMEOUT_S", 1.0)
    stream = Stream()
    async with reading(stream) as screen:
        await screen.take_screenshot(0.0, 0.1, 3.0)
        stream.frozen = True
        with pytest.raises(ScreenError, match="fresh picture"):
            await screen.take_screenshot(time.monotonic(), 0.1, 3.0)


async def test_a_silent_stream_is_reported_and_retried() -> None:
    stream = Stream(fault="no_frames")
    async with reading(stream) as screen:
        await until(lambda: screen.status.state == "stalled")
        assert "set Video Mode to MJPEG" in screen.status.sentence
        stream.fault = ""
        await until(lambda: screen.status.state == "live")
        assert stream.connections >= 2


async def test_a_stream_that_stops_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cua.screen.receiver.IDLE_TIMEOUT_S", 0.5)
    stream = Stream()
    async with reading(stream) as screen:
        await until(lambda: screen.status.state == "live")
        stream.frozen = True
        await until(lambda: screen.status.state == "stalled")
        assert "The video has stopped" in screen.status.sentence


async def test_a_broken_connection_is_reported() -> None:
    async def broken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        line = writer.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(broken, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        screen = VideoScreen(mjpeg(f"http://127.0.0.1:{port}/"), EventLog())
        task = asyncio.create_task(screen.run())
        await until(lambda: screen.status.state == "lost")
        assert "Connection reset by peer" in screen.status.sentence
        task.cancel()
        await asyncio.wait([task])


async def test_it_connects_again_when_the_stream_ends() -> None:
    stream = Stream()
    async with reading(stream) as screen:
        await until(lambda: screen.status.state == "live")
        stream.fault = "redirect"
        stream.fps = 1000
        for _ in range(3):
            await until(lambda: screen.newest is not None)
        stream.fault = ""
        await until(lambda: screen.status.state == "live")


async def test_a_wanted_screenshot_does_not_wait_for_the_next_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cua.screen.video_screen.FIRST_PAUSE_S", 3600)
    stream = Stream(fault="closed")
    async with reading(stream) as screen:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(screen.after(0), 0.2)
        await until(lambda: screen.status.state == "lost")
        stream.fault = ""
        assert await screen.take_screenshot(0.0, 0.2, 3.0)


@pytest.mark.parametrize(
    ("fault", "words"),
    [("unauthorized", "login"), ("html", "not MJPEG"), ("redirect", "answers 302")],
)
async def test_a_response_that_is_not_a_stream_is_reported(fault: str, words: str) -> None:
    async with reading(Stream(fault=fault)) as screen:  # type: ignore[arg-type]
        await until(lambda: screen.status.state == "lost")
        assert words in screen.status.sentence


async def test_a_refused_connection_is_reported() -> None:
    screen = VideoScreen(mjpeg("http://127.0.0.1:9/"), EventLog())
    task = asyncio.create_task(screen.run())
    await until(lambda: screen.status.state == "lost")
    assert "cannot be read" in screen.status.sentence
    task.cancel()
    await asyncio.wait([task])


async def test_a_check_after_a_fault_ends_with_the_next_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cua.screen.video_screen.FIRST_PAUSE_S", 3600)
    tried = 0

    async def refused() -> AsyncIterator[bytes]:
        nonlocal tried
        tried += 1
        raise ScreenError("No such KVM.")
        yield b""

    screen = VideoScreen(refused, EventLog())
    task = asyncio.create_task(screen.run())
    try:
        await until(lambda: screen.status.state == "lost")
        for expected in (2, 3, 4):
            await screen.check_login()
            assert tried == expected
        assert screen.status.sentence == "No such KVM."
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_a_stream_without_content_lengths_works() -> None:
    stream = Stream([picture("a")], fault="no_length")
    async with reading(stream) as screen:
        assert (await screen.take_screenshot(0.0, 0.1, 3.0)).jpeg == stream.frames[0]


@asynccontextmanager
async def answering(response: bytes, pause: float = 0.0) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server's address and the requests to it; each is answered with `response`, in two pieces
    that come `pause` seconds apart.
    """
    requests: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        with contextlib.suppress(ConnectionError):
            writer.write(response[: len(response) // 2])
            await writer.drain()
            await asyncio.sleep(pause)
            writer.write(response[len(response) // 2 :])
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", requests


async def collected(url: str) -> list[bytes]:
    return [jpeg async for jpeg in frames(url)]


def chunked(*chunks: bytes) -> bytes:
    head = HEAD.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n")
    return head + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))


async def test_a_chunked_stream_ends_with_its_last_chunk() -> None:
    part = b"--frame\r\nContent-Length: 5\r\n\r\nab"
    async with answering(chunked(part, b"cde\r\n", part, b"fgh\r\n"), 0.05) as (place, _):
        assert await collected(f"http://{place}/") == [b"abcde", b"abfgh"]


async def test_frames_larger_than_the_buffer_come_whole() -> None:
    large = random.Random(1).randbytes(3_000_000)
    part = b"--frame\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(large), large)
    async with answering(HEAD + part * 3) as (place, _):
        assert await collected(f"http://{place}/") == [large] * 3


async def test_credentials_in_an_address_are_sent_and_not_shown() -> None:
    async with answering(b"HTTP/1.1 500 No\r\n\r\n") as (place, requests):
        with pytest.raises(ScreenError, match="500"):
            await collected(f"http://me:p%40ss@{place}/a b?b=c%20d")
        assert requests[0].startswith(b"GET /a%20b?b=c%20d HTTP/1.1\r\nHost: " + place.encode())
        assert b"Authorization: Basic bWU6cEBzcw==\r\n" in requests[0]
    with pytest.raises(ScreenError) as refused:
        await collected("http://me:p%40ss@127.0.0.1:9/")
    assert "http://127.0.0.1:9/" in str(refused.value)
    assert "p%40ss" not in str(refused.value)


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (HEAD[:-2] + b"X: y\r\n" * 5000, "no end of headers"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "not answer with HTTP"),
        (chunked()[: -len(b"0\r\n\r\n")] + b"zz\r\n", "no valid size"),
        (HEAD + b"--frame\r\nContent-Length: 99999999\r\n\r\n", "more than 4 MB"),
    ],
)
async def test_a_peer_that_does_not_speak_http_is_an_error(response: bytes, words: str) -> None:
    async with answering(response) as (place, _):
        with pytest.raises(ScreenError, match=words):
            await collected(f"http://{place}/")


@pytest.mark.parametrize("url", ["", "localhost:80", "ftp://localhost/", "http://[::1", "http://"])
async def test_what_is_not_an_address_is_an_error(url: str) -> None:
    with pytest.raises(ScreenError, match="cannot be read"):
        await collected(url)


async def test_a_tiny_picture_is_no_signal() -> None:
    async with reading(Stream([picture(size=(64, 36))])) as screen:
        await until(lambda: screen.status.state == "no_signal")
        assert screen.newest is None


async def test_broken_frames_are_dropped() -> None:
    whole = picture("whole")
    stream = Stream([whole[: len(whole) // 2]])
    async with reading(stream) as screen:
        await until(lambda: screen.status.state == "stalled")
        assert screen.newest is None
        stream.frames = [whole]
        await until(lambda: screen.newest is not None)


async def test_a_large_screen_is_advised_against() -> None:
    async with reading(Stream([picture(size=(1920, 1080))])) as screen:
        await until(lambda: screen.status.state == "live")
        assert "1280×720 is recommended" in screen.status.sentence


async def test_all_viewers_share_one_connection() -> None:
    stream = Stream([picture(str(n)) for n in range(3)])
    async with reading(stream) as screen:

        async def watch() -> list[int]:
            seen = [0]
            while len(seen) < 10:
                seen.append((await screen.after(seen[-1])).seq)
            return seen

        for seen in await asyncio.gather(*(watch() for _ in range(5))):
            assert seen == sorted(set(seen))
        assert stream.connections == 1


async def test_a_self_signed_certificate_is_accepted_on_this_machine() -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("localhost").configure_cert(tls)
    async with reading(Stream(), tls=tls) as screen:
        await until(lambda: screen.status.state == "live")


async def test_screenshots_are_scaled_to_fit() -> None:
    async with reading(Stream()) as screen:
        screen.sent_size = lambda _w, _h: (640, 360)
        frame = await screen.take_screenshot(0.0, 0.1, 3.0)
        assert (frame.width, frame.height) == (640, 360)
        assert screen.newest is not None
        assert screen.newest.width == 1280


@pytest.mark.parametrize("ticks", range(6))
async def test_a_cancellation_together_with_a_frame_is_not_lost(ticks: int) -> None:
    screen = VideoScreen(mjpeg("http://127.0.0.1:9/"), EventLog())
    task = asyncio.create_task(screen.take_screenshot(0.0, 0.0, 3.0))
    await asyncio.sleep(0.01)
    screen._add_frame(picture())
    for _ in range(ticks):
        await asyncio.sleep(0)
    if task.cancel():  # False: it was through already
        await asyncio.wait([task])
        assert task.cancelled()


async def test_a_zoom_has_the_original_pixels_where_smaller_ones_are_sent() -> None:
    image = Image.new("L", (1920, 1080), 255)
    for x in range(960, 1440, 2):  # lines of one pixel, which a smaller picture cannot show
        ImageDraw.Draw(image).line((x, 0, x, 270), fill=0)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=95)
    async with reading(Stream([out.getvalue()])) as screen:
        screen.sent_size = lambda w, h: (w * 640 // 1920, h * 640 // 1920) if w > 640 else (w, h)
        whole = await screen.take_screenshot(0.0, 0.1, 3.0)
        assert whole.width == 640
        part = await screen.zoom(Area(left=0.5, top=0, right=0.75, bottom=0.25))
        assert part.area is not None
        with Image.open(io.BytesIO(part.jpeg)) as seen:
            assert seen.size == (part.width, part.height)
            low, _ = seen.convert("L").getextrema()
        assert (part.width, part.height) == (640, 360)
        assert isinstance(low, int)
        assert low < 100


async def test_a_small_part_is_enlarged() -> None:
    async with reading(Stream([picture("word")])) as screen:
        await screen.take_screenshot(0.0, 0.1, 3.0)
        part = await screen.zoom(Area(left=0.5, top=0.5, right=0.6, bottom=0.6))
        assert (part.width, part.height) == (512, 288)


async def test_the_stream_is_closed_while_no_picture_is_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "LINGER_S", 0.3)
    monkeypatch.setattr(room, "DEMAND_CHECK_S", 0.2)
    stream = Stream()
    async with serving(stream) as url:
        there = False
        screen = VideoScreen(mjpeg(url), EventLog())
        screen.needs_every_frame, screen.is_attended = lambda: False, lambda: there
        task = asyncio.create_task(screen.run())
        try:
            await asyncio.sleep(room.DEMAND_CHECK_S + 0.2)
            assert stream.connections == 0
            there = True  # and has to be told whether there is a picture, no more
            await until(lambda: screen.status.state == "live")
            for count in (2, 3):  # a slow viewer
                await until(lambda: screen.newest is None, 30)
                assert screen.status.state == "live"
                await screen.after(0)
                assert stream.connections == count
            there = False
            await until(lambda: screen.status.state == "connecting", 30)
        finally:
            task.cancel()
            await asyncio.wait([task])


async def test_the_size_of_the_previous_computer_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cua.screen.receiver.IDLE_TIMEOUT_S", 0.5)
    async with reading(Stream()) as screen:
        await until(lambda: screen.status.width > 0)
    async with reading(Stream(fault="no_frames")) as other:
        screen.source = other.source
        task = asyncio.create_task(screen.run())
        await until(lambda: screen.status.state == "stalled")
        assert (screen.status.width, screen.status.height) == (0, 0)
        task.cancel()
        await asyncio.wait([task])


async def test_a_zoom_never_shows_the_previous_computer() -> None:
    whole = Area(left=0, top=0, right=1, bottom=1)
    async with reading(Stream([picture("mine")])) as screen:
        mine = await screen.take_screenshot(0.0, 0.1, 3.0)
    async with serving(Stream([picture("yours")])) as url:
        screen.source = mjpeg(url)
        task = asyncio.create_task(screen.run())
        await until(lambda: screen.newest is not None and screen.newest.jpeg == picture("yours"))
        assert (await screen.zoom(whole)).seq > mine.seq
        task.cancel()
        await asyncio.wait([task])


async def test_a_zoom_is_of_the_resolution_that_the_screen_has_now() -> None:
    stream = Stream([picture(size=(1280, 720))])
    half = Area(left=0.5, top=0.5, right=1.0, bottom=1.0)
    async with reading(stream) as screen:
        await screen.take_screenshot(0.0, 0.1, 3.0)
        stream.frames = [picture(size=(1920, 1080), grey=60)]
        await asyncio.sleep(0.3)
        frame = await screen.take_screenshot(time.monotonic(), 0.1, 3.0)
        assert (frame.width, frame.height) == (1920, 1080)
        closer = await screen.zoom(half)
        assert Image.open(io.BytesIO(closer.jpeg)).size == (1920, 1080)
