"""TLS contexts without the usual checks."""

from __future__ import annotations

import ssl

NO_CHECK_TIME = 0x200000
"""OpenSSL's flag. A pinned certificate is the right one also when a KVM's clock is wrong."""


def make_client_context(certificate: str = "") -> ssl.SSLContext:
    """Return a context that accepts only `certificate` (PEM), whatever its name and date.

    Without one, it accepts what this system trusts.
    """
    if not certificate:
        return ssl.create_default_context()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    flags = context.verify_flags | ssl.VERIFY_X509_PARTIAL_CHAIN | NO_CHECK_TIME
    context.verify_flags = ssl.VerifyFlags(flags)
    context.load_verify_locations(cadata=certificate)
    return context


def make_unverified_context() -> ssl.SSLContext:
    """Return a context that accepts any certificate: to read one, or to test for TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
