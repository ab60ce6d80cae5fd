"""Faults of the KVM's video stream, and of what it shows."""

from __future__ import annotations

from tests.servers.mjpeg_server import Fault, picture

from ..phases import MOVING, STILL
from ..testbed import Testbed
from .kind import Kind

JPEG = picture("half of it")
LASTS_S = 8.0
"""Longer than a run waits for a fresh picture."""


def _stream(name: str, fault: Fault, lasts_s: float = LASTS_S) -> Kind:
    def begin(testbed: Testbed) -> None:
        testbed.kvm.stream.fault = fault
        testbed.kvm.stream.drop()

    def end(testbed: Testbed) -> None:
        testbed.kvm.stream.fault = ""
        testbed.kvm.stream.drop()

    return Kind(f"stream: {name}", begin, end, lasts_s)


def _frames(name: str, *frames: bytes, lasts_s: float = 3.0) -> Kind:
    def begin(testbed: Testbed) -> None:
        testbed.kvm.stream.frames = list(frames)

    def end(testbed: Testbed) -> None:
        testbed.kvm.stream.frames = STILL

    return Kind(f"stream: {name}", begin, end, lasts_s)


def _freeze(testbed: Testbed) -> None:
    testbed.kvm.stream.frozen = True


def _thaw(testbed: Testbed) -> None:
    testbed.kvm.stream.frozen = False


def _turn_off(testbed: Testbed) -> None:
    """The HDMI receiver counts no frames, and the encoder sends none."""
    testbed.receiver.write_text("0")
    _freeze(testbed)


def _turn_on(testbed: Testbed) -> None:
    testbed.receiver.write_text("60")
    _thaw(testbed)


STREAMS = [
    Kind("stream: stalls", _freeze, _thaw, LASTS_S),
    Kind("stream: is dropped once", lambda testbed: testbed.kvm.stream.drop()),
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
    _frames("sends no JPEG", b"not a picture " * 500),
    _frames("sends empty frames", b""),
    _frames("sends a picture of one pixel", picture(size=(1, 1))),
    _frames("becomes larger", picture("larger", size=(1920, 1080))),
    _frames("becomes smaller", picture("smaller", size=(640, 480))),
    _frames("becomes black", picture(grey=0)),
    _frames("never rests", *MOVING, lasts_s=6.0),
]
