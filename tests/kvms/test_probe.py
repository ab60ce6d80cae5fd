"""`kvm://HOST` in front of servers that speak the protocol of each kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

from cua.kvms import registry
from cua.kvms.address import parse_address
from cua.kvms.kvm import KvmConfig
from cua.kvms.probe import PROBES, find_address, names_kind
from cua.types import CuaError
from tests.servers.nanokvm_server import NanoKvm, nanokvm_pro
from tests.servers.onekvm_server import OneKvm
from tests.servers.pikvm_server import PiKvm
from tests.servers.rfb_server import RfbServer, serving
from tests.servers.site import running, self_signed
from tests.support.kvm_hardware import any_free_port

KVMS: dict[str, Callable[[], Starlette]] = {
    "nanokvm": NanoKvm().app,
    "nanokvm-pro": nanokvm_pro().app,
    "onekvm": OneKvm().app,
    "pikvm": PiKvm().app,
}


@pytest.mark.parametrize("kind", KVMS)
async def test_each_kind_is_found_with_tls_and_without(kind: str, tmp_path: Path) -> None:
    for tls, protocol in ((None, "http"), (self_signed(tmp_path), "https")):
        async with running(KVMS[kind](), tls) as place:
            for address in (
                f"kvm://{place}",
                place,
                f" kvm://{place}/ ",
                f"{protocol}://{place}/#/login",
            ):
                found = parse_address(await find_address(address))
                assert found == KvmConfig(kind, f"{protocol}://{place}")


async def test_a_vnc_server_is_found() -> None:
    async with serving(RfbServer()) as place:
        assert await find_address(f"kvm://maria@{place}") == f"vnc://maria@{place}"


async def test_a_user_stays_in_the_address() -> None:
    async with running(PiKvm().app()) as place:
        assert await find_address(f"kvm://maria@{place}") == f"pikvm+http://maria@{place}"


async def test_a_login_that_is_switched_off_hides_no_kind() -> None:
    for kvm, kind in ((NanoKvm(), "nanokvm"), (nanokvm_pro(), "nanokvm-pro+http")):
        kvm.trusts_loopback = True
        async with running(kvm.app()) as place:
            assert await find_address(place) == f"{kind}://{place}"


async def test_no_login_is_tried() -> None:
    nanokvm, onekvm, pikvm = NanoKvm(), OneKvm(), PiKvm()
    for app in (nanokvm.app(), onekvm.app(), pikvm.app()):
        async with running(app) as place:
            await find_address(place)
    assert nanokvm.tries == onekvm.tries == pikvm.tries == 0


async def test_several_that_answer_are_named() -> None:
    routes = [
        Route("/api/auth/check", lambda _: JSONResponse({"ok": True, "result": {}})),
        Route("/api/setup", lambda _: JSONResponse({"needs_setup": False})),
    ]
    async with running(Starlette(routes=routes)) as place:
        with pytest.raises(CuaError, match=f"pikvm.http://{place} and onekvm://{place}") as refused:
            await find_address(place)
    assert refused.value.setting == "kvm"


async def test_a_server_that_is_no_kvm_is_told_from_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cua.kvms.probe.TIMEOUT_S", 1.0)  # for a greeting of VNC
    async with running(Starlette()) as place:
        with pytest.raises(CuaError, match="No supported KVM was found at"):
            await find_address(f"kvm://{place}")
    with pytest.raises(CuaError, match="cannot be reached"):
        await find_address(f"127.0.0.1:{any_free_port()}")


async def test_redirects_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cua.kvms.probe.TIMEOUT_S", 1.0)
    async with running(PiKvm().app()) as elsewhere:
        routes = [
            Route("/{_:path}", lambda _: RedirectResponse(f"http://{elsewhere}/api/auth/check"))
        ]
        async with running(Starlette(routes=routes)) as place:
            with pytest.raises(CuaError, match="No supported KVM was found"):
                await find_address(place)


@pytest.mark.parametrize("address", ["", "usb://", "pikvm://10.0.0.5", "ftp://10.0.0.5"])
async def test_an_address_with_a_kind_is_left_as_it_is(address: str) -> None:
    assert names_kind(address)
    assert await find_address(address) == address


@pytest.mark.parametrize("address", ["kvm://[x", "host:99999", "kvm://host:x"])
async def test_an_invalid_host_or_port_is_refused(address: str) -> None:
    with pytest.raises(CuaError, match="is not a valid KVM address"):
        await find_address(address)


def test_each_sign_is_of_a_kind_that_is_driven() -> None:
    assert {probe.kind for probe in PROBES} <= registry.KINDS.keys()
