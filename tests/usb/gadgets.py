"""The product's `Gadget` with its writer elsewhere, and a program that holds keys down for ever.

python -m tests.usb.gadgets NAME PREFIX
"""

from __future__ import annotations

import asyncio
import sys

from cua.hid.gadget import Gadget

CTRL_SHIFT_A = bytes([3, 0, 4, 0, 0, 0, 0, 0])
LEFT_BUTTON = bytes([1, 0, 0x40, 0, 0x20, 0])


class Paced(Gadget):
    """On FIFOs that hold one report, as a USB endpoint does."""

    WRITER = "tests.usb.paced"


class Remote(Gadget):
    """The writer runs in the guest, on its real /dev/hidg*; the prefix is the port's socket."""

    WRITER = "tests.usb.relay"


KINDS: dict[str, type[Gadget]] = {"paced": Paced, "remote": Remote}


async def hold(gadget: Gadget) -> None:
    await gadget.write("keyboard", CTRL_SHIFT_A)
    await gadget.write("pointer", LEFT_BUTTON)
    sys.stdout.write("held\n")
    sys.stdout.flush()
    while True:
        await asyncio.sleep(0.05)
        await gadget.write("keyboard", CTRL_SHIFT_A)  # it is down already


if __name__ == "__main__":
    asyncio.run(hold(KINDS[sys.argv[1]](sys.argv[2])))
