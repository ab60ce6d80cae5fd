"""The writer on FIFOs that behave like USB endpoints: they hold one report until it is taken.

A FIFO in packet mode keeps one report a page, and the host has made it one page large.
"""

from __future__ import annotations

import fcntl
import os
import sys

from cua.hid.writer.__main__ import main
from cua.hid.writer.device_files import DeviceFiles


class Paced(DeviceFiles):
    def _open(self, endpoint: int) -> tuple[int, bytes, bytes]:
        file = super()._open(endpoint)
        fcntl.fcntl(file[0], fcntl.F_SETFL, os.O_NONBLOCK | os.O_DIRECT)
        return file


if __name__ == "__main__":
    main(sys.argv[1:], Paced)
