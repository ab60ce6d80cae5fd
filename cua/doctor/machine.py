"""The machine that this program runs on."""

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

from .. import port as ports
from ..install.home import Home
from ..install.loaded import missing, outside
from .finding import Finding

OLDEST = (3, 10)
PATIENCE = 3.0
"""Seconds for our own port to answer."""
LITTLE_MEMORY, LITTLE_DISK = 150e6, 100e6
"""Bytes; a task takes about 80 MB."""


def look(program: Path, port: int) -> Iterator[Finding]:
    yield python()
    yield packages(program)
    yield memory(Path("/proc/meminfo"))
    yield disk(program)
    yield clock(program)
    yield certificates()
    yield listening(port)


def python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Finding:
    seen = f"{'.'.join(map(str, version))} on {platform.machine()}, {sys.executable}"
    if version < OLDEST:
        return Finding("Python", "fault", seen, "Install Python 3.10 or newer.")
    return Finding("Python", "ok", seen)


def packages(program: Path) -> Finding:
    lacking = missing()
    home = Home(program)
    if lacking:
        cure = f"Run  {outside()} {program}/cua_webapp.py install  or open the page."
        return Finding("packages", "fault", f"missing: {', '.join(lacking)}", cure)
    if home.outdated:
        cure = f"Run  {outside()} {program}/cua_webapp.py install"
        return Finding("packages", "care", "installed for another version of the program", cure)
    return Finding("packages", "ok", "our own, as pinned" if home.inside else "this Python's own")


def memory(meminfo: Path) -> Finding:
    rows = dict(re.findall(r"(\w+):\s+(\d+) kB", _text(meminfo)))
    if "MemAvailable" not in rows:
        return Finding("memory", "unknown", "this system does not tell")
    free, total = (int(rows[name]) * 1024 for name in ("MemAvailable", "MemTotal"))
    seen = f"{free / 1e6:.0f} MB of {total / 1e6:.0f} MB available"
    if free < LITTLE_MEMORY:
        cure = "End other programs on the KVM, or run this one beside it (see README)."
        return Finding("memory", "care", seen, cure)
    return Finding("memory", "ok", seen)


def disk(program: Path) -> Finding:
    free = shutil.disk_usage(program).free
    seen = f"{free / 1e6:.0f} MB free at {program}"
    if free < LITTLE_DISK:
        return Finding("disk", "care", seen, "Free some space: packages take about 60 MB.")
    return Finding("disk", "ok", seen)


def clock(program: Path, now: float | None = None) -> Finding:
    """A KVM without a battery wakes up in 1970, and no certificate is valid then."""
    now = time.time() if now is None else now
    seen = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    newest = (program / "cua" / "__init__.py").stat().st_mtime
    if now < max(newest, 1.7e9) - 86400:
        cure = "Set it: every certificate looks not yet valid until then (timedatectl, NTP)."
        return Finding("clock", "fault", f"{seen} is in the past", cure)
    return Finding("clock", "ok", seen)


def certificates() -> Finding:
    known = ssl.create_default_context().cert_store_stats()["x509_ca"]
    if not known and not ssl.get_default_verify_paths().capath:
        cure = "Install them (apt-get install ca-certificates), or use a model server with http://."
        return Finding("TLS", "fault", f"{ssl.OPENSSL_VERSION}, no trusted authorities", cure)
    return Finding("TLS", "ok", f"{ssl.OPENSSL_VERSION}, {known or 'a folder of'} authorities")


def https(pair: tuple[Path, Path] | None, port: int) -> Finding:
    """What the service's own port speaks; `pair`: the KVM's certificate and its key."""
    if _ours(ports.holder(port)) and _encrypts(port):
        return Finding("https", "ok", f"the service at port {port} speaks it")
    if pair is None:
        cure = "Switch the KVM's own https on, or start this with --tls-cert and --tls-key."
        return Finding("https", "care", "http only: whoever can listen there sees all", cure)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*pair)
    except (OSError, ssl.SSLError) as error:
        cure = "Make it anew in the KVM, or start this with --tls-cert and --tls-key."
        return Finding("https", "fault", f"{pair[0]} cannot be used: {error}", cure)
    return Finding("https", "ok", f"on the same port as http, with {pair[0]}")


def listening(port: int) -> Finding:
    holder = ports.holder(port)
    if not holder:
        return Finding("port", "ok", f"{port} is free")
    if _ours(holder):
        return Finding("port", "ok", f"{port}: {holder}")
    cure = "End that program, or start this one with another --port."
    return Finding("port", "fault", f"{port}: {holder}", cure)


def _ours(holder: str) -> bool:
    return "cua_webapp" in holder or "kvm-cua" in holder


def _encrypts(port: int) -> bool:
    """Whether a handshake gets its end; whose the certificate is does not matter."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection(("127.0.0.1", port), PATIENCE) as raw,
            context.wrap_socket(raw),
        ):
            return True
    except OSError:
        return False


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
