"""Which KVM an address means."""

from __future__ import annotations

import pytest

from cua import kvms
from cua.types import CuaError


def test_without_an_address_it_is_the_machine_itself() -> None:
    assert kvms.target("  ").kind == kvms.DEVICE


@pytest.mark.parametrize("address", ["10.0.0.5", "ftp://10.0.0.5", "pikvm://", "https//x"])
def test_what_is_no_address_is_told_with_those_that_there_are(address: str) -> None:
    with pytest.raises(CuaError, match="begins with one of"):
        kvms.target(address)


@pytest.mark.parametrize("rest", ["[x", "host:99999", "host:x"])
@pytest.mark.parametrize("scheme", sorted({s for k in kvms.KINDS.values() for s in k.schemes}))
def test_a_place_that_cannot_be_is_told(scheme: str, rest: str) -> None:
    with pytest.raises(CuaError, match="is no address of a KVM: "):
        kvms.target(f"{scheme}://{rest}")
