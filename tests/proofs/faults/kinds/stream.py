"""Faults of the KVM's video stream, and of what it shows."""

from __future__ import annotations

from tests.servers.mjpeg_server import Fault, picture

from ..box import Box
from ..phases import MOVING, STILL
from .kind import Kind

JPEG = picture("half of it")
LASTS_S = 8.0
"""Longer than a run waits for a fresh picture."""


def _stream(name: str, fault: Fault, lasts_s: float = LASTS_S) -> Kind:
    def begin(box: Box) -> None:
        box.kvm.stream.fault = fault
        box.kvm.stream.drop()

    def end(box: Box) -> None:
        box.kvm.stream.fault = ""
        box.kvm.stream.drop()

    return Kind(f"stream: {name}", begin, end, lasts_s)


def _frames(name: str, *frames: bytes, lasts_s: float = 3.0) -> Kind:
    def begin(box: Box) -> None:
        box.kvm.stream.frames = list(frames)

    def end(box: Box) -> None:
        box.kvm.stream.frames = STILL

    return Kind(f"stream: {name}", begin, end, lasts_s)


def _freeze(box: Box) -> None:
    box.kvm.stream.frozen = True


def _thaw(box: Box) -> None:
    box.kvm.stream.frozen = False


def _turn_off(box: Box) -> None:
    """The HDMI receiver counts no frames, and the encoder sends none."""
    box.receiver.write_text("0")
    _freeze(box)


def _turn_on(box: Box) -> None:
    box.receiver.write_text("60")
    _thaw(box)


STREAMS = [
    Kind("stream: stalls", _freeze, _thaw, LASTS_S),
    Kind("stream: is dropped once", lambda box: box.kvm.stream.drop()),
    Kind("stream: no signal", _turn_off, _turn_on, LASTS_S),
    _stream("is closed at once", "closed"),
    _stream("says nothing", "silent"),
    _stream("asks for a login", "unauthorized"),
    _stream("is a web page", "html"),
    _stream("is elsewhere", "redirect"),
    _stream("has no frames", "no_frames"),
    _stream("has frames without a length", "no_length"),
    _stream("has a header without end", "endless_header"),
    _stream("has a frame without end", "endless_frame"),
    _frames("sends half pictures", JPEG[: len(JPEG) // 2]),
    _frames("sends what is no picture", b"not a picture " * 500),
    _frames("sends empty frames", b""),
    _frames("sends a picture of one pixel", picture(size=(1, 1))),
    _frames("becomes larger", picture("larger", size=(1920, 1080))),
    _frames("becomes smaller", picture("smaller", size=(640, 480))),
    _frames("becomes black", picture(grey=0)),
    _frames("never rests", *MOVING, lasts_s=6.0),
]
