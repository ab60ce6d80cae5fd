"""What an ordinary user may not do, also where root runs the tests."""

from __future__ import annotations

import os
import subprocess

import pytest

READ_ONLY = ("unshare", "--mount", "sh", "-c", 'mount --bind -o ro /etc /etc && exec "$@"', "sh")


def without_etc() -> tuple[str, ...]:
    """Return a command before which /etc cannot be written; skip the test if there is none."""
    before = READ_ONLY if os.access("/etc", os.W_OK) else ()
    if before and subprocess.run([*before, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("not even root may make /etc read-only here")
    return before
