"""The buttons of the case from the KVM itself: its own service moves the pins, and is asked to."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from cua.kvms import registry
from cua.kvms.kvm import Kvm, KvmConfig
from cua.types import DeviceError
from tests.kvms.open_kvm import CallbackLog
from tests.servers.nanokvm_server import nanokvm_pro
from tests.servers.site import running, self_signed


def pins(folder: Path, *buttons: str) -> Path:
    for button in buttons:
        (folder / button).mkdir(parents=True)
        (folder / button / "value").write_text("0")
    return folder


def device(stream_url: str, prefix: str) -> Kvm:
    config = KvmConfig(registry.DEVICE, stream_url=stream_url, hid_prefix=prefix)
    return registry.create(config, CallbackLog().callbacks)


async def test_a_button_is_down_for_as_long_as_a_person_holds_it(tmp_path: Path) -> None:
    hidg = str(tmp_path / "hidg")
    tree = pins(tmp_path / "gpio", "power", "reset")
    kvm = nanokvm_pro(trusts_loopback=True, pins=tree)
    async with running(kvm.app(), self_signed(tmp_path / "tls")) as place:
        own = device(f"https://{place}/api/stream/mjpeg", hidg)
        began = time.monotonic()
        pressing = asyncio.create_task(own.press("power"))
        while (tree / "power/value").read_text() != "1":
            await asyncio.sleep(0.01)
            assert not pressing.done()
        await pressing
        assert time.monotonic() - began >= 0.8
        assert (tree / "power/value").read_text() == "0"
        assert (tree / "reset/value").read_text() == "0"
        await own.close()


async def test_a_missing_button_raises_an_error(tmp_path: Path) -> None:
    hidg = str(tmp_path / "hidg")
    kvm = nanokvm_pro(trusts_loopback=True, pins=pins(tmp_path / "gpio", "power"))
    async with running(kvm.app(), self_signed(tmp_path / "tls")) as place:
        own = device(f"https://{place}/api/stream/mjpeg", hidg)
        with pytest.raises(DeviceError, match=r"this KVM did not do that: no pin"):
            await own.press("reset")
        await own.close()


async def test_a_machine_without_hid_devices_asks_for_a_kvm_address(tmp_path: Path) -> None:
    hidg = str(tmp_path / "hidg")
    own = device("http://127.0.0.1:9/", hidg)
    with pytest.raises(DeviceError, match=r"not a KVM.*Enter the address"):
        await anext(own.frames())
    await own.close()
