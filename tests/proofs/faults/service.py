"""The service on stand-ins: HID devices that hold one report, as USB endpoints do, and two files.

The environment names them: RECEIVER is what the HDMI receiver says, CLOCK the seconds that its
time of day is wrong.
"""

from __future__ import annotations

import os
import runpy
import sys
import time
from pathlib import Path

from cua.hid.gadget import Gadget
from cua.kvms import local_device
from cua.web import priority
from tests.support.kvm_hardware import ROOT
from tests.usb.gadgets import Paced

_time = time.time


def _set_time() -> float:
    return _time() + float(Path(os.environ["CLOCK"]).read_text("ascii") or 0)


if __name__ == "__main__":
    Gadget.WRITER = Paced.WRITER
    local_device.RECEIVER = Path(os.environ["RECEIVER"])
    time.time = _set_time
    priority.NICE = os.nice(0)  # beside other tests, a process of lower priority stands still
    program = str(ROOT / "cua_webapp.py")
    sys.argv[0] = program
    runpy.run_path(program, run_name="__main__")
