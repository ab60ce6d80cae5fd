"""Where the service listens, and what it says of that."""

from __future__ import annotations

import socket
import subprocess
import sys

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


ANNOUNCE = """
import sys
from cua.cli.listening_socket import announce, listen
announce(listen("127.0.0.1", int(sys.argv[1])), ["127.0.0.1"], "none")
"""


@pytest.mark.parametrize(("port", "blocked"), [("6566", True), ("0", False)])
def test_a_port_on_which_browsers_open_no_page_is_warned_of(port: str, blocked: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ANNOUNCE, port], capture_output=True, text=True, check=True
    )
    assert ("Warning: browsers open no page on port 6566" in done.stderr) == blocked
    assert "Open http://127.0.0.1:" in done.stdout
