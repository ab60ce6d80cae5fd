"""Faults of the disk: the record's folder and the settings."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..testbed import Testbed
from .kind import Kind


def _records(testbed: Testbed) -> Path:
    return Path(testbed.more.get("CUA_RECORD_DIR", testbed.folder / "cua_record"))


def _no_records(testbed: Testbed) -> None:
    shutil.rmtree(_records(testbed), ignore_errors=True)


def _file_for_records(testbed: Testbed) -> None:
    while not _records(testbed).is_file():
        _no_records(testbed)
        with suppress(IsADirectoryError):  # the service has made it again
            _records(testbed).write_text("not a folder")


def _records_again(testbed: Testbed) -> None:
    _records(testbed).unlink(missing_ok=True)


def _garbage(testbed: Testbed) -> None:
    (testbed.folder / "cua_cfg.json").write_bytes(b'{"api_type": \x00\xff')


def _settings_again(testbed: Testbed) -> None:
    path = testbed.folder / "cua_cfg.json"
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _folder_for_settings(testbed: Testbed) -> None:
    _settings_again(testbed)
    (testbed.folder / "cua_cfg.json").mkdir()


@contextmanager
def _small_disk(testbed: Testbed) -> Iterator[None]:
    place = testbed.folder / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    subprocess.run(mount, check=True, capture_output=True)
    testbed.more["CUA_RECORD_DIR"] = str(place / "record")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def _fill(testbed: Testbed) -> None:
    with (testbed.folder / "disk" / "other").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass


def _make_room(testbed: Testbed) -> None:
    (testbed.folder / "disk" / "other").unlink(missing_ok=True)


FILES = [
    Kind("files: the record's folder is gone", _no_records),
    Kind("files: a file in place of the record's folder", _file_for_records, _records_again, 2.0),
    Kind("files: the disk is full", _fill, _make_room, 2.0, setup=_small_disk),
    Kind("files: the settings cannot be read", _garbage, _settings_again),
    Kind("files: a folder in place of the settings", _folder_for_settings, _settings_again),
]
