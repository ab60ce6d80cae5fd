"""What there is to do on the real desktop.

Its programs are Debian's, so the checkers look at files, at windows as X knows them, and at what
the web page says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..solution import Move, click, double, drag, press, write
from ..task import Checker, EvalTask, State, all_of, has_file, lacks_file, window

TERMINAL = {"program": "Terminal", "rect": [300, 60, 800, 480]}
FORM = {"program": "Browser", "page": "/form.html", "rect": [100, 30, 1000, 660]}
NEWS = {**FORM, "page": "/news.html"}
EDITOR = {"program": "Editor", "file": "notes.txt"}
NOTES = {"notes.txt": "one\ntwo\n"}


def page_reports(**wanted: object) -> Checker:
    """What the web page says was done to it."""
    return lambda state: _fits(state["page"].get("told", {}), wanted)


def ordered(**wanted: object) -> Checker:
    """What the order form was sent with."""
    return lambda state: _fits(state["page"].get("told", {}).get("order", {}), wanted)


def _fits(found: Mapping[str, Any], wanted: Mapping[str, object]) -> bool:
    return all(found.get(name) == value for name, value in wanted.items())


def on_page(name: str) -> Checker:
    return lambda state: str(state["page"].get("page", "")).startswith(name)


def opened(*programs: dict[str, Any], **files: str) -> dict[str, Any]:
    return {"open": list(programs), "files": {**files}}


def run_command(command: str) -> tuple[Move, ...]:
    return (write(command, "Terminal"), *press("ENTER", on="Terminal"))


def _moved(state: State) -> bool:
    return bool(window(state, "Terminal").get("rect", [0])[0] >= 400)


TASKS = (
    EvalTask(
        "terminal/file",
        'In the Terminal, type "echo hello > hello.txt", press enter',
        has_file("hello.txt", "hello"),
        run_command("echo hello > hello.txt"),
        opened(TERMINAL),
    ),
    EvalTask(
        "terminal/folder",
        "In the Terminal, make the folder backup and copy notes.txt into it.",
        has_file("backup/notes.txt"),
        (*run_command("mkdir backup"), *run_command("cp notes.txt backup")),
        {"open": [TERMINAL], "files": NOTES},
    ),
    EvalTask(
        "terminal/rename",
        "In the Terminal, rename notes.txt to old.txt.",
        all_of(has_file("old.txt"), lacks_file("notes.txt")),
        run_command("mv notes.txt old.txt"),
        {"open": [TERMINAL], "files": NOTES},
    ),
    EvalTask(
        "terminal/close",
        "Leave the shell in the Terminal by the command exit.",
        lambda state: not window(state, "Terminal"),
        run_command("exit"),
        opened(TERMINAL),
    ),
    EvalTask(
        "editor/append",
        "Add a last line that says three to the text in the editor, and save it.",
        has_file("notes.txt", "one\ntwo\nthree"),
        (
            *press("CTRL+END", on="Editor"),
            write("three", "Editor"),
            *press("CTRL+S", on="Editor"),
        ),
        {"open": [EDITOR], "files": NOTES},
    ),
    EvalTask(
        "editor/replace",
        "Replace the whole text in the editor by the word closed, and save it.",
        has_file("notes.txt", "closed"),
        (*press("CTRL+A", on="Editor"), write("closed", "Editor"), *press("CTRL+S", on="Editor")),
        {"open": [EDITOR], "files": NOTES},
    ),
    EvalTask(
        "editor/close",
        "Close the editor.",
        lambda state: not window(state, "Editor"),
        press("CTRL+Q", on="Editor"),
        {"open": [EDITOR], "files": NOTES},
    ),
    EvalTask(
        "browser/button",
        'click "Send"',
        page_reports(sent=1),
        (click("Send", "button"),),
        opened(FORM),
    ),
    EvalTask(
        "browser/form",
        'type "Ada" into "Name", type "London" into "City", click "Send"',
        ordered(name="Ada", city="London"),
        (
            click("Name", "input"),
            write("Ada", "Browser"),
            click("City", "input"),
            write("London", "Browser"),
            click("Send", "button"),
        ),
        opened(FORM),
    ),
    EvalTask(
        "browser/gift",
        "Tick that the order is a gift, then send it.",
        ordered(gift=True),
        (click("Gift", "input"), click("Send", "button")),
        opened(FORM),
    ),
    EvalTask(
        "browser/size",
        "Choose the size Large in the form and send it.",
        ordered(size="Large"),
        (
            click("Size", "select"),
            *press("DOWN", "DOWN", "ENTER", on="Browser"),
            click("Send", "button"),
        ),
        opened(FORM),
    ),
    EvalTask(
        "browser/link",
        'click "News"',
        on_page("/news.html"),
        (click("News", "a"),),
        opened(FORM),
    ),
    EvalTask(
        "browser/far-down",
        'scroll until "Mark as read", click "Mark as read"',
        page_reports(read=1),
        (*press("END", on="Browser"), click("Mark as read", "button")),
        opened(NEWS),
    ),
    EvalTask(
        "browser/mistake",
        "The form has the wrong name. Put Grace in its place, and send it.",
        ordered(name="Grace"),
        (
            double("Name", "input"),
            *press("CTRL+A", on="Browser"),
            write("Grace", "Browser"),
            click("Send", "button"),
        ),
        opened({**FORM, "page": "/form.html?name=Bob"}),
    ),
    EvalTask(
        "settings/fill",
        "In the dialog Settings, enter the server 10.0.0.1 and the port 8080, and confirm.",
        has_file("settings.txt", "10.0.0.1|8080"),
        (
            write("10.0.0.1", "Settings"),
            *press("TAB", on="Settings"),
            write("8080", "Settings"),
            *press("TAB", "TAB", "ENTER", on="Settings"),
        ),
        opened({"program": "Settings"}),
    ),
    EvalTask(
        "files/folder",
        "Open the folder papers in the file manager.",
        lambda state: "papers" in window(state, "Files").get("title", ""),
        press("HOME", "ENTER", on="Files"),
        {"open": [{"program": "Files"}], "files": {"papers/a.txt": "a"}},
    ),
    EvalTask(
        "windows/front",
        "The Terminal is behind the browser. Bring the Terminal to the front.",
        lambda state: bool(window(state, "Terminal").get("active")),
        (*press("ALT+TAB"),),
        opened({**TERMINAL, "rect": [20, 20, 700, 400]}, {**FORM, "rect": [300, 60, 900, 640]}),
    ),
    EvalTask(
        "windows/move",
        "Drag the window of the Terminal by its title bar to the right.",
        _moved,
        (drag("Terminal", (350, 30)),),
        opened({**TERMINAL, "rect": [100, 100, 700, 400]}),
    ),
    EvalTask(
        "windows/two",
        "Type the text of the order into the Terminal: echo sent > order.txt. Then send the form.",
        all_of(has_file("order.txt", "sent"), page_reports(sent=1)),
        (
            *run_command("echo sent > order.txt"),
            click("Send", "button"),
        ),
        opened({**FORM, "rect": [0, 0, 700, 700]}, {**TERMINAL, "rect": [720, 40, 540, 400]}),
    ),
)
