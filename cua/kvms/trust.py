"""Whose certificate it is: KVMs sign their own, so the first one met is noted and no other taken.

One that this system trusts anyway is checked as a browser does, and may be renewed at will.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

from ..types import CuaError

PATIENCE = 5.0
NO_CHECK_TIME = 0x200000
"""OpenSSL's flag. A pinned certificate is the right one also when a KVM's clock is wrong."""


class Trust:
    """What TLS connections to `url` have to be like. `learn` is told of the first certificate.

    `pin`: the fingerprint of the only one that is taken; empty where this system knows it.
    """

    def __init__(self, url: str, pinned: str, learn: Callable[[str], None]) -> None:
        self._url = urlsplit(url)
        self.pin = pinned.strip().upper()
        self._learn = learn
        self._context: ssl.SSLContext | None = None

    async def context(self) -> ssl.SSLContext | None:
        """None for a URL without TLS. Raises `CuaError` if nobody answers or it is another one."""
        if self._url.scheme != "https":
            return None
        if self._context is None:
            try:
                self._context, met = await asyncio.to_thread(self._meet)
            except OSError as error:
                raise unreachable(self._url.netloc, error) from error
            if met:
                self.pin = met
                self._learn(met)
        return self._context

    def forget(self) -> None:
        """After a connection that failed: the next one looks at the certificate anew."""
        self._context = None

    def _meet(self) -> tuple[ssl.SSLContext, str]:
        """And the fingerprint, if it is the first one."""
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
            socket.create_connection((host, port), PATIENCE) as plain,
            context.wrap_socket(plain, server_hostname=host) as wrapped,
        ):
            certificate = wrapped.getpeercert(binary_form=True)
        assert certificate
        return certificate


def fingerprint(certificate: bytes) -> str:
    """SHA-256 in the form in which browsers show it."""
    return hashlib.sha256(certificate).digest().hex(":").upper()


def changed(place: str, known: str, now: str) -> CuaError:
    return CuaError(
        f"The certificate of {place} has changed, so nothing is sent to it. "
        f"Known: {known}. Now: {now}. If you renewed it yourself, empty "
        "'Certificate of the KVM' in Settings; if not, somebody may be in between."
    )


def unreachable(place: str, error: Exception) -> CuaError:
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return CuaError(
        f"The KVM at {place} cannot be reached ({why}). Check its address, that it is switched on, "
        "and that this machine is in its network."
    )


def _blind() -> ssl.SSLContext:
    """For looking at a certificate; nothing is ever sent through it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _only(certificate: bytes) -> ssl.SSLContext:
    """Takes this very certificate, whatever name and date are in it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags = ssl.VerifyFlags(context.verify_flags | NO_CHECK_TIME)
    context.load_verify_locations(cadata=ssl.DER_cert_to_PEM_cert(certificate))
    return context
