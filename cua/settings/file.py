"""The file in which the settings are kept.

It is that of the KVM vendor's own assistant (same path, same keys, ours beside them), also in the
form in which it ships: a Python dict, which is no JSON. The API key is written to it and sent to
the model server, the KVM's password to the KVM; nothing else ever gets them, so beside each stands
whom it was entered for. Environment variables `CUA_<FIELD>` win over the file and are never written
back.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import itertools
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from ..messages import Message
from ..types import CuaError
from .model import SECRETS, BadSettings, Settings, validated
from .path import DEFAULT_PATH

ENV_PREFIX = "CUA_"
MAX_FILE = 256 * 1024
_FOR_NOW = ("kvm_code", "kvm_code_for")
"""What is never written to the file."""


class SettingsFile:
    """The settings in force and where they are kept; `path` None: only in memory.

    `defaults` are values for this run, which the file and the environment may override; they are
    not saved.
    """

    def __init__(
        self,
        path: Path | None = DEFAULT_PATH,
        environ: Mapping[str, str] = os.environ,
        **defaults: Any,
    ) -> None:
        self.path = self._source = path
        self.warning = ""
        """What the person should know about the file that was read."""
        self.ignored: dict[str, str] = {}
        """Fields that the file has in vain, until the person says what they are to be, and why."""
        self._vain: dict[str, Any] = {}
        """What it has there, which stays in the file that long."""
        self.defaults = defaults
        self._turn = threading.Lock()
        self._stored = self._usable(self._read(path) if path else {})
        self._environ = {
            name: environ[ENV_PREFIX + name.upper()]
            for name in Settings.model_fields
            if environ.get(ENV_PREFIX + name.upper())
        }
        self.values = self._in_force(self._stored)

    @property
    def locked(self) -> list[str]:
        """Fields that the environment sets."""
        return sorted(self._environ)

    def secrets(self) -> list[str]:
        """Values that nobody may be shown."""
        own = [getattr(self.values, name).get_secret_value() for name in SECRETS]
        return [*own, urlsplit(self.values.stream_url).password or ""]

    def detach(self, **values: Any) -> None:
        """Save nothing from now on, and use `values` until the person changes them."""
        self.path = None
        self._environ = {n: value for n, value in self._environ.items() if n not in values}
        self._stored = {**self._stored, **values}
        self.values = self._in_force(self._stored)

    def proposed(self, changes: Mapping[str, Any]) -> Settings:
        """What they would be with these changes. Raises `BadSettings`."""
        unknown = [name for name in changes if name not in Settings.model_fields]
        if unknown:
            raise BadSettings(dict.fromkeys(unknown, Message("settings.unknown")))
        locked = [name for name in changes if name in self._environ]
        if locked:
            raise BadSettings(dict.fromkeys(locked, Message("settings.locked")))
        return self._with_environ({**self._stored, **changes})

    async def save(self, changes: Mapping[str, Any]) -> None:
        """`update` without holding the loop; one that is cancelled is carried out all the same."""
        await asyncio.to_thread(self.update, changes)

    def update(self, changes: Mapping[str, Any]) -> None:
        """Check and save. Raises `CuaError` and leaves everything as it was."""
        with self._turn:
            self._update(changes)

    def _update(self, changes: Mapping[str, Any]) -> None:
        after = self.proposed(changes)
        stored = self._stored | dict(changes)
        stored |= dict.fromkeys(_forgotten(self.values, after) - changes.keys(), "")
        stored |= {f"{name}_for": OWNERS[name](after) for name in changes if name in OWNERS}
        values = self._in_force(stored)
        ignored = {name: why for name, why in self.ignored.items() if name not in changes}
        if self.path:
            vain = {name: self._vain[name] for name in ignored if name in self._vain}
            _write(self.path, {**stored, **vain})
        self._stored, self.values, self.ignored = stored, values, ignored

    def _with_environ(self, stored: Mapping[str, Any]) -> Settings:
        return validated({**self.defaults, **stored, **self._environ})

    def _in_force(self, stored: Mapping[str, Any]) -> Settings:
        """A secret of the file goes with the file's server, whatever was edited around it."""
        values = self._with_environ(stored)
        alone = validated({**self.defaults, **stored})
        others = {}
        for name, owner in OWNERS.items():
            own = stored.get(f"{name}_for", owner(alone))
            if stored.get(name) and name not in self._environ and own != owner(values):
                others[name] = own
        for name in others.keys() & _CALLED.keys():
            self.warning = self.warning or (
                f"The {_CALLED[name]} belongs to {others[name]} and is not used for "
                f"{OWNERS[name](values)}. Enter that one's."
            )
        return self._with_environ({**stored, **dict.fromkeys(others, "")})

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            with path.open("rb") as file:
                data = file.read(MAX_FILE + 1)
            if len(data) > MAX_FILE:
                raise ValueError("the file is too large")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise CuaError(f"The settings at {path} cannot be read: {error}.") from error
        stored = parse(data)
        if stored is None:
            return self._set_aside(path)
        if stored and not stored.keys() & Settings.model_fields.keys():
            self.warning = f"{path} has no setting of this program; its entries are kept unused."
        if any(map(stored.get, SECRETS)) and path.stat().st_mode & 0o077:
            self._tighten(path, "API key" if stored.get("api_key") else "KVM's password")
        if stored.get("initial_prompt") and "dialect" not in stored:
            stored["dialect"] = "kvm"  # a prompt written for the vendor's line commands
        return stored

    def _usable(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Without the values that cannot be taken: a service that does not start cannot say why."""
        try:
            validated(stored)
        except BadSettings as bad:
            return self._without(stored, bad)
        return stored

    def ignore(self, bad: BadSettings) -> None:
        """Go on without values of the file. Raises `bad` where it is not the file that has them."""
        if not bad.errors.keys() & (self._stored.keys() - self._environ.keys()):
            raise bad
        self._stored = self._without(self._stored, bad)
        self.values = self._in_force(self._stored)

    def _without(self, stored: dict[str, Any], bad: BadSettings) -> dict[str, Any]:
        self.ignored |= bad.errors
        self._vain |= {name: stored[name] for name in bad.errors if name in stored}
        names = ", ".join(f"{name} ({reason})" for name, reason in bad.errors.items())
        said = f"These settings in {self._source} are not valid and are ignored: {names}."
        self.warning = " ".join(filter(None, (self.warning, said)))
        return {name: value for name, value in stored.items() if name not in bad.errors}

    def _tighten(self, path: Path, secret: str) -> None:
        """As the vendor's assistant wrote it."""
        self.warning = (
            f"Others on this machine could read the {secret} in {path}; now they cannot. "
            "Consider replacing it."
        )
        with contextlib.suppress(OSError):
            path.chmod(0o600)

    def _set_aside(self, path: Path) -> dict[str, Any]:
        aside = next(
            place
            for number in itertools.count()
            if not (place := path.with_name(f"{path.name}.bad{number or ''}")).exists()
        )
        path.replace(aside)
        self.warning = f"The settings file could not be understood; it is kept as {aside}."
        return {}


def parse(data: bytes) -> dict[str, Any] | None:
    """The settings in a file, JSON or a Python dict of literals; None if it is neither."""
    try:
        found = _literal(data.decode("utf-8-sig"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text.strip())


def _forgotten(before: Settings, after: Settings) -> set[str]:
    """A secret is for the server that it was entered for; another one must not be handed it."""
    return {name for name, owner in OWNERS.items() if owner(before) != owner(after)}


def _model_server(values: Settings) -> str:
    scheme, host, *_ = urlsplit(values.base_url)
    return f"{scheme}://{host}" if host else values.api_type


def _kvm(values: Settings) -> str:
    return urlsplit(values.kvm).netloc.rpartition("@")[2] or "this KVM itself"


OWNERS: dict[str, Callable[[Settings], str]] = {
    "api_key": _model_server,
    "kvm_password": _kvm,
    "kvm_code": _kvm,
    "kvm_certificate": _kvm,
}
"""Whom each is for, in a person's words; in the file, `<name>_for` is whom it was entered for."""
_CALLED = {"api_key": "API key", "kvm_password": "KVM's password"}


def _write(path: Path, stored: Mapping[str, Any]) -> None:
    """Old file or new file, never half of one, and never readable by others."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(_plain(stored), file, indent=2, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
            _sync(path.parent)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CuaError(
            f"The settings could not be saved to {path}: {error.strerror}. Nothing was changed."
        ) from error


def _sync(folder: Path) -> None:
    """The new name, too, has to survive a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _plain(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in stored.items()
        if name not in _FOR_NOW
    }
