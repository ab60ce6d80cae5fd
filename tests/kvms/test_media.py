"""Images of disks and the power state, on each KVM that has them."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from cua.kvms import nanokvm_media, onekvm, wake_on_lan
from cua.kvms.exclusive_lock import ExclusiveLock
from cua.kvms.kvm import Kvm, KvmConfig
from cua.kvms.media import Media
from cua.kvms.onekvm import OneKvmMedia
from cua.kvms.registry import DEVICE, create
from cua.types import ActionError, DeviceError, Eject, Mount, Power
from tests.kvms.open_kvm import CallbackLog, open_kvm
from tests.servers.disk_images import DiskImages
from tests.servers.nanokvm_server import NanoKvm, nanokvm_pro
from tests.servers.onekvm_server import OneKvm
from tests.servers.pikvm_server import PiKvm
from tests.servers.site import running
from tests.support.kvm_hardware import ROOT

PASSWORD = {"NanoKvm": "correct horse", "PiKvm": "correct:horse", "OneKvm": "correct horse"}
URL = "http://mirror.example/b.iso"


@dataclass
class Case:
    """A KVM of the tests with two images, and our driver."""

    server: NanoKvm | PiKvm | OneKvm
    kvm: Kvm
    names: list[str]

    @property
    def images(self) -> DiskImages:
        return self.server.disk_images

    @property
    def media(self) -> Media:
        return self.kvm.require_media()


@asynccontextmanager
async def serving(
    scheme: str, make: Callable[[], NanoKvm | PiKvm | OneKvm], folder: Path
) -> AsyncIterator[Case]:
    server = make()
    where = "/data/" if isinstance(server, NanoKvm) else ""
    names = [f"{where}a.iso", f"{where}tools.img"]
    server.disk_images.files.update({name: b"content" for name in names})
    server.disk_images.web[URL] = b"from the web"
    async with running(server.app()) as place:
        if scheme == DEVICE:
            stream = f"http://{place}/api/stream/mjpeg"
            config = KvmConfig(DEVICE, stream_url=stream, hid_prefix=str(folder / "hidg"))
            kvm = create(config, CallbackLog().callbacks)
            yield Case(server, kvm, names)
            await kvm.close()
        else:
            password = PASSWORD[type(server).__name__]
            async with open_kvm(f"{scheme}://{place}", password=password) as there:
                yield Case(server, there.kvm, names)


KVMS: dict[str, tuple[str, Callable[[], NanoKvm | PiKvm | OneKvm]]] = {
    "nanokvm": ("nanokvm", NanoKvm),
    "nanokvm-pro": ("nanokvm-pro+http", nanokvm_pro),
    "device": (DEVICE, lambda: nanokvm_pro(trusts_loopback=True)),
    "pikvm": ("pikvm+http", PiKvm),
    "onekvm": ("onekvm", OneKvm),
}


@pytest.fixture(params=KVMS)
async def case(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Case]:
    monkeypatch.setattr(nanokvm_media, "PART_BYTES", 1000)
    for kind in (nanokvm_media.NanoKvmMedia, nanokvm_media.NanoKvmProMedia, OneKvmMedia):
        monkeypatch.setattr(kind, "usb_reset_s", 0.0)
    async with serving(*KVMS[request.param], tmp_path) as found:
        yield found


async def test_images_are_mounted_one_for_another_and_ejected(case: Case) -> None:
    state = await case.media.state()
    assert [image.name for image in state.images] == case.names
    assert state.mounted == ""
    for number, drive in ((0, "cdrom"), (1, "disk"), (0, "cdrom")):
        await case.kvm.perform(Mount(image=case.names[number], drive=drive))
        state = await case.media.state()
        assert (state.mounted, state.drive) == (case.names[number], drive)
    await case.kvm.perform(Eject())
    assert (await case.media.state()).mounted == ""


async def test_an_image_that_is_not_stored_is_answered_with_those_that_are(case: Case) -> None:
    with pytest.raises(ActionError, match=f"no image “c.iso”. Stored images: {case.names[0]}, "):
        await case.kvm.perform(Mount(image="c.iso"))
    assert case.images.changes == []


async def chunks(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 700):
        yield content[start : start + 700]


@pytest.mark.parametrize("size", [1, 1000, 2500])
async def test_an_upload_arrives_byte_for_byte(case: Case, size: int) -> None:
    content = (bytes(range(256)) * 10)[:size]
    await case.media.upload("new.iso", size, chunks(content))
    name = next(name for name in case.images.files if name.endswith("new.iso"))
    assert case.images.files[name] == content


async def test_the_kvm_downloads_an_image_and_says_how_far_it_is(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nanokvm_media, "FETCH_POLL_S", 0.01)
    monkeypatch.setattr(onekvm, "FETCH_POLL_S", 0.01)
    monkeypatch.setattr(onekvm, "DOWNLOAD_START_S", 0.2)
    seen = [part async for part in case.media.fetch(URL)]
    assert seen == sorted(seen)
    if not isinstance(case.server, OneKvm):  # which does not say how far it is
        assert any(0.4 < part < 0.8 for part in seen)
    assert any(name.endswith("b.iso") for name in case.images.files)
    with pytest.raises(
        DeviceError,
        match=r"did not do that: (failed when checking the url|404)|did not store",
    ):
        _ = [part async for part in case.media.fetch("http://mirror.example/missing.iso")]


async def test_a_download_that_is_not_wanted_any_more_is_cancelled(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nanokvm_media, "FETCH_POLL_S", 0.01)

    async def watch(begun: asyncio.Event) -> None:
        async for _ in case.media.fetch(URL):
            begun.set()

    begun = asyncio.Event()
    watching = asyncio.create_task(watch(begun))
    await begun.wait()
    watching.cancel()
    await asyncio.wait([watching])
    assert watching.cancelled()
    assert case.images.cancelled == (0 if isinstance(case.server, PiKvm) else 1)


async def test_what_a_pikvm_is_asked_by_get_changes_nothing(tmp_path: Path) -> None:
    """A GLKVM formats a partition by GET."""
    async with serving(*KVMS["pikvm"], tmp_path) as case:
        await anext(case.kvm.frames())
        await case.kvm.write("keyboard", bytes(8))
        await case.kvm.is_powered()
        for action in (Mount(image=case.names[0]), Eject(), Power(button="reset")):
            await case.kvm.perform(action)
        _ = [part async for part in case.media.fetch(URL)]
        await case.media.upload("new.iso", 7, chunks(b"content"))
        assert isinstance(case.server, PiKvm)
        hid, video = ("hid", "hid/keymaps", "ws"), ("streamer", "streamer/stream")
        reads = {path.removeprefix("/").removeprefix("api/") for path in case.server.reads}
        assert reads == {"auth/check", "atx", "msd", *hid, *video}


@pytest.mark.parametrize("powered", [True, False])
async def test_the_power_state(case: Case, powered: bool) -> None:
    case.server.powered = powered
    assert await case.kvm.is_powered() is powered


async def test_a_kvm_without_a_drive_says_so() -> None:
    async with open_kvm("vnc://127.0.0.1:9") as there:
        for action in (Mount(image="a.iso"), Eject()):
            with pytest.raises(ActionError, match="cannot mount images"):
                there.kvm.check(action)
        with pytest.raises(ActionError, match="MAC address of the computer is not known"):
            there.kvm.check(Power(button="wake"))
        assert await there.kvm.is_powered() is None


async def test_a_wake_on_lan_packet() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as card:
        card.bind(("127.0.0.1", 0))
        card.settimeout(5)
        await wake_on_lan.send("00:1b-c4:FF:0e:01", card.getsockname())
        assert card.recv(200) == b"\xff" * 6 + bytes.fromhex("001bc4ff0e01") * 16


async def test_power_and_media_in_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "new.iso").write_bytes(b"x" * 5000)
    kvm = NanoKvm()
    kvm.disk_images.files = {"/data/a.iso": b"a"}
    async with running(kvm.app()) as place:

        async def say(*arguments: str) -> tuple[int | None, str]:
            done = await asyncio.create_subprocess_exec(
                *(sys.executable, "cua_webapp.py", *arguments),
                *("--kvm", f"nanokvm://admin:correct%20horse@{place}"),
                cwd=ROOT,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            output = (await done.communicate())[0]
            return done.returncode, output.decode().strip()

        assert await say("power") == (0, "The computer is on.")
        assert await say("power", "hold") == (0, "Done.")
        assert ("POST", "/vm/gpio", {"type": "power", "duration": 5000}) in kvm.asked
        code, said = await say("media", "upload", str(tmp_path / "new.iso"))
        assert code == 0
        assert said.endswith("100%\n/data/a.iso\n/data/new.iso\nMounted: nothing.")
        code, said = await say("media", "mount", "/data/new.iso", "--disk")
        assert (code, said.splitlines()[-1]) == (0, "Mounted: /data/new.iso as disk.")
        agent = ExclusiveLock()
        agent.acquire(place)
        assert await say("power") == (0, "The computer is on.")
        for command in (("power", "reset"), ("media", "eject")):
            code, said = await say(*command)
            assert (code, f"(process {os.getpid()}) uses this KVM" in said) == (2, True)
        agent.release()
        assert kvm.disk_images.mounted == "/data/new.iso"
        code, said = await say("media", "mount")
        assert (code, said) == (2, "Name what to mount: media mount NAME.")
        code, said = await say("power", "wake")
        assert code == 2
        assert "MAC address" in said
