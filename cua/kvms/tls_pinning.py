"""Certificate pinning: KVMs sign their own, so the first certificate seen is the only one accepted.

A certificate that this system trusts is checked as a browser does, and may be renewed.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

from ..messages import Message, system_reason
from ..types import CuaError
from .registry import KvmConfig, plain_scheme

CONNECT_TIMEOUT_S = 5.0
NO_CHECK_TIME = 0x200000
"""OpenSSL's flag. A pinned certificate is the right one also when a KVM's clock is wrong."""


class CertificatePin:
    """Checks TLS connections to `config`; calls `learn` with the first fingerprint.

    `pin`: the only fingerprint that is accepted; empty if this system trusts the certificate.
    """

    def __init__(self, config: KvmConfig, learn: Callable[[str], None]) -> None:
        self._kind, self._url = config.kind, urlsplit(config.url)
        self.pin = config.certificate.strip().upper()
        self._learn = learn
        self._context: ssl.SSLContext | None = None

    async def context(self) -> ssl.SSLContext | None:
        """Return None without TLS. Raises `CuaError` if unreachable or the certificate differs."""
        if self._url.scheme != "https":
            return None
        if self._context is None:
            try:
                self._context, met = await asyncio.to_thread(self._meet)
            except ssl.SSLError as error:
                place = self._url.netloc
                address = f"{plain_scheme(self._kind)}://{place}"
                message = Message("kvm.no_tls", place=place, address=address)
                raise CuaError(message, setting="kvm") from error
            except OSError as error:
                raise unreachable(self._url.netloc, error) from error
            if met:
                self.pin = met
                self._learn(met)
        return self._context

    def forget(self) -> None:
        """Check the certificate again at the next connection, after one that failed."""
        self._context = None

    def _meet(self) -> tuple[ssl.SSLContext, str]:
        """Fetch the certificate; return the fingerprint as well if it is the first one."""
        if not self.pin:
            usual = ssl.create_default_context()
            try:
                self._certificate(usual)
            except ssl.SSLCertVerificationError:
                pass
            else:
                return usual, ""
        certificate = self._certificate(_blind())
        found = fingerprint(certificate)
        if found != (self.pin or found):
            raise changed(self._url.netloc, self.pin, found)
        return _only(certificate), "" if self.pin else found

    def _certificate(self, context: ssl.SSLContext) -> bytes:
        host, port = self._url.hostname or "", self._url.port or 443
        with (
            socket.create_connection((host, port), CONNECT_TIMEOUT_S) as plain,
            context.wrap_socket(plain, server_hostname=host) as wrapped,
        ):
            certificate = wrapped.getpeercert(binary_form=True)
        assert certificate
        return certificate


def fingerprint(certificate: bytes) -> str:
    """Return the SHA-256 as browsers show it."""
    return hashlib.sha256(certificate).digest().hex(":").upper()


def changed(place: str, known: str, now: str) -> CuaError:
    message = Message("kvm.certificate_changed", place=place, known=known, now=now)
    return CuaError(message, setting="kvm_certificate")


def unreachable(place: str, error: Exception) -> CuaError:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return CuaError(
        Message("kvm.unreachable", place=place, reason=system_reason(str(reason))), setting="kvm"
    )


def _blind() -> ssl.SSLContext:
    """Return a context for fetching a certificate; nothing is ever sent through it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _only(certificate: bytes) -> ssl.SSLContext:
    """Return a context that accepts only this certificate, whatever its name and date."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags = ssl.VerifyFlags(context.verify_flags | NO_CHECK_TIME)
    context.load_verify_locations(cadata=ssl.DER_cert_to_PEM_cert(certificate))
    return context
