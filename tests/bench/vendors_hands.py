"""Reports as the vendor's assistant writes them, in a few lines of our own: a shell for each, with
fixed sleeps between. All of it blocks.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator

from cua.hid.reports import absolute
from cua.hid.strokes import strokes
from cua.types import Point, Type

from .stage import ENDPOINTS

AFTER_KEY = 0.02
AFTER_MOVE = 0.1
HOLD = 0.05
AFTER_DRAG_STEP = 0.01
DRAG_STEP = 16
Held = tuple[int, bytes, float]
"""Number of the device, report, seconds to sleep after it."""


def play(prefix: str, reports: Iterable[Held]) -> None:
    for number, report, seconds in reports:
        write(f"{prefix}{number}", report)
        time.sleep(seconds)


def write(path: str, report: bytes) -> None:
    if shutil.which("xxd"):
        command = f"echo {report.hex()} | xxd -r -p > {path}"
    else:
        octal = "".join(f"\\{byte:03o}" for byte in report)
        command = f"printf '{octal}' | cat > {path}"
    subprocess.run(["sh", "-c", command], check=True)


def typing(text: str) -> Iterator[Held]:
    """The same reports as ours."""
    for stroke in strokes(Type(text=text), None):
        yield ENDPOINTS.index(stroke.endpoint), stroke.report, AFTER_KEY


def click(at: Point) -> Iterator[Held]:
    yield 2, absolute(at), AFTER_MOVE
    yield 2, absolute(at, 1), HOLD
    yield 2, absolute(at), 0.0


def drag(at: Point, pixels: int) -> Iterator[Held]:
    """To the right, in relative steps of 16 pixels."""
    yield 2, absolute(at), AFTER_MOVE
    yield 1, bytes([1, 0, 0, 0]), HOLD
    for _ in range(pixels // DRAG_STEP):
        yield 1, bytes([1, DRAG_STEP, 0, 0]), AFTER_DRAG_STEP
    yield 1, bytes(4), 0.0
