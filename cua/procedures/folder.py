"""The procedures of this machine: a file each, in a folder beside the settings."""

from __future__ import annotations

import re
from pathlib import Path

from ..messages import Message, system_reason
from ..types import ProcedureError
from .procedure import MAX_FILE_BYTES, NAME, Procedure, read, write

SUFFIX = ".yaml"


class ProcedureFolder:
    """Blocking. Each method raises `ProcedureError`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        return sorted(each.stem for each in self.path.glob(f"*{SUFFIX}"))

    def load(self, name: str) -> Procedure:
        if name not in self.names():
            known = self.names() or Message("procedure.none")
            raise ProcedureError(Message("procedure.unknown", name=name, names=known))
        return read_file(self._path(name))

    def check_new(self, name: str) -> None:
        """Raise `ProcedureError` if nothing can be saved under this name."""
        path = self._path(name)
        if path.exists():
            raise ProcedureError(Message("procedure.exists", path=str(path)))

    def save(self, procedure: Procedure, *, replace: bool = False) -> Path:
        """Return its file. It replaces another one only with `replace`."""
        path = self._path(procedure.name)
        if not replace:
            self.check_new(procedure.name)
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            part = path.with_suffix(".part")
            part.write_text(write(procedure), encoding="utf-8")
            part.replace(path)
        except OSError as error:
            raise ProcedureError(
                Message("procedure.unwritable", path=str(path), reason=_reason(error))
            ) from None
        return path

    def remove(self, name: str) -> None:
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise ProcedureError(
                Message("procedure.unwritable", path=name, reason=_reason(error))
            ) from None

    def _path(self, name: str) -> Path:
        if not re.fullmatch(NAME, name):
            raise ProcedureError(Message("procedure.bad_name", name=name))
        return self.path / f"{name}{SUFFIX}"


def read_file(path: Path) -> Procedure:
    """Blocking. Raises `ProcedureError`."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES).decode()
    except (OSError, ValueError) as error:
        raise ProcedureError(
            Message("procedure.unreadable", path=str(path), reason=_reason(error))
        ) from None
    return read(text)


def _reason(error: Exception) -> str:
    return system_reason(getattr(error, "strerror", None) or str(error))
