"""The parts of the command `procedure`, and of `run --procedure`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from ..app.factory import find_procedure_folder, find_record_folder
from ..events.archive import Archive, list_data
from ..messages import Message
from ..procedures.folder import SUFFIX, ProcedureFolder, read_file
from ..procedures.procedure import Procedure, parse_values, unroll, write
from ..screen.ocr.client import OcrClient
from ..settings import SettingsFile, find_path
from ..types import CuaError
from .command_context import require_extra
from .output import run_job, say

PICTURE = re.compile(r"(iVBORw0KGgo)[\w+/=]+")
"""A PNG as Base64, which would fill a terminal."""


def manage(options: argparse.Namespace) -> int:
    folder = find_folder(options)
    if options.what == "list":
        procedures = folder.load_all()
        for name, found in procedures.items():
            say(name if isinstance(found, Procedure) else f"{name}: {found}")
        if not procedures:
            sys.stderr.write("There are no procedures yet.\n")
    elif options.what == "show":
        text = write(_load(options))
        sys.stdout.write(PICTURE.sub("\\1…", text) if sys.stdout.isatty() else text)
    else:
        require_extra("local")
        file = SettingsFile(find_path(options.config))
        return save(options, Archive(find_record_folder(file)))
    return 0


def save(options: argparse.Namespace, archive: Archive) -> int:
    """Save the procedure of a task of the archive: of the named one, else of the last."""
    id = options.task or next((each.id for each in archive.tasks()), "")
    found = run_job(_make_procedure(options, archive, id))
    say(f"Saved: {find_folder(options).save(found)} (steps: {len(found.steps)})")
    if list_data(archive.events(id), "by_hand"):
        say("What you did by hand is not included.")
    return 0


def check_recording(options: argparse.Namespace) -> None:
    """Raise `CuaError` if the task could not be saved, before it begins."""
    find_folder(options).check_new(options.procedure)
    require_extra("local")


def load(options: argparse.Namespace) -> tuple[Procedure, Mapping[str, str]] | None:
    """Return the procedure to run and the values of its parameters; None if a task is given.

    Raises `CuaError`.
    """
    if (options.task is None) != bool(options.procedure) or (options.task and options.values):
        raise CuaError("Give a task, or a procedure with its values: run --procedure NAME.")
    if not options.procedure:
        if not options.task.strip():
            raise CuaError(Message("session.write_task"))
        return None
    require_extra("local")
    found, values = _load(options), parse_values(options.values)
    unroll(found, values)
    return found, values


async def _make_procedure(options: argparse.Namespace, archive: Archive, id: str) -> Procedure:
    from ..procedures.from_record import make_procedure

    name, values, ocr = options.procedure, parse_values(options.values), OcrClient()
    try:
        return await make_procedure(name, archive, id, values, ocr.read)
    finally:
        await ocr.aclose()


def _load(options: argparse.Namespace) -> Procedure:
    """Return the procedure of this name, or of a file anywhere."""
    name: str = options.procedure
    return read_file(Path(name)) if name.endswith(SUFFIX) else find_folder(options).load(name)


def find_folder(options: argparse.Namespace) -> ProcedureFolder:
    """Return the folder beside the settings, also in a demo."""
    return ProcedureFolder(find_procedure_folder(find_path(options.config), Path()))
