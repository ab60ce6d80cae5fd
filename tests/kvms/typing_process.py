"""Hands at a KVM elsewhere that work until they are killed, or cannot any more: then they say why.

python -m tests.kvms.typing_process ADDRESS PASSWORD
"""

from __future__ import annotations

import asyncio
import sys

from cua.types import Click, CuaError, Drag, ManualAction, Point, Type
from tests.kvms.open_kvm import open_kvm
from tests.usb.kills import by_hand

A, B = Point(x=0.2, y=0.3), Point(x=0.8, y=0.6)
WORK: tuple[ManualAction, ...] = (
    Type(text="Hello, World"),
    Drag(path=(A, B)),
    Click(at=A, count=3, keys=("ctrl", "shift")),
)


async def main(address: str, password: str) -> None:
    async with open_kvm(address, password=password) as there:
        try:
            while True:
                for action in WORK:
                    await there.inputs.perform(action)
                await there.inputs.hold_button("left", by_hand())
        except CuaError as error:
            sys.stdout.write(str(error))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
