"""The procedures of this machine: one file each, in a folder beside the settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

from ..messages import Message, os_reason
from ..types import ProcedureError, ProcedureNameError
from .procedure import MAX_FILE_BYTES, Procedure, read, write

NAME = r"\w[\w .-]{0,59}"
SUFFIX = ".yaml"


class ProcedureFolder:
    """The folder. All methods block, and raise `ProcedureError`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        return sorted(each.stem for each in self.path.glob(f"*{SUFFIX}"))

    def load(self, name: str) -> Procedure:
        if name not in self.names():
            known = self.names() or Message("procedure.none")
            raise ProcedureError(Message("procedure.unknown", name=name, names=known))
        return read_file(self._path(name))

    def load_all(self) -> dict[str, Procedure | ProcedureError]:
        """Return each procedure by its name, or the error of its file."""

        def try_to_load(name: str) -> Procedure | ProcedureError:
            try:
                return self.load(name)
            except ProcedureError as error:
                return error

        return {name: try_to_load(name) for name in self.names()}

    def check_new(self, name: str) -> None:
        """Raise `ProcedureError` if a new procedure cannot have this name."""
        if self._path(name).exists():
            raise ProcedureNameError(Message("procedure.exists", name=name))

    def find_free_name(self, name: str) -> str:
        """Return the name, with a number after it if there is a procedure of that name."""
        taken, numbered = self.names(), (f"{name[:57]} {number}" for number in count(2))
        return next(each for each in chain([name], numbered) if each not in taken)

    def save(self, procedure: Procedure, *, replaces: str = "") -> Path:
        """Save a procedure; return its file. `replaces`: name of the one that it replaces."""
        path = self._path(procedure.name)
        if procedure.name != replaces:
            self.check_new(procedure.name)
        with _translate_errors(path):
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            part = path.with_suffix(".part")
            part.write_text(write(procedure), encoding="utf-8")
            part.replace(path)
        if replaces not in ("", procedure.name):
            self.remove(replaces)
        return path

    def remove(self, name: str) -> None:
        path = self._path(name)
        with _translate_errors(path):
            path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        if not re.fullmatch(NAME, name):
            raise ProcedureNameError(Message("procedure.bad_name", name=name))
        return self.path / f"{name}{SUFFIX}"


def read_file(path: Path) -> Procedure:
    """Read a procedure; blocks. Raises `ProcedureError`."""
    with _translate_errors(path), path.open("rb") as file:
        return read(file.read(MAX_FILE_BYTES).decode())


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    """Raise errors of the file as `ProcedureError`."""
    try:
        yield
    except (OSError, UnicodeError) as error:
        words = Message("procedure.unusable", path=str(path), reason=os_reason(error))
        raise ProcedureError(words) from None
