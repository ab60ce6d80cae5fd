"""Where the service listens, and what it says of that."""

from __future__ import annotations

import socket

import pytest

from cua.cli.listening_socket import find_host, listen


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("127.0.0.2", ["127.0.0.2"]),
        ("127.0.0.1", ["127.0.0.1"]),
        ("localhost", ["127.0.0.1"]),
        ("0.0.0.0", []),
        ("::1", ["[::1]"]),
        ("::", []),
        ("", []),
    ],
)
def test_the_address_that_is_told_is_the_one_that_is_listened_to(
    host: str, told: list[str]
) -> None:
    if ":" in host and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with listen(host, 0) as listener:
        said = find_host(listener)
        assert said == told or (host == "localhost" and said == ["[::1]"])
        place = (said or ["127.0.0.1"])[0].strip("[]")
        if host != "::":
            socket.create_connection((place, listener.getsockname()[1]), 5).close()
