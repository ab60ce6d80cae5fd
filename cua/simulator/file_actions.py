"""What can be done with a file from anywhere: open it, rename it, delete it after a question."""

from __future__ import annotations

from .dialogs import AskName, MessageDialog, show_message
from .disk import base, joined, kind, parent
from .menu import Item
from .windows import Window, WindowManager

OPENS = {"Text file": "Notepad", "PDF document": "Viewer", "Picture": "Viewer"}


def open_path(desktop: WindowManager, path: str) -> None:
    """With the program for its kind; a folder opens in Files."""
    if path in desktop.pc.disk.folders:
        desktop.start("Files", path)
    elif kind(path) in OPENS:
        desktop.start(OPENS[kind(path)], path)
    else:
        show_message(desktop, None, "Files", f"There is no program for {base(path)}.", "error")


def file_menu(desktop: WindowManager, owner: Window | None, path: str) -> list[Item]:
    return [
        Item("Open", lambda: open_path(desktop, path)),
        Item("Rename", lambda: ask_rename(desktop, owner, path)),
        Item("Delete", lambda: ask_delete(desktop, owner, path)),
    ]


def ask_delete(desktop: WindowManager, owner: Window | None, path: str) -> None:
    what = "folder" if path in desktop.pc.disk.folders else "file"
    text = f"{base(path)} will be deleted for ever."
    buttons = {"Delete": lambda: desktop.pc.disk.delete(path), "Cancel": lambda: None}
    desktop.open(MessageDialog(desktop, f"Delete {what}?", text, buttons, "question"), owner)


def ask_rename(desktop: WindowManager, owner: Window | None, path: str) -> None:
    def rename(name: str) -> None:
        new = joined(parent(path), name)
        if new != path and desktop.pc.disk.exists(new):
            show_message(desktop, owner, "Rename", f"{name} exists already.", "error")
        else:
            desktop.pc.disk.rename(path, new)

    dialog = AskName(desktop, "Rename", "New name:", base(path), "Rename", rename)
    desktop.open(dialog, owner)
