from __future__ import annotations

import io
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from cua.screen.image import cut_png, differences, jpeg_size, png_title, resize_jpeg, sketch
from cua.screen.stability import NOISE_GREY, TILE_PX
from tests.servers.mjpeg_server import picture


def drawn(draw_on: object = None, noise: int = 0) -> bytes:
    image = Image.new("RGB", (1280, 720), (230, 230, 230))
    draw = ImageDraw.Draw(image)
    if callable(draw_on):
        draw_on(draw)
    if noise:
        grain = Image.effect_noise((1280, 720), noise).convert("RGB")
        image = Image.blend(image, grain, 0.05)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return out.getvalue()


def test_the_size_is_read_off_the_header() -> None:
    for size in ((1280, 720), (1920, 1080), (64, 36)):
        assert jpeg_size(picture(size=size)) == size
    out = io.BytesIO()
    Image.new("RGB", (800, 600)).save(out, "JPEG", progressive=True)
    assert jpeg_size(out.getvalue()) == (800, 600)


@given(st.binary(max_size=200))
def test_no_bytes_make_the_size_reader_fail(data: bytes) -> None:
    jpeg_size(data)
    jpeg_size(b"\xff\xd8" + data)


def test_a_picture_bomb_has_no_size() -> None:
    huge = picture(size=(16, 16)).replace(b"\x00\x10\x00\x10\x03", b"\xff\xff\xff\xff\x03", 1)
    assert jpeg_size(huge) is None


def test_changes_are_above_noise() -> None:
    plain = sketch(drawn())
    caret = sketch(drawn(lambda d: d.line((400, 300, 400, 318), fill="black")))
    word = sketch(drawn(lambda d: d.text((400, 300), "Settings", fill="black", font_size=20)))
    noise, more_noise = sketch(drawn(noise=20)), sketch(drawn(noise=20))
    assert max(differences(plain, caret, TILE_PX)) < NOISE_GREY
    assert 0 < max(differences(noise, more_noise, TILE_PX)) < NOISE_GREY
    assert max(differences(plain, word, TILE_PX)) > NOISE_GREY


@pytest.mark.parametrize("jpeg", [b"", b"\xff\xd8\xff\xc0\x00\x02", picture()[:300]], ids=len)
def test_what_is_no_jpeg_cannot_be_compared(jpeg: bytes) -> None:
    with pytest.raises(OSError, match=r"."):
        sketch(jpeg)


def test_a_smaller_copy_has_the_size_that_was_asked_for() -> None:
    assert jpeg_size(resize_jpeg(picture(), 640, 352)) == (640, 352)


def test_a_cut_picture_keeps_its_title_and_what_is_no_png_or_too_large_has_none() -> None:
    png = cut_png(drawn(), (10, 20, 74, 52), "保存 & “Save”")
    assert Image.open(io.BytesIO(png)).size == (64, 32)
    assert png_title(png) == "保存 & “Save”"
    text = b"Title\0\0" + zlib.compress(b"x" * 2**24)
    bomb = struct.pack(">I", len(text)) + b"zTXt" + text
    bomb += struct.pack(">I", zlib.crc32(bomb[4:]))
    plain = cut_png(drawn(), (10, 20, 74, 52))
    for other in (plain, drawn(), b"", png[:60], plain[:33] + bomb + plain[33:]):
        assert png_title(other) == ""
