"""One agent per KVM: a lock between the programs of this machine.

It is an advisory lock on a file named after the KVM's address; the kernel frees it when the process
ends, also after a crash. The file contains the process ID of its owner. All users share the files,
so that a service and a person's command respect each other.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

from ..messages import Message, os_reason
from ..types import CuaError
from .kvm import KvmConfig
from .registry import DEVICE, KINDS

FOLDERS = ("/run/lock", tempfile.gettempdir())
"""Folders for the lock files; the first one that is writable is used."""
WEB_PORTS = (80, 443)
"""Ports that count as one address, since a KVM may serve both."""
FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
MAX_PID_DIGITS = 20
MAX_NAME_CHARS = 200


def lock_name(config: KvmConfig) -> str:
    """Return one name for all addresses of a KVM; other spellings of a host have other names."""
    if config.kind == DEVICE:
        return config.hid_prefix
    if KINDS[config.kind].is_local:
        return config.url
    parts = urlsplit(config.url)
    port = f":{parts.port}" if parts.port and parts.port not in WEB_PORTS else ""
    return f"{parts.hostname}{port}"


class InUse(CuaError):
    """The lock is taken. `process`: the ID of the process that took it; 0: not known yet."""

    def __init__(self, process: int) -> None:
        super().__init__(Message("kvm.in_use", process=process or "?"))
        self.process = process


class ExclusiveLock:
    """A lock that this object takes until `release`, or until the process ends."""

    def __init__(self) -> None:
        self._fd = -1
        self._name = ""

    def acquire(self, name: str) -> None:
        """Take the lock unless this object has it. Raises `InUse`, or another `CuaError`."""
        if self._fd >= 0 and name == self._name:
            return
        self.release()
        fd = _open(_path(name))
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _read_pid(fd)
            os.close(fd)
            raise InUse(holder) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)
        self._fd, self._name = fd, name

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _path(name: str) -> Path:
    folder = next((each for each in FOLDERS if os.access(each, os.W_OK)), FOLDERS[-1])
    quoted = quote(name, safe="")
    if len(quoted) > MAX_NAME_CHARS:
        quoted = hashlib.sha256(name.encode()).hexdigest()
    return Path(folder) / f"kvm-cua-{quoted}.lock"


def _open(path: Path) -> int:
    try:
        # Without O_CREAT first: the kernel may refuse it for another user's file.
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, FLAGS)
        fd = os.open(path, FLAGS | os.O_CREAT, 0o666)
        with contextlib.suppress(PermissionError):  # another user was faster
            os.fchmod(fd, 0o666)
    except OSError as error:
        words = Message("kvm.no_lock", path=str(path), reason=os_reason(error))
        raise CuaError(words) from error
    return fd


def _read_pid(fd: int) -> int:
    text = os.pread(fd, MAX_PID_DIGITS, 0)
    return int(text) if text.isdigit() else 0
