"""Errors of an installation, as messages that tell the person what to do next."""

from __future__ import annotations

import errno
import platform
import re
import sys
from collections.abc import Sequence

from ...messages import Message, os_reason

BUNDLE = (
    f"`python3 cua_webapp.py bundle --machine {platform.machine()} --python "
    f"{sys.version_info[0]}.{sys.version_info[1]}`"
)
"""The command that makes a bundle for this machine."""
DAMAGED_PROGRAM = "A part of the program is damaged ({what}). Copy or unpack the program again."
"""Plain text, as the catalogue of messages may be damaged."""
MAX_LINES = 400
"""Last lines of a command's output that are searched."""
OFFLINE = Message("install.offline", command=BUNDLE)
NO_PIP = Message("install.no_pip", offline=OFFLINE)
DISK_FULL = Message("install.disk_full")
NOT_WRITABLE = Message("install.not_writable")
_OF_SYSTEM = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), DISK_FULL),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), NOT_WRITABLE),
}
_OF_PIP = (
    (r"No space left on device|Errno 28|Disk quota exceeded", DISK_FULL),
    (r"not yet valid|certificate has expired", Message("install.wrong_clock")),
    (r"CERTIFICATE_VERIFY_FAILED|SSLError", Message("install.untrusted_server")),
    (r"DO NOT MATCH THE HASHES", Message("install.wrong_hash")),
    (
        r"NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionResetError|ProtocolError|"
        r"ProxyError|name resolution|Name or service not known|Network is unreachable|"
        r"Connection refused|IncompleteRead|Connection broken|There was a problem confirming",
        Message("install.server_unreachable", offline=OFFLINE),
    ),
    (r"Permission denied|Read-only file system", NOT_WRITABLE),
)
_FETCHED = re.compile(r"^ *(Downloading|Using cached|Obtaining|Processing) ", re.MULTILINE)
_NO_WHEEL = re.compile(r"No matching distribution found for (?P<name>[\w.-]+)==")


class Failed(Exception):
    """The installation failed; the text has the reason and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def of_system(error: OSError) -> Message:
    """Return the message for an error of the system with the folder."""
    path = str(error.filename or ".")
    other = Message("install.system_error", path=path, reason=os_reason(error), offline=OFFLINE)
    return _OF_SYSTEM.get(error.errno or 0, other)


def of_command(output: Sequence[str], code: int, *, bundled: bool = False) -> Message:
    """Return the message for a failed command, by its output and exit code; `bundled`: it had the
    wheels of a bundle.
    """
    text = "\n".join(output[-MAX_LINES:])
    for pattern, message in _OF_PIP:
        if re.search(pattern, text):
            return message
    if missing := _NO_WHEEL.search(text):
        return _no_wheel(missing["name"], bundled, bool(_FETCHED.search(text)))
    if code < 0:
        return Message("install.stopped_by_signal", signal=-code)
    last = next((line for line in reversed(output) if line.startswith("ERROR")), "")
    return Message("install.pip_failed", reason=last or f"exit status {code}")


def _no_wheel(name: str, bundled: bool, fetched: bool) -> Message:
    """`fetched`: pip fetched another package, so the server answers."""
    if bundled:
        return Message("install.bundle_for_other_machine", command=BUNDLE)
    if fetched:
        return Message("install.no_wheel", name=name)
    return Message("install.package_unavailable", name=name, offline=OFFLINE)
