"""Writing, opening and saving texts."""

from __future__ import annotations

from ..solution import click, double, press, write
from ..task import EvalTask, all_of, has_file, has_window

SHOPPING, MEETING = "Documents/shopping.txt", "Documents/meeting.txt"


def opened(file: str) -> dict[str, object]:
    return {"open": [{"program": "Notepad", "file": file}]}


TASKS = (
    EvalTask("notepad/open", "open Notepad", has_window("Notepad"), (double("Notepad", "Icon"),)),
    EvalTask(
        "notepad/type",
        'open Notepad, type "hello world"',
        has_window("Notepad", text="hello world"),
        (double("Notepad", "Icon"), write("hello world", "Notepad")),
    ),
    EvalTask(
        "notepad/save",
        'write "buy milk" in the notepad and save it as list.txt',
        has_file("Documents/list.txt", "buy milk"),
        (
            double("Notepad", "Icon"),
            write("buy milk", "Notepad"),
            *press("CTRL+S", on="Notepad"),
            write("list.txt", "Save as"),
            click("Save", "Button"),
        ),
    ),
    EvalTask(
        "notepad/open-file",
        'press ctrl+o, type "Documents/meeting.txt" into "File name:", click "Open"',
        has_window("Notepad", file=MEETING),
        (
            *press("CTRL+O", on="Notepad"),
            *press("CTRL+A", on="Open"),
            write(MEETING, "Open"),
            click("Open", "Button"),
        ),
        {"open": [{"program": "Notepad"}]},
    ),
    EvalTask(
        "notepad/append",
        "The shopping list is open in the Notepad. Add a last line that says tea, and save it.",
        has_file(SHOPPING, "milk\nbread\ncoffee\ntea"),
        (*press("CTRL+END", on="Notepad"), write("tea", "Notepad"), *press("CTRL+S", on="Notepad")),
        opened(SHOPPING),
    ),
    EvalTask(
        "notepad/rewrite",
        "Replace the whole text in the Notepad by the word closed, and save it.",
        has_file(MEETING, "closed"),
        (
            *press("CTRL+A", on="Notepad"),
            write("closed", "Notepad"),
            *press("CTRL+S", on="Notepad"),
        ),
        opened(MEETING),
    ),
    EvalTask(
        "notepad/overwrite",
        "Write the word new into the empty Notepad and save it as Documents/notes.txt, in place of "
        "the file that is there.",
        has_file("Documents/notes.txt", "new"),
        (
            write("new", "Notepad"),
            *press("CTRL+S", on="Notepad"),
            write("Documents/notes.txt", "Save as"),
            click("Save", "Button"),
            click("Replace", "Button"),
        ),
        {"open": [{"program": "Notepad"}]},
    ),
    EvalTask(
        "notepad/menu",
        'click "File", click "Save As...", type "agenda.txt" into "File name:", click "Save"',
        has_file("Documents/agenda.txt"),
        (
            click("File", "MenuTitle"),
            click("Save As...", "Item"),
            write("agenda.txt", "Save as"),
            click("Save", "Button"),
        ),
        opened(MEETING),
    ),
    EvalTask(
        "notepad/discard",
        "Type the word oops into the Notepad, then close it without saving.",
        all_of(
            has_file(MEETING, "Agenda\n1. Budget\n2. New rack\n3. Questions"),
            lambda s: not s["windows"],
        ),
        (
            write("oops", "Notepad"),
            click("close", "Frame"),
            click("Don't save", "Button"),
        ),
        opened(MEETING),
    ),
    EvalTask(
        "notepad/copy",
        "Copy all of the text in the Notepad into a new file of the name copy.txt.",
        has_file("Documents/copy.txt", "milk\nbread\ncoffee"),
        (
            *press("CTRL+A", "CTRL+C", "CTRL+N", "CTRL+V", "CTRL+S", on="Notepad"),
            write("copy.txt", "Save as"),
            click("Save", "Button"),
        ),
        opened(SHOPPING),
    ),
    EvalTask(
        "notepad/three-lines",
        "Open the Notepad, write three lines, one, two and three, and save them as count.txt.",
        has_file("Documents/count.txt", "one\ntwo\nthree"),
        (
            double("Notepad", "Icon"),
            write("one", "Notepad"),
            *press("ENTER", on="Notepad"),
            write("two", "Notepad"),
            *press("ENTER", on="Notepad"),
            write("three", "Notepad"),
            click("File", "MenuTitle"),
            click("Save As...", "Item"),
            write("count.txt", "Save as"),
            click("Save", "Button"),
        ),
    ),
)
