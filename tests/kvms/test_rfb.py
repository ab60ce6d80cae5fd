"""RFB in front of a server that sends what the servers of test_vnc do not."""

from __future__ import annotations

import asyncio
import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from cua.kvms.rfb_screen import Framebuffer
from cua.types import Type
from tests.kvms.open_kvm import OpenKvm, open_kvm
from tests.servers.rfb_server import (
    APPLE,
    RfbServer,
    copied,
    pixels,
    raw,
    resized,
    serving,
    update,
)
from tests.support.waiting import until

RED, BLUE = (255, 0, 0), (0, 0, 255)


def area(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    return pixels([colour]) * (width * height)


def colours(there: OpenKvm, *places: tuple[int, int]) -> list[tuple[int, ...]]:
    """Of the newest picture, each channel rounded to nothing, half and full."""
    assert there.screen.newest
    with Image.open(io.BytesIO(there.screen.newest.jpeg)) as image:
        found = [image.convert("RGB").getpixel(place) for place in places]
    return [tuple(round(each / 128) * 128 for each in colour) for colour in found]


async def test_a_copied_rectangle_is_seen_where_it_was_copied_to() -> None:
    server = RfbServer()
    server.answers = [
        update(raw(0, 0, 160, 120, area(160, 120, RED))),
        update(raw(0, 0, 80, 60, area(80, 60, BLUE)), copied(40, 30, 80, 60, (0, 0))),
    ]
    grey = update(raw(0, 0, 1, 1, area(1, 1, BLUE)))
    server.answers += [grey] * 100
    async with serving(server) as place, open_kvm(f"vnc://{place}") as there:
        await there.until_live()
        await until(lambda: colours(there, (60, 45)) == [(0, 0, 256)])
        assert colours(there, (10, 10), (110, 80), (150, 110), (10, 110)) == [
            *[(0, 0, 256)] * 2,
            *[(256, 0, 0)] * 2,
        ]
    assert set(server.encodings) == {0, 1, -223}


async def test_another_size_of_the_screen_is_asked_for_whole() -> None:
    server = RfbServer()
    server.answers = [
        update(raw(0, 0, 160, 120, area(160, 120, RED))),
        update(resized(320, 240)),
        update(raw(0, 0, 320, 240, area(320, 240, BLUE))),
    ]
    server.answers += [update(raw(0, 0, 1, 1, area(1, 1, BLUE)))] * 100
    async with serving(server) as place, open_kvm(f"vnc://{place}") as there:
        await until(lambda: there.screen.status.width == 320)
        assert colours(there, (310, 230)) == [(0, 0, 256)]
    assert (0, 0, 0, 320, 240) in server.requests


async def test_the_screen_is_sent_only_while_it_is_asked_for() -> None:
    server = RfbServer()
    async with serving(server) as place, open_kvm(f"vnc://{place}") as there:
        await there.until_live()
        there.screen.needs_every_frame = lambda: False
        await there.inputs.perform(Type(text="a"))
        await until(lambda: len(server.written) >= 2)
        before = -1
        while (found := len(server.requests)) != before:
            before = found
            await asyncio.sleep(0.5)
        await there.inputs.perform(Type(text="bc"))
        await until(lambda: len(server.written) >= 6)
    assert {request[1:] for request in server.requests[before:]} <= {(0, 0, 1, 1)}


@pytest.mark.parametrize("logins", [(30, APPLE, 36, 35), (2, 30, APPLE)])
async def test_a_mac_gets_user_and_password(logins: tuple[int, ...]) -> None:
    server = RfbServer(logins=logins)
    user, password = server.account
    async with (
        serving(server) as place,
        open_kvm(f"vnc://{user}@{place}", password=password) as there,
    ):
        await there.until_live()
    assert server.tries == 1


NOT_VALID = {
    "outside": update(raw(100, 100, 100, 100, b"")),
    "copied from outside": update(copied(0, 0, 10, 10, (155, 0))),
    "huge": update(resized(65535, 65535)),
    "not asked for": update(struct.pack(">HHHHi", 0, 0, 1, 1, 7)),
    "no message": b"\x99",
}


@pytest.mark.parametrize("answer", NOT_VALID.values(), ids=NOT_VALID)
async def test_invalid_data_ends_the_connection(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.screen.video_screen.FIRST_PAUSE_S", 0.05)
    server = RfbServer(answers=[answer])
    async with serving(server) as place, open_kvm(f"vnc://{place}") as there:
        await there.until_live()  # over the next connection
    assert server.answers == []


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (RfbServer(hello=b"RFB 003.003\n"), "a version of VNC before 3.8"),
        (RfbServer(hello=b"SSH-2.0-Open"), "is not a VNC server"),
        (RfbServer(hello=b""), "is not a VNC server"),
        (RfbServer(logins=(5, 6)), "none of its logins is supported: 5, 6"),
        (RfbServer(size=(65535, 65535)), "its screen is too large"),
    ],
)
async def test_unsupported_servers_have_their_own_messages(
    server: RfbServer, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cua.kvms.rfb_security.HELLO_TIMEOUT_S", 0.5)
    async with serving(server) as place, open_kvm(f"vnc://{place}") as there:
        await until(lambda: there.screen.status.state == "lost")
        assert words in there.screen.status.sentence


WIDTH, HEIGHT = 12, 9


@st.composite
def rectangles(draw: st.DrawFn) -> tuple[int, int, int, int, int | tuple[int, int]]:
    """x, y, width, height, and a colour or the place that it is copied from."""
    width, height = draw(st.integers(0, WIDTH)), draw(st.integers(0, HEIGHT))
    place = st.tuples(st.integers(0, WIDTH - width), st.integers(0, HEIGHT - height))
    return *draw(place), width, height, draw(st.one_of(st.integers(1, 2**32 - 1), place))


@settings(deadline=None)
@given(st.lists(rectangles(), max_size=8))
def test_rectangles_are_drawn_as_a_picture_library_draws_them(
    drawn: list[tuple[int, int, int, int, int | tuple[int, int]]],
) -> None:
    expected, said = Image.new("RGB", (WIDTH, HEIGHT)), []
    for x, y, width, height, source in drawn:
        if isinstance(source, tuple):
            said.append(copied(x, y, width, height, source))
            left, top = source
            expected.paste(expected.crop((left, top, left + width, top + height)), (x, y))
        else:
            pixel = struct.pack(">I", source)
            said.append(raw(x, y, width, height, pixel * (width * height)))
            blue, green, red, _ = pixel
            expected.paste(Image.new("RGB", (width, height), (red, green, blue)), (x, y))
    assert asyncio.run(_decoded(update(*said))) == expected.tobytes()


async def _decoded(message: bytes) -> bytes:
    reader = asyncio.StreamReader()
    reader.feed_data(message[1:])
    screen = Framebuffer(WIDTH, HEIGHT)
    await screen.read_update(reader)
    return screen.image.tobytes()
