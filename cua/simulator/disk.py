"""The files of the simulated computer: text by path, folders by name."""

from __future__ import annotations

from dataclasses import dataclass, field

KINDS = {"txt": "Text file", "pdf": "PDF document", "jpg": "Picture", "md": "Text file"}
ICONS = {"Text file": "text", "PDF document": "pdf", "Picture": "picture"}


def base_name(path: str) -> str:
    return path.rpartition("/")[2]


def parent_folder(path: str) -> str:
    return path.rpartition("/")[0]


def join_path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def file_kind(path: str) -> str:
    return KINDS.get(path.rpartition(".")[2].lower(), "File")


def file_icon(path: str) -> str:
    return ICONS.get(file_kind(path), "text")


def _is_in(path: str, folder: str) -> bool:
    """Return whether `path` is this folder or file, or in the folder."""
    return path == folder or path.startswith(folder + "/")


def _replace_folder(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if _is_in(path, old) else path


@dataclass
class Disk:
    """Files and folders by path relative to the home folder, "Documents/notes.txt"; home is ""."""

    files: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    def write(self, path: str, text: str) -> None:
        self.files[path] = text
        while path := parent_folder(path):
            self.folders.add(path)

    def list_folder(self, folder: str) -> tuple[list[str], list[str]]:
        """Return the paths of the folders and of the files in a folder, each sorted by name."""
        folders = sorted(path for path in self.folders if parent_folder(path) == folder)
        files = sorted(path for path in self.files if parent_folder(path) == folder)
        return folders, files

    def exists(self, path: str) -> bool:
        return path in self.files or path in self.folders or path == ""

    def delete(self, path: str) -> None:
        self.files = {p: text for p, text in self.files.items() if not _is_in(p, path)}
        self.folders = {p for p in self.folders if not _is_in(p, path)}

    def rename(self, path: str, new: str) -> None:
        self.files = {_replace_folder(p, path, new): text for p, text in self.files.items()}
        self.folders = {_replace_folder(p, path, new) for p in self.folders}

    def find_free_path(self, path: str) -> str:
        """Return the path, or a similar one that does not exist yet."""
        stem, dot, ending = path.rpartition(".")
        stem, tail = (stem, dot + ending) if dot else (ending, "")
        number, new = 2, path
        while self.exists(new):
            new, number = f"{stem} ({number}){tail}", number + 1
        return new


REPORTS = [f"report_{year}_{month:02}.txt" for year in (2023, 2024) for month in range(1, 13)]


def make_disk() -> Disk:
    disk = Disk(folders={"Desktop", "Documents", "Downloads", "Pictures", "Reports"})
    for name in REPORTS:
        disk.write(f"Reports/{name}", f"Monthly report {name[7:14]}\nAll systems normal.\n")
    disk.write("Documents/notes.txt", "Call the server room at 9.\nOrder two fans.\n")
    disk.write("Documents/shopping.txt", "milk\nbread\ncoffee\n")
    disk.write("Documents/old_draft.txt", "This draft is not needed any more.\n")
    disk.write("Documents/meeting.txt", "Agenda\n1. Budget\n2. New rack\n3. Questions\n")
    disk.write("Desktop/welcome.txt", "Welcome to your simulated computer.\n")
    disk.write("Pictures/lake.jpg", "picture")
    disk.write("Pictures/rack.jpg", "picture")
    return disk
