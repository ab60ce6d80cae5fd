"""The settings file.

It is the file of the KVM vendor's own assistant (same path and keys, with ours added), which ships
as a Python dict. A secret is sent only to the server that it was entered for, which is stored with
it as `<name>_for`. Environment variables `CUA_<FIELD>` override the file and are never saved.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import itertools
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..messages import Message, os_reason, sentences
from ..types import CuaError
from .fields import SECRETS, BadSettings, Settings, validate

ENV_PREFIX = "CUA_"
_NEVER_SAVED = ("kvm_code", "kvm_code_for")
DEFAULT_PATH = Path("/etc/kvm/cua_cfg.json")


def find_path(named: str | None) -> Path:
    """Return the path of the file: in the home folder, unless on a KVM or as root.

    `named`: the path on the command line. Raises `CuaError` for a user without a home folder.
    """
    if named := named or os.environ.get("CUA_CONFIG"):
        return Path(named)
    if DEFAULT_PATH.parent.exists() or os.access(DEFAULT_PATH.parent.parent, os.W_OK):
        return DEFAULT_PATH
    try:
        return Path.home() / ".config" / "kvm-cua" / "settings.json"
    except RuntimeError:
        raise CuaError(Message("settings.no_home")) from None


class SettingsFile:
    """The settings in use and their file; `path` None: nothing is saved.

    `defaults` are values for this run, which the file and the environment override; not saved.
    """

    def __init__(
        self,
        path: Path | None,
        environ: Mapping[str, str] = os.environ,
        **defaults: Any,
    ) -> None:
        self.path = self._source = path
        self.warning = ""
        """A fault of the file, for the user; "": none."""
        self.ignored: dict[str, str] = {}
        """Fields with an invalid value in the file, with the reason, until they are changed."""
        self._ignored_values: dict[str, Any] = {}
        """Values of these fields, which stay in the file."""
        self.defaults = defaults
        self._temporary: Mapping[str, Any] = {}
        self._saving = threading.Lock()
        self._stored = self._drop_invalid(self._read(path) if path else {})
        self._environ = _read_environ(environ)
        self.values = self._resolve(self._stored)
        self.warning = self.warning or next(iter(self.withheld.values()), "")

    @property
    def locked(self) -> list[str]:
        """The fields that environment variables set."""
        return sorted(self._environ)

    def secrets(self) -> list[str]:
        """The values that are never shown."""
        own = [getattr(self.values, name).get_secret_value() for name in SECRETS]
        return [*own, urlsplit(self.values.stream_url).password or ""]

    @property
    def secret_servers(self) -> dict[str, str]:
        """The server that each saved secret was entered for."""
        # The file has a plain text; the equal `Message` can be translated.
        return {
            name: THIS_KVM if own == THIS_KVM else own
            for name, own in self._find_owners(self._stored).items()
            if self._stored.get(name)
        }

    @property
    def withheld(self) -> dict[str, str]:
        """Why saved secrets are not in use: they were entered for another server."""
        unused = {"api_key"} if self.values.api_type == "local" else set()
        return {
            name: Message(
                "settings.other_server",
                secret=_LABELS[name],
                owner=own,
                server=OWNERS[name](self.values),
            )
            for name, own in self.secret_servers.items()
            if name in _LABELS.keys() - self._environ.keys() - unused
            and own != OWNERS[name](self.values)
        }

    def detach(self, **values: Any) -> None:
        """Save nothing from now on, and use `values` until the person changes them."""
        self.path = None
        self._environ = {n: value for n, value in self._environ.items() if n not in values}
        self._stored = {**self._stored, **values}
        self.values = self._resolve(self._stored)

    def lend(self, **values: Any) -> None:
        """Use these values as defaults until the next call; they are not saved."""
        self._temporary = values
        self.values = self._resolve(self._stored)

    def propose(self, changes: Mapping[str, Any]) -> Settings:
        """Return the changed settings without secrets of other servers. Raises `BadSettings`."""
        unknown = [name for name in changes if name not in Settings.model_fields]
        if unknown:
            raise BadSettings(dict.fromkeys(unknown, Message("settings.unknown")))
        locked = [name for name in changes if name in self._environ]
        if locked:
            raise BadSettings(dict.fromkeys(locked, Message("settings.locked")))
        return self._resolve(self._merge(changes))

    async def save(self, changes: Mapping[str, Any]) -> None:
        """Call `update` in a thread; a cancellation does not interrupt it."""
        await asyncio.to_thread(self.update, changes)

    def update(self, changes: Mapping[str, Any]) -> None:
        """Check all values, and save those that change something: a form sends others too.

        Raises `CuaError` and changes nothing.
        """
        with self._saving:
            changed = self._find_changed(changes, self.propose(changes))
            stored = self._merge(changed)
            values = self._resolve(stored)
            ignored = {name: why for name, why in self.ignored.items() if name not in changes}
            if self.path:
                kept = {n: value for n, value in self._ignored_values.items() if n in ignored}
                _write(self.path, {**stored, **kept})
            self._stored, self.values, self.ignored = stored, values, ignored

    def _find_changed(self, changes: Mapping[str, Any], after: Settings) -> dict[str, Any]:
        """Return those that differ from before, or whose default the others would change."""
        different = {
            name: value
            for name, value in changes.items()
            if name in self._stored or getattr(after, name) != getattr(self.values, name)
        }
        alone = self._with_environ({**self._stored, **different})
        return {
            name: value
            for name, value in changes.items()
            if name in different or getattr(after, name) != getattr(alone, name)
        }

    def _with_environ(self, stored: Mapping[str, Any]) -> Settings:
        return validate({**self.defaults, **self._temporary, **stored, **self._environ})

    def _merge(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is stored after changes, each secret with the server that it is for."""
        stored = {**self._stored, **changes}
        after, owners = self._with_environ(stored), self._find_owners(self._stored)
        owners |= {name: OWNERS[name](after) for name in OWNERS.keys() & changes.keys()}
        return stored | {f"{name}_for": own for name, own in owners.items() if stored.get(name)}

    def _find_owners(self, stored: Mapping[str, Any]) -> dict[str, str]:
        """Return the server of each secret: as stored, else that of the values beside it."""
        default, own = validate(self.defaults), validate({**self.defaults, **stored})
        return {
            name: stored.get(f"{name}_for") or owner(own if stored.get(name) else default)
            for name, owner in OWNERS.items()
        }

    def _resolve(self, stored: Mapping[str, Any]) -> Settings:
        """Add defaults and environment; drop secrets that were entered for another server."""
        values = self._with_environ(stored)
        others = [
            name
            for name, own in self._find_owners(stored).items()
            if name not in self._environ and own != OWNERS[name](values)
        ]
        return self._with_environ({**stored, **dict.fromkeys(others, "")})

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            stored = parse(path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            words = Message("settings.unreadable", path=str(path), reason=os_reason(error))
            raise CuaError(words) from error
        if stored is None:
            return self._move_aside(path)
        if stored and not stored.keys() & Settings.model_fields.keys():
            self.warning = Message("settings.unrelated_file", path=str(path))
        if any(map(stored.get, SECRETS)) and path.stat().st_mode & 0o077:
            self._restrict_mode(path, next(_LABELS[name] for name in SECRETS if stored.get(name)))
        if stored.get("initial_prompt") and "dialect" not in stored:
            stored["dialect"] = "kvm"  # a prompt written for the vendor's line commands
        return stored

    def _drop_invalid(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Ignore invalid values: the service must start to show which ones they are."""
        try:
            validate(stored)
        except BadSettings as bad:
            return self._drop_fields(stored, bad)
        return stored

    def ignore(self, bad: BadSettings) -> None:
        """Ignore these values of the file. Raises `bad` if they are not from the file."""
        if not bad.errors.keys() & (self._stored.keys() - self._environ.keys()):
            raise bad
        self._stored = self._drop_fields(self._stored, bad)
        self.values = self._resolve(self._stored)

    def _drop_fields(self, stored: dict[str, Any], bad: BadSettings) -> dict[str, Any]:
        self.ignored |= bad.errors
        self._ignored_values |= {name: stored[name] for name in bad.errors if name in stored}
        faults = [
            Message("settings.fault", name=name, reason=reason)
            for name, reason in bad.errors.items()
        ]
        ignored = Message("settings.ignored", path=str(self._source), faults=faults)
        self.warning = sentences(self.warning, ignored)
        return {name: value for name, value in stored.items() if name not in bad.errors}

    def _restrict_mode(self, path: Path, secret: str) -> None:
        """Make the file private: the vendor's assistant lets every user read it."""
        self.warning = Message("settings.was_readable", secret=secret, path=str(path))
        with contextlib.suppress(OSError):
            path.chmod(0o600)

    def _move_aside(self, path: Path) -> dict[str, Any]:
        aside = next(
            place
            for number in itertools.count()
            if not (place := path.with_name(f"{path.name}.bad{number or ''}")).exists()
        )
        path.replace(aside)
        self.warning = Message("settings.set_aside", path=str(aside))
        return {}


class ReadOnlySettingsFile(SettingsFile):
    """The settings file of commands that must not change it: they only report its faults."""

    def _restrict_mode(self, path: Path, secret: str) -> None:
        self.warning = Message("settings.is_readable", secret=secret, path=str(path))

    def _move_aside(self, path: Path) -> dict[str, Any]:
        self.warning = Message("settings.not_parsed", path=str(path))
        return {}


def read_settings(path: Path) -> Settings:
    """Return the settings in use; print a warning about the file to stderr."""
    file = ReadOnlySettingsFile(path)
    if file.warning:
        sys.stderr.write(f"{file.warning}\n")
    return file.values


def _read_environ(environ: Mapping[str, str]) -> dict[str, str]:
    values = {name: environ.get(ENV_PREFIX + name.upper(), "") for name in Settings.model_fields}
    return {name: value for name, value in values.items() if value}


def parse(data: bytes) -> dict[str, Any] | None:
    """Parse JSON or a Python dict of literals; None if it is neither."""
    try:
        parsed = _parse_literal(data.decode("utf-8-sig"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _parse_literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text.strip())


def _model_server(values: Settings) -> str:
    scheme, host, *_ = urlsplit(values.base_url)
    return f"{scheme}://{host}" if host else values.api_type


def _kvm(values: Settings) -> str:
    return urlsplit(values.kvm).netloc.rpartition("@")[2] or THIS_KVM


THIS_KVM = Message("settings.this_kvm")
OWNERS: dict[str, Callable[[Settings], str]] = {
    "api_key": _model_server,
    "kvm_password": _kvm,
    "kvm_code": _kvm,
    "kvm_certificate": _kvm,
}
"""The server of each secret and certificate."""
_LABELS = {
    "api_key": Message("settings.api_key"),
    "kvm_password": Message("settings.kvm_password"),
    "notify_url": Message("settings.notify_url"),
}


def _write(path: Path, stored: Mapping[str, Any]) -> None:
    """Replace the file atomically, readable by its owner only."""
    saved = {name: value for name, value in stored.items() if name not in _NEVER_SAVED}
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(saved, file, indent=2, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
            _sync_folder(path.parent)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        words = Message("settings.not_written", path=str(path), reason=os_reason(error))
        raise CuaError(words) from error


def _sync_folder(folder: Path) -> None:
    """Write a folder to disk, so that its new file survives a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
