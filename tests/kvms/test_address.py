"""Which KVM an address means, and why it cannot be reached."""

from __future__ import annotations

import asyncio

import pytest

from cua.kvms import registry
from cua.kvms.address import parse_address, split_password
from cua.kvms.kvm import KvmConfig
from cua.kvms.tls_pinning import unreachable_error
from cua.types import CuaError
from tests.support.kvm_hardware import any_free_port


def test_an_empty_address_is_the_machine_itself() -> None:
    assert parse_address("  ").kind == registry.DEVICE


@pytest.mark.parametrize("address", ["10.0.0.5", "ftp://10.0.0.5", "https//x", "http://foo bar"])
def test_an_invalid_address_names_the_valid_schemes(address: str) -> None:
    with pytest.raises(CuaError, match="Use one of"):
        parse_address(address)


@pytest.mark.parametrize("address", ["pikvm://", "vnc://:5901", "nanokvm://admin@"])
def test_a_missing_host_is_asked_for(address: str) -> None:
    with pytest.raises(CuaError, match="lacks the KVM's host name or IP address"):
        parse_address(address)


def test_a_password_in_the_address_is_refused() -> None:
    for address in ("pikvm://admin:secret@10.0.0.5", "jetkvm://secret@10.0.0.5"):
        with pytest.raises(CuaError, match="Leave the password out"):
            parse_address(address)


@pytest.mark.parametrize(
    ("address", "bare", "password"),
    [
        ("jetkvm://se%40cret@10.0.0.5", "jetkvm://10.0.0.5", "se@cret"),
        ("pikvm://admin:secret@10.0.0.5:8443", "pikvm://admin@10.0.0.5:8443", "secret"),
        ("pikvm://admin@10.0.0.5", "pikvm://admin@10.0.0.5", ""),
        ("usb:///dev/ttyUSB0?video=/dev/video0", "usb:///dev/ttyUSB0?video=/dev/video0", ""),
        ("10.0.0.5", "10.0.0.5", ""),
    ],
)
def test_a_password_is_taken_out_of_an_address(address: str, bare: str, password: str) -> None:
    assert split_password(address) == (bare, password)


def test_a_kvm_on_this_machine_has_device_files_and_no_host() -> None:
    for address in ("usb://", "usb:///dev/ttyUSB0?video=/dev/video0"):
        assert parse_address(address) == KvmConfig("usb", address)
    with pytest.raises(CuaError, match="names a host, but this KVM"):
        parse_address("usb://dev/ttyUSB0")


@pytest.mark.parametrize("rest", ["[x", "host:99999", "host:x"])
@pytest.mark.parametrize("scheme", sorted({s for k in registry.KINDS.values() for s in k.schemes}))
def test_an_invalid_host_or_port_is_refused(scheme: str, rest: str) -> None:
    with pytest.raises(CuaError, match="is not a valid KVM address: "):
        parse_address(f"{scheme}://{rest}")


async def test_why_a_kvm_is_unreachable_is_told_in_the_systems_words() -> None:
    with pytest.raises(OSError, match="Connect call failed") as refused:
        await asyncio.open_connection("127.0.0.1", any_free_port())
    assert "reached (Connection refused)" in str(unreachable_error("x:1", refused.value))
    of_library = OSError("All connection attempts failed")
    of_library.__cause__ = refused.value
    assert "reached (Connection refused)" in str(unreachable_error("x:1", of_library))
