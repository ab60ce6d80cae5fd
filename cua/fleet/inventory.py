"""The inventory: a YAML file that names the computers of a fleet.

It is checked as a whole; an error lists every fault with its line. It contains no secrets: these
are in environment variables, or in files that only their owner can read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..app.factory import check_names, make_kvm_config
from ..kvms.exclusive_lock import lock_name
from ..safety.secrets import ENVIRON_PREFIX, SecretStore
from ..settings import SECRETS, BadSettings, Settings
from ..settings.fields import validate
from ..types import CuaError
from .yaml_lines import Fault, LinedYaml, read_lined
from .yaml_lines import Path as Place

MAX_SECRET_BYTES = 4096
PLACEHOLDER = re.compile(r"(?<!\{)\{([\w.-]+)\}(?!\})")
OWN_KEYS = {"kvm": "kvm", "os": "target_os", "layout": "keyboard_layout"}
"""Key of a computer -> the setting of the same meaning."""
NOT_HERE = {
    **dict.fromkeys(SECRETS, "is a secret: name its source under `secrets`"),
    **{setting: f"is the computer's `{key}`" for key, setting in OWN_KEYS.items()},
    "kvm_code": "is valid for one login only",
    "record_dir": "is chosen for each run",
    "grace_seconds": "is for a page",
}
"""Setting that `settings` rejects -> the reason."""

Text = Annotated[str, Field(coerce_numbers_to_str=True)]
"""A text, also written as a number."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SecretSource(_Model):
    """The source of a secret: an environment variable or a file, relative to the inventory."""

    env: str = ""
    file: str = ""

    @model_validator(mode="after")
    def _has_one(self) -> SecretSource:
        if bool(self.env) == bool(self.file):
            raise ValueError("give either env or file")
        return self

    def read(self, folder: Path) -> str:
        """Return the secret. Raises `ValueError` if it is missing or others can read its file."""
        if self.env:
            if not (found := os.environ.get(self.env)):
                raise ValueError(f"the environment variable {self.env} is not set")
            return found
        path = folder / self.file
        try:
            if path.stat().st_mode & 0o077:
                raise ValueError(f"others can read {path}: chmod 600 it")
            text = path.read_bytes()[:MAX_SECRET_BYTES].decode().rstrip("\r\n")
        except OSError as error:
            raise ValueError(f"{path} cannot be read: {error.strerror}") from None
        if not text:
            raise ValueError(f"{path} is empty")
        return text


class _Common(_Model):
    """The keys of both a computer and `defaults`."""

    os: str = ""
    layout: str = ""
    groups: list[Text] = []
    labels: dict[str, Text] = {}
    settings: dict[str, Any] = {}
    secrets: dict[str, SecretSource] = {}


class _Entry(_Common):
    name: Text = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")
    kvm: str = ""


class _Document(_Model):
    defaults: _Common = _Common()
    computers: list[_Entry] = Field(min_length=1)


class Computer(NamedTuple):
    """`changes`: the settings to change for it; `typed_secrets`: name -> secret for typing."""

    name: str
    groups: tuple[str, ...]
    labels: Mapping[str, str]
    changes: Mapping[str, Any]
    typed_secrets: Mapping[str, str]

    def fill(self, task: str) -> str:
        """Fill in the placeholders. Raises `CuaError` for one that the computer lacks."""
        labels = {f"labels.{name}": value for name, value in self.labels.items()}
        known_os = str(self.changes.get("target_os", "unknown"))
        values = {"name": self.name, "os": known_os, **labels}
        if unknown := [name for name in PLACEHOLDER.findall(task) if name not in values]:
            raise CuaError(f"{self.name} has no {{{unknown[0]}}}; it has {', '.join(values)}.")
        return PLACEHOLDER.sub(lambda found: values[found[1]], task)

    def environ(self) -> dict[str, str]:
        """Return the secrets for typing, as environment variables."""
        here = {key: value for key, value in os.environ.items() if key.startswith(ENVIRON_PREFIX)}
        own = {ENVIRON_PREFIX + name: value for name, value in self.typed_secrets.items()}
        return {**here, **own}


def read_inventory(path: Path) -> list[Computer]:
    """Read an inventory. Raises `CuaError` with every fault of the file."""
    try:
        lined = read_lined(path.read_text("utf-8"))
        document = _Document.model_validate(lined.value)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        raise CuaError(f"{path} cannot be read: {reason}.") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise _error(path, [Fault(mark.line + 1 if mark else 1, str(error.problem))]) from None
    except yaml.YAMLError as error:
        raise _error(path, [Fault(1, " ".join(str(error).split()))]) from None
    except ValidationError as error:
        raise _error(path, [*lined.faults, *_describe(error, lined)]) from None
    faults = [*lined.faults, *_find_twins(document, lined)]
    found = []
    for number, entry in enumerate(document.computers):
        computer, wrong = _merge(path.parent, document.defaults, entry)
        found.append(computer)
        for name, reason in wrong.items():
            line = _find_line(name, number, lined)
            faults.append(Fault(line, f"{name}: {reason}".removesuffix(".")))
    if faults := faults or list(_find_shared_kvms(found, lined)):
        raise _error(path, faults)
    return found


def _error(path: Path, faults: list[Fault]) -> CuaError:
    return CuaError("\n".join(f"{path}:{line}: {text}." for line, text in sorted(set(faults))))


def _describe(error: ValidationError, lined: LinedYaml) -> Iterator[Fault]:
    reasons = {"extra_forbidden": "unknown key", "missing": "is missing"}
    for each in error.errors():
        where: Place = each["loc"]
        text = reasons.get(each["type"], each["msg"].removeprefix("Value error, "))
        yield Fault(lined.line(where), f"{'.'.join(map(str, where)) or 'inventory'}: {text}")


def _find_twins(document: _Document, lined: LinedYaml) -> Iterator[Fault]:
    """Find computers with the same name, or with the name of a group."""
    groups = {"all", *(group for each in document.computers for group in each.groups)}
    groups.update(document.defaults.groups)
    seen: set[str] = set()
    for number, each in enumerate(document.computers):
        line = lined.line(("computers", number, "name"))
        if each.name in seen:
            yield Fault(line, f"another computer is named {each.name}")
        if each.name in groups:
            yield Fault(line, f"{each.name} is the name of a group")
        seen.add(each.name)


def _find_shared_kvms(computers: Sequence[Computer], lined: LinedYaml) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for number, each in enumerate(computers):
        kvm = lock_name(make_kvm_config(validate(each.changes)))
        if other := seen.get(kvm):
            yield Fault(lined.line(("computers", number, "kvm")), f"{other} has this KVM")
        seen[kvm] = each.name


def _merge(folder: Path, defaults: _Common, entry: _Entry) -> tuple[Computer, dict[str, str]]:
    """Return a computer with the defaults filled in, and setting or secret -> fault."""
    changes: dict[str, Any] = {"kvm": entry.kvm}
    typed: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for part in (defaults, entry):
        own = {name: getattr(part, key, "") for key, name in OWN_KEYS.items()}
        changes |= {name: value for name, value in own.items() if value} | part.settings
        wrong |= {name: NOT_HERE[name] for name in part.settings if name in NOT_HERE}
        for name, source in part.secrets.items():
            try:
                (changes if name in SECRETS else typed)[name] = _read_secret(name, source, folder)
            except ValueError as error:
                wrong[name] = str(error)
    labels = {**defaults.labels, **entry.labels}
    groups = tuple(dict.fromkeys([*defaults.groups, *entry.groups]))
    return Computer(entry.name, groups, labels, changes, typed), {**_check(changes), **wrong}


def _read_secret(name: str, source: SecretSource, folder: Path) -> str:
    """Return a secret. Raises `ValueError` with the reason."""
    value = source.read(folder)
    if name not in SECRETS:
        SecretStore({}).keep(name, value)  # checks it
    return value


def _find_line(name: str, number: int, lined: LinedYaml) -> int:
    """Return the line of a setting or a secret: at the computer, else in `defaults`."""
    own = [(key,) for key, setting in OWN_KEYS.items() if setting == name]
    parts: tuple[Place, Place] = ("computers", number), ("defaults",)
    places = [(*at, *key) for key in (("settings", name), ("secrets", name), *own) for at in parts]
    return lined.line(next((each for each in places if each in lined.lines), parts[0]))


def _check(changes: Mapping[str, Any]) -> dict[str, str]:
    """Return setting -> fault."""
    if unknown := changes.keys() - Settings.model_fields.keys():
        return dict.fromkeys(unknown, "is not a setting")
    faults: dict[str, str] = {}
    try:
        values = validate(changes)
    except BadSettings as bad:
        return bad.errors
    for name in ("dialect", "kvm", "keyboard_layout"):
        try:
            check_names({name}, values)
        except BadSettings as bad:
            faults |= bad.errors
    return faults
