"""Which KVM an address means."""

from __future__ import annotations

import pytest

from cua.kvms import registry
from cua.types import CuaError


def test_without_an_address_it_is_the_machine_itself() -> None:
    assert registry.parse_address("  ").kind == registry.DEVICE


@pytest.mark.parametrize("address", ["10.0.0.5", "ftp://10.0.0.5", "https//x"])
def test_what_is_no_address_is_told_with_those_that_there_are(address: str) -> None:
    with pytest.raises(CuaError, match="Use one of"):
        registry.parse_address(address)


@pytest.mark.parametrize("address", ["pikvm://", "vnc://:5901", "nanokvm://admin@"])
def test_a_host_that_is_missing_is_asked_for(address: str) -> None:
    with pytest.raises(CuaError, match="lacks the KVM's host name or IP address"):
        registry.parse_address(address)


@pytest.mark.parametrize("rest", ["[x", "host:99999", "host:x"])
@pytest.mark.parametrize("scheme", sorted({s for k in registry.KINDS.values() for s in k.schemes}))
def test_a_place_that_cannot_be_is_told(scheme: str, rest: str) -> None:
    with pytest.raises(CuaError, match="is not a valid KVM address: "):
        registry.parse_address(f"{scheme}://{rest}")
