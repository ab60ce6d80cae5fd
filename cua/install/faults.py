"""What went wrong with an installation, in sentences that tell the person what to do next."""

from __future__ import annotations

import errno
import platform
import re
import sys
from collections.abc import Sequence

OFFLINE = (
    "Or install without a network: `python3 cua_webapp.py bundle` on another computer makes a file "
    "that is unpacked here."
)
NO_PIP = f"This machine's Python has no pip: run  apt-get install python3-pip  first. {OFFLINE}"
NO_VENV = (
    "This machine's Python cannot make virtual environments: run  apt-get install python3-venv"
)
TAKEN = "Another installation is under way here. Wait for it, then try again."
FULL = "The disk is full. Free some space, then try again."
NOT_WRITABLE = "This folder cannot be written. Start it as root, or from a folder of your own."
UNUSABLE = "The packages are installed but do not work on this machine. The last lines say why."

_FAULTS = (
    (r"No space left on device|Errno 28|Disk quota exceeded", FULL),
    (
        r"not yet valid|certificate has expired",
        "The package server's certificate does not fit this machine's date: set its clock.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLError",
        "There is no trusted connection to the package server: something stands between, or this "
        "machine lacks its certificates (apt-get install ca-certificates).",
    ),
    (
        r"DO NOT MATCH THE HASHES",
        "What arrived is not what was pinned, so nothing of it was used: the download was damaged, "
        "or the server gives something else. Try again, or from another package server.",
    ),
    (
        r"NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionResetError|ProtocolError|"
        r"ProxyError|name resolution|Name or service not known|Network is unreachable|"
        r"Connection refused|IncompleteRead|Connection broken|There was a problem confirming",
        f"The package server cannot be reached: does this machine have Internet and DNS? {OFFLINE}",
    ),
    (r"Permission denied|Read-only file system", NOT_WRITABLE),
    (r"No module named '?(venv|ensurepip)\b", NO_VENV),
)
_ANOTHERS = (
    "The bundle here is for another processor or Python. On a computer with Internet make one with "
    f"`python3 cua_webapp.py bundle --machine {platform.machine()} --python "
    f"{sys.version_info[0]}.{sys.version_info[1]}`, and unpack it here."
)
_CAME = re.compile(r"^ *(Downloading|Using cached|Obtaining|Processing) ", re.MULTILINE)
"""Of a package, which then is not the first one; that runs everywhere."""
_NO_WHEEL = re.compile(r"No matching distribution found for (?P<name>[\w.-]+)==")


def words(output: Sequence[str], code: int, *, bundled: bool = False) -> str:
    """Why a command ended with this exit code, by the lines that it said; `bundled`: it had the
    wheels of a bundle.
    """
    said = "\n".join(output[-400:])
    for pattern, sentence in _FAULTS:
        if re.search(pattern, said):
            return sentence
    if bundled and _NO_WHEEL.search(said):
        return _ANOTHERS
    if missing := _NO_WHEEL.search(said):
        if not _CAME.search(said):
            return (
                f"The package server cannot be reached, or has no {missing['name']}: does this "
                f"machine have Internet and DNS? {OFFLINE}"
            )
        return (
            f"There is no ready-made {missing['name']} for this machine's processor and Python, "
            "and it is not built here: use a 64-bit system with Python 3.10 to 3.14."
        )
    if code < 0:
        return f"It was stopped by signal {-code}, as when memory runs out. Try again."
    last = next((line for line in reversed(output) if line.startswith("ERROR")), "")
    return f"pip failed ({last or f'exit status {code}'}). The lines above say why."


def of_system(error: OSError) -> str:
    """What the system refused to do with the folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FULL
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return NOT_WRITABLE
    return f"{error.filename or 'The program folder'}: {error.strerror}. {OFFLINE}"


def too_little(need: int, free: int) -> str:
    return f"{need / 1e6:.0f} MB are needed here and {free / 1e6:.0f} MB are free. Free some space."
