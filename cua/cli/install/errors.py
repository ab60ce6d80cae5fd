"""What went wrong with an installation, as messages that tell the person what to do next."""

from __future__ import annotations

import errno
import platform
import re
import sys
from collections.abc import Callable, Sequence

from ...messages import Message

BUNDLE = (
    f"`python3 cua_webapp.py bundle --machine {platform.machine()} --python "
    f"{sys.version_info[0]}.{sys.version_info[1]}`"
)
"""Makes a bundle for this machine."""
DAMAGED_PROGRAM = "A part of the program is damaged ({what}). Copy or unpack the program again."
"""Plain text: the catalogue may be what is damaged."""
MAX_LINES = 400
"""Lines of a command's output, from the end, that are searched."""


def no_pip() -> Message:
    return Message("install.no_pip", offline=_offline())


def busy() -> Message:
    return Message("install.busy")


def unusable() -> Message:
    return Message("install.unusable")


def damaged(names: Sequence[str]) -> str:
    """`names`: files of a bundle that differ from its checksums. Plain text for the same reason."""
    return f"{names[0]} of the bundle is damaged. Copy the bundle again and unpack it again."


def too_little_space(need: int, free: int) -> Message:
    """`need` and `free` are bytes."""
    return Message("install.too_little_space", need=f"{need / 1e6:.0f}", free=f"{free / 1e6:.0f}")


def of_system(error: OSError) -> Message:
    """What the system refused to do with the folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _disk_full()
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return _not_writable()
    path, reason = str(error.filename or "."), str(error.strerror)
    return Message("install.system_error", path=path, reason=reason, offline=_offline())


def of_command(output: Sequence[str], code: int, *, bundled: bool = False) -> Message:
    """Why a command ended with exit code `code`, by its output; `bundled`: it had the wheels of a
    bundle.
    """
    text = "\n".join(output[-MAX_LINES:])
    for pattern, message in _FAULTS:
        if re.search(pattern, text):
            return message()
    if missing := _NO_WHEEL.search(text):
        return _no_wheel(missing["name"], bundled, bool(_FETCHED.search(text)))
    if code < 0:
        return Message("install.stopped_by_signal", signal=-code)
    last = next((line for line in reversed(output) if line.startswith("ERROR")), "")
    return Message("install.pip_failed", reason=last or f"exit status {code}")


def _no_wheel(name: str, bundled: bool, fetched: bool) -> Message:
    """`fetched`: pip has fetched another package, so the server answers."""
    if bundled:
        return Message("install.bundle_for_other_machine", command=BUNDLE)
    if fetched:
        return Message("install.no_wheel", name=name)
    return Message("install.package_unavailable", name=name, offline=_offline())


def _offline() -> Message:
    return Message("install.offline", command=BUNDLE)


def _disk_full() -> Message:
    return Message("install.disk_full")


def _not_writable() -> Message:
    return Message("install.not_writable")


_FAULTS: tuple[tuple[str, Callable[[], Message]], ...] = (
    (r"No space left on device|Errno 28|Disk quota exceeded", _disk_full),
    (r"not yet valid|certificate has expired", lambda: Message("install.wrong_clock")),
    (r"CERTIFICATE_VERIFY_FAILED|SSLError", lambda: Message("install.untrusted_server")),
    (r"DO NOT MATCH THE HASHES", lambda: Message("install.wrong_hash")),
    (
        r"NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionResetError|ProtocolError|"
        r"ProxyError|name resolution|Name or service not known|Network is unreachable|"
        r"Connection refused|IncompleteRead|Connection broken|There was a problem confirming",
        lambda: Message("install.server_unreachable", offline=_offline()),
    ),
    (r"Permission denied|Read-only file system", _not_writable),
)
_FETCHED = re.compile(r"^ *(Downloading|Using cached|Obtaining|Processing) ", re.MULTILINE)
_NO_WHEEL = re.compile(r"No matching distribution found for (?P<name>[\w.-]+)==")
