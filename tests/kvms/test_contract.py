"""What holds for each KVM, in front of a server that speaks its protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from cua.types import CuaError, Drag, Point, Type
from tests.kvms.meeting import meeting, until, until_written
from tests.servers.nanokvm_server import NanoKvm, nanokvm_pro
from tests.servers.onekvm_server import OneKvm
from tests.servers.pikvm_server import PiKvm
from tests.servers.relay import relaying
from tests.servers.site import running
from tests.support.devices import heard

KVMS: dict[str, tuple[str, Callable[[], Any]]] = {
    "nanokvm": ("correct horse", NanoKvm),
    "nanokvm-pro+http": ("correct horse", nanokvm_pro),
    "pikvm+http": ("correct:horse", PiKvm),
    "onekvm": ("correct horse", OneKvm),
}
DRAGS = Drag(path=(Point(x=0.2, y=0.3), Point(x=0.8, y=0.6)) * 5)
CHORDS = Type(text="Aa" * 50)


@pytest.mark.parametrize("scheme", KVMS)
async def test_nothing_stays_down_after_a_cut_at_any_place(scheme: str) -> None:
    password, make = KVMS[scheme]
    kvm = make()
    async with (
        running(kvm.app()) as place,
        relaying(place) as relay,
        meeting(f"{scheme}://127.0.0.1:{relay.port}", password=password) as there,
    ):
        for count in range(1, 24, 3):
            kvm.written.clear()
            working = asyncio.create_task(there.inputs.perform(CHORDS if count % 2 else DRAGS))
            await until_written(kvm, count)
            relay.cut()
            with suppress(CuaError):  # not if nothing was down at that moment
                await working
            await until(lambda: not kvm.down())
        kvm.written.clear()
        await there.inputs.perform(Type(text="ok"))
        assert heard(kvm.written).text == "ok"
