"""`python -m tests.screen.record`: films a real desktop as real encoders send it, into clips/.

Xvfb, a window manager and programs from Debian are filmed from the X server and encoded as MJPEG by
ffmpeg's own encoder, poorly, as a busy KVM does; "noisy" has the grain of an analog capture added
before that. Each clip is JPEGs one after the other. It needs `apt-get install ffmpeg xvfb openbox
xterm`; the tests only need the clips.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from Xlib.display import Display

from cua.evaluation.desktop.usb_to_x import UsbToX
from cua.evaluation.desktop.xserver import XServer

CLIPS = Path(__file__).parent / "clips"
SIZE, FPS, COUNT = (640, 360), 12, 8
GREY = 0x8090A0
POOR = "26"
"""The quantiser of ffmpeg: 2 is best, 31 is worst."""
GRAIN = "noise=alls=14:allf=t"
TERMINAL = ("xterm", "-geometry", "44x7+40+60", "-e")
CLOCK = "while :; do printf '\\r%s' $(date +%T.%N | cut -c1-10); sleep 0.1; done"
BARS = ("ffplay", "-loglevel", "quiet", "-f", "lavfi", "-left", "250", "-top", "90")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        x = XServer(Path(folder) / "x", SIZE)
        try:
            _all(x)
        finally:
            x.stop()
    for clip in sorted(CLIPS.glob("*.mjpeg")):
        sys.stdout.write(f"{clip.name}: {clip.stat().st_size} bytes\n")


def _all(x: XServer) -> None:
    root = Display(x.display).screen().root
    root.change_attributes(background_pixel=GREY)
    root.clear_area()
    root.display.flush()
    x.run(*TERMINAL, "sh", "-c", "ls -l /etc | head -6; sleep 999")
    time.sleep(6)
    _filmed(x, "still")
    _filmed(x, "noisy", GRAIN)
    film = _filming(x, "cursor", "null")
    pointer = UsbToX(x.display)
    for step in range(60):
        place = 4000 + 350 * step
        pointer.report(2, bytes([0, *place.to_bytes(2, "little"), 0, 64, 0]), 0.0)
        time.sleep(0.03)
    film.wait(20)
    clock = x.run("xterm", "-geometry", "12x1+540+324", "-e", "sh", "-c", CLOCK)
    time.sleep(2)
    _filmed(x, "clock")
    clock.terminate()
    x.run(*BARS, "testsrc2=size=320x180:rate=25")
    time.sleep(3)
    _filmed(x, "video")


def _filmed(x: XServer, name: str, filters: str = "null") -> None:
    _filming(x, name, filters).wait(20)


def _filming(x: XServer, name: str, filters: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *("ffmpeg", "-loglevel", "error", "-y", "-f", "x11grab", "-framerate", str(FPS)),
            *("-video_size", "{}x{}".format(*SIZE), "-i", x.display, "-vf", filters),
            *("-frames:v", str(COUNT), "-c:v", "mjpeg", "-q:v", POOR, "-pix_fmt", "yuvj420p"),
            *("-f", "mjpeg", str(CLIPS / f"{name}.mjpeg")),
        ],
        stdin=subprocess.DEVNULL,
    )


def frames(name: str) -> list[bytes]:
    """The JPEGs of a clip."""
    parts = (CLIPS / f"{name}.mjpeg").read_bytes().split(b"\xff\xd8\xff")
    return [b"\xff\xd8\xff" + part for part in parts if part]


if __name__ == "__main__":
    main()
