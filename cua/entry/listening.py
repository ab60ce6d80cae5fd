"""The port, and the line that tells where it is.

Nothing is written to stdout after that line: whoever waited for it may close the pipe.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys

from .terminal import refuse, say


def listen(host: str, port: int) -> socket.socket:
    try:
        if not host and socket.has_dualstack_ipv6():
            return socket.create_server(
                ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=128
            )
        family, *_ = socket.getaddrinfo(host or "127.0.0.1", port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((host, port), family=family, backlog=128)
    except socket.gaierror as error:
        refuse(f"{host} is no address of this machine: {error.strerror}.")
    except OSError as error:
        from .. import port as ports

        refuse(f"Port {port} cannot be used: {ports.holder(port) or error.strerror}.")


def announce(listener: socket.socket, hosts: list[str], kind: str) -> list[str]:
    """Says where it is to be found, and returns these addresses."""
    port = listener.getsockname()[1]
    addresses = [f"http://{host}:{port}/" for host in hosts]
    say(f"Authentication: {kind}. Open {' or '.join(addresses)}")
    if not sys.stdout.isatty():
        # Whoever waited for the line may close the pipe now; nothing may break on it.
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.close(quiet)
    return addresses


def at(listener: socket.socket) -> list[str]:
    """The one host at which it listens; [] if at all of this machine."""
    host = listener.getsockname()[0]
    if ipaddress.ip_address(host.partition("%")[0]).is_unspecified:
        return []
    return [f"[{host}]" if ":" in host else host]


def own_hosts() -> list[str]:
    from ..kvm_login import own_address

    own = own_address()
    return [*([f"[{own}]" if ":" in own else own] if own else []), socket.gethostname()]
