"""Runs in the guest: takes pictures of a capture device.

    python -S -E /video.py DEVICE SECONDS

Says length and sum of each picture, and what ends it.
"""

from __future__ import annotations

import select
import sys
import time

from cua.kvms import v4l2


def main(path: str, seconds: float) -> None:
    end = time.monotonic() + seconds
    capture = v4l2.Capture(path, (1920, 1080))
    while time.monotonic() < end:
        select.select([capture], [], [], 0.5)
        for picture in capture.read():
            sys.stdout.write(f"{len(picture)} {sum(picture)}\n")
            sys.stdout.flush()
    capture.close()


if __name__ == "__main__":
    try:
        main(sys.argv[1], float(sys.argv[2]))
    except OSError as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
