"""The procedures of this machine: a file each, in a folder beside the settings."""

from __future__ import annotations

import re
from pathlib import Path

from ..messages import Message, system_reason
from ..types import CuaError
from .procedure import MAX_FILE_BYTES, NAME, Procedure, read, write

SUFFIX = ".yaml"


class ProcedureFolder:
    """Blocking. Each method raises `CuaError`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        return sorted(each.stem for each in self.path.glob(f"*{SUFFIX}"))

    def load(self, name: str) -> Procedure:
        """`name`: of a procedure, or the path of a file anywhere."""
        path = Path(name) if name.endswith(SUFFIX) else self._path(name)
        try:
            with path.open("rb") as file:
                text = file.read(MAX_FILE_BYTES).decode()
        except FileNotFoundError:
            known = self.names() or Message("procedure.none")
            raise CuaError(Message("procedure.unknown", name=name, names=known)) from None
        except (OSError, ValueError) as error:
            raise CuaError(
                Message("procedure.unreadable", path=str(path), reason=_reason(error))
            ) from None
        return read(text)

    def save(self, procedure: Procedure) -> Path:
        """Never replaces another one."""
        path = self._path(procedure.name)
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            with path.open("x", encoding="utf-8") as file:
                file.write(write(procedure))
        except FileExistsError:
            raise CuaError(Message("procedure.exists", path=str(path))) from None
        except OSError as error:
            raise CuaError(
                Message("procedure.unwritable", path=str(path), reason=_reason(error))
            ) from None
        return path

    def _path(self, name: str) -> Path:
        if not re.fullmatch(NAME, name):
            raise CuaError(Message("procedure.bad_name", name=name))
        return self.path / f"{name}{SUFFIX}"


def _reason(error: Exception) -> str:
    return system_reason(getattr(error, "strerror", None) or str(error))
