"""Folders and files: to open, make, rename and delete them."""

from __future__ import annotations

from ..solution import Move, click, double, press, right, scroll, write
from ..task import Checker, EvalTask, all_of, has_file, has_window, lacks_file

DRAFT = "Documents/old_draft.txt"
TO_DOCUMENTS: tuple[Move, ...] = (double("Files", "Icon"), double("Documents", "Row"))
IN_DOCUMENTS = {"open": [{"program": "Files", "file": "Documents"}]}

KEPT = ("old_draft.txt", "shopping.txt")


def deleted(*names: str) -> tuple[Move, ...]:
    """One after the other; those below move up."""
    return tuple(
        move
        for name in names
        for move in (
            click(name, "Row"),
            *press("DELETE", on="Files"),
            click("Delete", "Button"),
        )
    )


def only(*names: str) -> Checker:
    """Whether these are all that is left in Documents."""
    wanted = {f"Documents/{name}" for name in names}
    return lambda state: {p for p in state["files"] if p.startswith("Documents/")} == wanted


TASKS = (
    EvalTask(
        "files/folder",
        'open Files, click "Reports"',
        has_window("Files", folder="Reports"),
        (double("Files", "Icon"), click("Reports", "Row")),
    ),
    EvalTask(
        "files/new-folder",
        "Make a folder of the name Backup in the folder Documents.",
        lambda state: "Documents/Backup" in state["folders"],
        (click("New folder", "Button"), write("Backup", "New folder"), click("Create", "Button")),
        IN_DOCUMENTS,
    ),
    EvalTask(
        "files/rename",
        "Rename the file old_draft.txt in Documents to final.txt.",
        all_of(has_file("Documents/final.txt"), lacks_file(DRAFT)),
        (
            click("old_draft.txt", "Row"),
            *press("F2", on="Files"),
            *press("CTRL+A", on="Rename"),
            write("final.txt", "Rename"),
            click("Rename", "Button"),
        ),
        IN_DOCUMENTS,
    ),
    EvalTask(
        "files/delete",
        "delete the file old_draft.txt in Documents",
        lacks_file(DRAFT),
        (
            *TO_DOCUMENTS,
            right("old_draft.txt", "Row"),
            click("Delete", "Item"),
            click("Delete", "Button"),
        ),
    ),
    EvalTask(
        "files/open-text",
        'open Files, open "Documents", open "notes.txt"',
        has_window("Notepad", file="Documents/notes.txt"),
        (*TO_DOCUMENTS, double("notes.txt", "Row")),
    ),
    EvalTask(
        "files/scroll",
        "Open the report of November 2024, report_2024_11.txt, which is in the folder Reports.",
        has_window("Notepad", file="Reports/report_2024_11.txt"),
        (scroll("report_2023_03.txt", "Row"), scroll("Files"), double("report_2024_11.txt", "Row")),
        {"open": [{"program": "Files", "file": "Reports"}]},
    ),
    EvalTask(
        "files/picture",
        'open Files, click "Pictures", open "rack.jpg"',
        has_window("Viewer", file="Pictures/rack.jpg"),
        (double("Files", "Icon"), click("Pictures", "Row"), double("rack.jpg", "Row")),
    ),
    EvalTask(
        "files/two-gone",
        "Delete the files old_draft.txt and shopping.txt in Documents, and nothing else.",
        all_of(
            lacks_file(DRAFT), lacks_file("Documents/shopping.txt"), has_file("Documents/notes.txt")
        ),
        deleted("old_draft.txt", "shopping.txt"),
        IN_DOCUMENTS,
    ),
    EvalTask(
        "files/first-two",
        "Delete the files meeting.txt and notes.txt in Documents, and nothing else.",
        only(*KEPT),
        deleted("meeting.txt", "notes.txt"),
        IN_DOCUMENTS,
    ),
    EvalTask(
        "files/first-and-third",
        "Delete the files meeting.txt and old_draft.txt in Documents, and nothing else.",
        only("notes.txt", *KEPT[1:]),
        deleted("meeting.txt", "old_draft.txt"),
        IN_DOCUMENTS,
    ),
    EvalTask(
        "files/tidy",
        "Make a folder of the name Old in Documents, and rename notes.txt there to today.txt.",
        all_of(has_file("Documents/today.txt"), lambda state: "Documents/Old" in state["folders"]),
        (
            *TO_DOCUMENTS,
            click("New folder", "Button"),
            write("Old", "New folder"),
            click("Create", "Button"),
            right("notes.txt", "Row"),
            click("Rename", "Item"),
            *press("CTRL+A", on="Rename"),
            write("today.txt", "Rename"),
            click("Rename", "Button"),
        ),
    ),
)
