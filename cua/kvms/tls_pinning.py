"""Certificate pinning: KVMs sign their own, so only the first certificate is accepted.

A certificate that this system trusts is checked as a browser does, and may be renewed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import socket
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

from .. import tls_contexts
from ..messages import Message, os_reason
from ..types import CuaError
from .address import find_scheme
from .kvm import KvmConfig

CONNECT_TIMEOUT_S = 5.0


class CertificatePin:
    """Checks TLS connections to `config`; calls `learn` with the first fingerprint.

    `fingerprint`: the only one that is accepted; empty if this system trusts the certificate.
    `pem`: that certificate; empty if it is not known or this system trusts it.
    """

    def __init__(self, config: KvmConfig, learn: Callable[[str], None]) -> None:
        self._kind, self._url = config.kind, urlsplit(config.url)
        self.fingerprint = config.fingerprint.strip().upper()
        self.pem = ""
        self._learn = learn
        self._context: ssl.SSLContext | None = None

    def check(self, found: str) -> None:
        """Accept only the first fingerprint ("": no certificate). Raises `CuaError`."""
        if self.fingerprint not in ("", found):
            now = found or Message("kvm.no_certificate")
            message = Message(
                "kvm.certificate_changed", place=self._url.netloc, known=self.fingerprint, now=now
            )
            raise CuaError(message, setting="kvm_certificate")
        if found != self.fingerprint:
            self.fingerprint = found
            self._learn(found)

    async def context(self) -> ssl.SSLContext | None:
        """Return TLS settings; None without TLS. Raises `CuaError`, as for another certificate."""
        if self._url.scheme != "https":
            return None
        if self._context is None:
            place = self._url.netloc
            try:
                certificate = await asyncio.to_thread(self._fetch_untrusted)
            except ssl.SSLError as error:
                address = f"{find_scheme(self._kind, 'http')}://{place}"
                message = Message("kvm.no_tls", place=place, address=address)
                raise CuaError(message, setting="kvm") from error
            except OSError as error:
                raise unreachable_error(place, error) from error
            if certificate:
                self.check(fingerprint(ssl.PEM_cert_to_DER_cert(certificate)))
            self.pem = certificate
            self._context = tls_contexts.make_client_context(certificate)
        return self._context

    def forget(self) -> None:
        """Check the certificate again at the next connection; called after a failed one."""
        self._context = None

    def _fetch_untrusted(self) -> str:
        """Return the certificate as PEM, "" if none is pinned and this system trusts it."""
        host, port = self._url.hostname or "", self._url.port or 443
        if not self.fingerprint:
            with (
                contextlib.suppress(ssl.SSLCertVerificationError),
                socket.create_connection((host, port), CONNECT_TIMEOUT_S) as plain,
                tls_contexts.make_client_context().wrap_socket(plain, server_hostname=host),
            ):
                return ""
        return ssl.get_server_certificate((host, port), timeout=CONNECT_TIMEOUT_S)


def fingerprint(certificate: bytes) -> str:
    """Return the SHA-256 fingerprint as browsers show it."""
    return hashlib.sha256(certificate).digest().hex(":").upper()


def unreachable_error(place: str, error: Exception) -> CuaError:
    message = Message("kvm.unreachable", place=place, reason=os_reason(error))
    return CuaError(message, setting="kvm")
