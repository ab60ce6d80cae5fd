"""Addresses of the machine that runs the tests."""

from __future__ import annotations

import pytest

from cua.web.local_addresses import find_own_address


def lan_address() -> str:
    """Return an address of this machine other than loopback; skip the test if it has none."""
    found = find_own_address()
    if not found:
        pytest.skip("needs an address other than loopback")
    return found
