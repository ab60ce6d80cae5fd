"""Listen on the port, and announce its address on stdout.

Nothing follows that line on stdout: the program that waits for it may close the pipe.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys

from .output import refuse, say

FIRST = 3
"""The descriptor of the first socket from systemd."""


def listen(host: str, port: int) -> socket.socket:
    """Open the port; exit with a message if that fails."""
    try:
        if not host and socket.has_dualstack_ipv6():
            return socket.create_server(
                ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=128
            )
        family, *_ = socket.getaddrinfo(host or "127.0.0.1", port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((host, port), family=family, backlog=128)
    except (socket.gaierror, UnicodeError) as error:
        refuse(f"{host[:100]} is not an address of this machine: {error}.")
    except OSError as error:
        from ..web.local_addresses import find_port_holder

        refuse(f"Port {port} cannot be used: {find_port_holder(port) or error.strerror}.")


def take_systemd_socket() -> socket.socket | None:
    """Return the socket from systemd, if there is one (LISTEN_PID, LISTEN_FDS)."""
    process, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    if process != str(os.getpid()) or count != "1":
        return None
    os.set_inheritable(FIRST, False)
    return socket.socket(fileno=FIRST)


def announce(listener: socket.socket, hosts: list[str], kind: str) -> list[str]:
    """Print the addresses of the page; return them."""
    port = listener.getsockname()[1]
    addresses = [f"http://{host}:{port}/" for host in hosts]
    say(f"Authentication: {kind}. Open {' or '.join(addresses)}")
    if not sys.stdout.isatty():
        # The program that waits for the line may close the pipe now.
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.close(quiet)
    return addresses


def find_host(listener: socket.socket) -> list[str]:
    """Return the host of a socket, [] if it listens on all addresses."""
    host = listener.getsockname()[0]
    if ipaddress.ip_address(host.partition("%")[0]).is_unspecified:
        return []
    return [f"[{host}]" if ":" in host else host]


def find_own_hosts() -> list[str]:
    from ..web.local_addresses import find_own_address

    own = find_own_address()
    return [*([f"[{own}]" if ":" in own else own] if own else []), socket.gethostname()]
