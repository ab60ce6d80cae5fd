"""Windows, icons, menus and power."""

from __future__ import annotations

from ..solution import click, drag, press, right, write
from ..task import EvalTask, State, has_file, has_window, lacks_file, window

NOTEPAD = {"program": "Notepad", "rect": [300, 90, 560, 380]}
FILES = {"program": "Files", "rect": [240, 60, 800, 520]}


def _moved(state: State) -> bool:
    """Whether the Notepad is at least 150 pixels further right than it was put."""
    return bool(window(state, "Notepad").get("rect", [0])[0] >= 450)


TASKS = (
    EvalTask(
        "desktop/close",
        "Close the Notepad.",
        lambda state: not state["windows"],
        (click("close", "Frame"),),
        {"open": [NOTEPAD]},
    ),
    EvalTask(
        "desktop/maximise",
        "Maximise the window of the Notepad.",
        has_window("Notepad", maximised=True),
        (click("maximise", "Frame"),),
        {"open": [NOTEPAD]},
    ),
    EvalTask(
        "desktop/minimise",
        "Minimise the Notepad, so that the desktop can be seen.",
        has_window("Notepad", minimised=True),
        (click("minimise", "Frame"),),
        {"open": [NOTEPAD]},
    ),
    EvalTask(
        "desktop/move",
        "Drag the window of the Notepad by its title bar far to the right.",
        _moved,
        (drag("Notepad", (300, 40)),),
        {"open": [NOTEPAD]},
    ),
    EvalTask(
        "desktop/switch",
        "The Notepad is behind the Files. Bring the Notepad to the front.",
        has_window("Notepad", active=True),
        (click("Notepad", "Task"),),
        {"open": [NOTEPAD, FILES]},
    ),
    EvalTask(
        "desktop/close-both",
        "Close both windows.",
        lambda state: not state["windows"],
        (click("close", "Frame"), click("close", "Frame")),
        {"open": [NOTEPAD, FILES]},
    ),
    EvalTask(
        "desktop/start-menu",
        'click "Start", click "Terminal"',
        has_window("Terminal"),
        (click("Start", "Task"), click("Terminal", "Item")),
    ),
    EvalTask(
        "desktop/new-file",
        "Make a new text file on the desktop.",
        has_file("Desktop/New file.txt"),
        (right("", "Wallpaper"), click("New text file", "Item")),
    ),
    EvalTask(
        "desktop/rename",
        "Rename the file welcome.txt on the desktop to hello.txt.",
        lambda state: (
            has_file("Desktop/hello.txt")(state) and lacks_file("Desktop/welcome.txt")(state)
        ),
        (
            right("welcome.txt", "Icon"),
            click("Rename", "Item"),
            *press("CTRL+A", on="Rename"),
            write("hello.txt", "Rename"),
            click("Rename", "Button"),
        ),
    ),
    EvalTask(
        "desktop/shut-down",
        "shut down the computer",
        lambda state: state["phase"] in ("stopping", "off"),
        (click("Start", "Task"), click("Shut down", "Item"), click("Shut down", "Button")),
    ),
    EvalTask(
        "desktop/restart",
        "restart the computer",
        lambda state: not state.get("windows"),
        (click("Start", "Task"), click("Restart", "Item"), click("Restart", "Button")),
        {"open": [NOTEPAD], "post": 1},
    ),
)
