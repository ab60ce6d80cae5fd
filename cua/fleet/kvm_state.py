"""Check one KVM: login, stream, resolution, and whether its computer takes input."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from ..app import factory
from ..kvms import registry
from ..kvms.connection_check import sample_video
from ..kvms.exclusive_lock import ExclusiveLock, InUse, lock_name
from ..kvms.kvm import KvmCallbacks, KvmConfig
from ..messages import Message
from ..settings import SettingsFile
from ..types import CuaError, NoSignal

STATES = {True: "on", False: "off", None: "?"}


@dataclass
class KvmState:
    """The state of the KVM of the computer `name`. `fault`: why the rest is unknown."""

    name: str
    fault: str = ""
    size: str = ""
    rate: str = ""
    power: str = ""
    usb: str = ""
    """Why the computer takes no input, or "ready"."""
    jpeg: bytes = b""

    def cells(self) -> tuple[str, ...]:
        if self.fault:
            return (self.name, self.fault)
        return (self.name, "ok", self.size, self.rate, self.power, self.usb)


HEAD = ("computer", "login and stream", "screen", "rate", "power", "USB")


async def check_kvm(name: str, file: SettingsFile) -> KvmState:
    """Check a KVM without input; not one that an agent uses: a second login disturbs some."""
    config, lock = factory.make_kvm_config(file.values), ExclusiveLock()
    found = KvmState(name, usb="ready")
    try:
        lock.acquire(lock_name(config))
        await _connect(config, file, found)
    except InUse as error:
        found.fault = f"in use by process {error.process or '?'}"
    except NoSignal as error:
        found.fault = error.message or Message("screen.no_signal")
    except CuaError as error:
        found.fault = error.message
    finally:
        lock.release()
    return found


async def _connect(config: KvmConfig, file: SettingsFile, found: KvmState) -> None:
    def note_problem(reason: str) -> None:
        found.usb = reason or "ready"

    callbacks = KvmCallbacks(
        lambda *_: None,
        on_fingerprint=lambda found: file.update({"kvm_certificate": found}),
        on_input_problem=note_problem,
    )
    kvm = registry.create(config, callbacks)
    try:
        await kvm.open()
        size, rate, found.jpeg = await sample_video(kvm.frames())
        found.size, found.rate = "{}x{}".format(*size), f"{rate:.0f}/s"
        with contextlib.suppress(CuaError):  # a KVM that cannot tell
            found.power = STATES[await kvm.is_powered()]
    finally:
        await asyncio.shield(kvm.close())
