"""The actions on a file that the desktop and Files share: open, rename, delete."""

from __future__ import annotations

from .dialogs import NameDialog, ask, show_message
from .disk import base_name, file_kind, join_path, parent_folder
from .menu import Item
from .windows import Window, WindowManager

OPENS = {"Text file": "Notepad", "PDF document": "Viewer", "Picture": "Viewer"}


def open_path(desktop: WindowManager, path: str) -> None:
    """Open a file with the program for its kind, a folder with Files."""
    if path in desktop.pc.disk.folders:
        desktop.start("Files", path)
    elif file_kind(path) in OPENS:
        desktop.start(OPENS[file_kind(path)], path)
    else:
        show_message(desktop, None, "Files", f"There is no program for {base_name(path)}.", "error")


def file_menu(desktop: WindowManager, owner: Window | None, path: str) -> list[Item]:
    return [
        Item("Open", lambda: open_path(desktop, path)),
        Item("Rename", lambda: ask_rename(desktop, owner, path)),
        Item("Delete", lambda: ask_delete(desktop, owner, path)),
    ]


def ask_delete(desktop: WindowManager, owner: Window | None, path: str) -> None:
    disk = desktop.pc.disk
    title = "Delete folder?" if path in disk.folders else "Delete file?"
    text = f"{base_name(path)} will be deleted for ever."
    ask(desktop, owner, title, text, {"Delete": lambda: disk.delete(path)})


def ask_rename(desktop: WindowManager, owner: Window | None, path: str) -> None:
    def rename(name: str) -> None:
        new = join_path(parent_folder(path), name)
        if new != path and desktop.pc.disk.exists(new):
            show_message(desktop, owner, "Rename", f"{name} exists already.", "error")
        else:
            desktop.pc.disk.rename(path, new)

    words = ("Rename", "New name:", "Rename")
    desktop.open(NameDialog(desktop, words, base_name(path), rename), owner)
