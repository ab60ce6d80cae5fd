"""Check the machine that this program runs on."""

from __future__ import annotations

import platform
import re
import shutil
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ... import tls_contexts
from ...extras import PROGRAM
from ...web import local_addresses
from ..install.package_folders import PackageSet, missing
from .finding import Finding, read_text

PORT_TIMEOUT_S = 3.0
MIN_MEMORY_BYTES, MIN_DISK_BYTES = 150e6, 200e6
"""Free memory and disk that are enough; a task takes about 80 MB."""


def examine(program: Path, port: int) -> Iterator[Finding]:
    yield python()
    yield packages()
    yield memory(Path("/proc/meminfo"))
    yield disk(program)
    yield clock(program)
    yield certificates()
    yield port_use(port)


def python() -> Finding:
    seen = f"{platform.python_version()} on {platform.machine()}, {sys.executable}"
    return Finding("Python", "ok", seen)


def packages() -> Finding:
    home, fix = PackageSet(), f"Run  {PROGRAM} install"
    if lacking := ", ".join(missing()):
        return Finding("packages", "fault", f"missing: {lacking}", f"{fix}  or open the page.")
    if home.outdated:
        return Finding("packages", "care", "installed for another version of the program", fix)
    return Finding("packages", "ok", "our own, as pinned" if home.active else "this Python's own")


def memory(meminfo: Path) -> Finding:
    rows = dict(re.findall(r"(\w+):\s+(\d+) kB", read_text(meminfo)))
    if "MemAvailable" not in rows:
        return Finding("memory", "unknown", "not reported by this system")
    free, total = (int(rows[name]) * 1024 for name in ("MemAvailable", "MemTotal"))
    seen = f"{free / 1e6:.0f} MB of {total / 1e6:.0f} MB available"
    if free < MIN_MEMORY_BYTES:
        fix = "End other programs on the KVM, or run this one on another computer (see README)."
        return Finding("memory", "care", seen, fix)
    return Finding("memory", "ok", seen)


def disk(program: Path) -> Finding:
    free = shutil.disk_usage(program).free
    seen = f"{free / 1e6:.0f} MB free at {program}"
    if free < MIN_DISK_BYTES:
        return Finding("disk", "care", seen, "Free some space: packages take about 130 MB.")
    return Finding("disk", "ok", seen)


def clock(program: Path, now: float | None = None) -> Finding:
    """Check the clock: a KVM without a battery starts in 1970, when no certificate is valid."""
    now = time.time() if now is None else now
    seen = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    newest = (program / "cua" / "__init__.py").stat().st_mtime
    if now < max(newest, 1.7e9) - 86400:
        fix = "Set it (timedatectl, NTP): until then no certificate is valid."
        return Finding("clock", "fault", f"{seen} is in the past", fix)
    return Finding("clock", "ok", seen)


def certificates() -> Finding:
    known = ssl.create_default_context().cert_store_stats()["x509_ca"]
    if not known and not ssl.get_default_verify_paths().capath:
        fix = "Install them (apt-get install ca-certificates), or use a model server with http://."
        return Finding("TLS", "fault", f"{ssl.OPENSSL_VERSION}, no trusted authorities", fix)
    return Finding("TLS", "ok", f"{ssl.OPENSSL_VERSION}, {known or 'a folder of'} authorities")


def https(pair: tuple[Path, Path] | None, port: int) -> Finding:
    """Check https on the service's port; `pair` is the KVM's certificate and key."""
    if _ours(local_addresses.find_port_holder(port)) and _speaks_tls(port):
        return Finding("https", "ok", f"the service at port {port} uses it")
    if pair is None:
        fix = "Turn https on in the KVM, or start this with --tls-cert and --tls-key."
        return Finding("https", "care", "http only: the connection is not encrypted", fix)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*pair)
    except (OSError, ssl.SSLError) as error:
        fix = "Make a new one in the KVM, or start this with --tls-cert and --tls-key."
        return Finding("https", "fault", f"{pair[0]} cannot be used: {error}", fix)
    return Finding("https", "ok", f"on the same port as http, with {pair[0]}")


def port_use(port: int) -> Finding:
    holder = local_addresses.find_port_holder(port)
    seen = f"{port}: {holder}" if holder else f"{port} is free"
    if not holder or _ours(holder):
        return Finding("port", "ok", seen)
    fix = "End that program, or start this one with another --port."
    return Finding("port", "fault", seen, fix)


def _ours(holder: str) -> bool:
    return "cua_webapp" in holder or "kvm-cua" in holder


def _speaks_tls(port: int) -> bool:
    """Try a TLS handshake, with any certificate."""
    try:
        with (
            socket.create_connection(("127.0.0.1", port), PORT_TIMEOUT_S) as raw,
            tls_contexts.make_unverified_context().wrap_socket(raw),
        ):
            return True
    except OSError:
        return False
