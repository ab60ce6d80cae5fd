"""Commands, and waiting for what they print."""

from __future__ import annotations

from ..solution import Move, double, press, write
from ..task import EvalTask, State, has_file, lacks_file, window


def run_command(command: str) -> tuple[Move, ...]:
    return (write(command, "Terminal"), *press("ENTER", on="Terminal"))


def _answered(state: State) -> bool:
    return any("4 received" in line for line in window(state, "Terminal").get("output", ()))


OPENED = {"open": [{"program": "Terminal"}]}

TASKS = (
    EvalTask(
        "terminal/mkdir",
        "open the terminal and run mkdir Backup",
        lambda state: "Backup" in state["folders"],
        (double("Terminal", "Icon"), *run_command("mkdir Backup")),
    ),
    EvalTask(
        "terminal/echo",
        "open the terminal and run echo hello > hello.txt",
        has_file("hello.txt", "hello"),
        (double("Terminal", "Icon"), *run_command("echo hello > hello.txt")),
    ),
    EvalTask(
        "terminal/rm",
        "With the Terminal, remove the file Documents/old_draft.txt.",
        lacks_file("Documents/old_draft.txt"),
        run_command("rm Documents/old_draft.txt"),
        OPENED,
    ),
    EvalTask(
        "terminal/ping",
        "Ping the host pc.local in the Terminal and wait until all its answers are there.",
        _answered,
        run_command("ping pc.local"),
        OPENED,
    ),
    EvalTask(
        "terminal/three",
        "In the Terminal, make the folder Logs, write the word begin into Logs/a.txt with echo, "
        "and remove Documents/meeting.txt.",
        lambda state: (
            has_file("Logs/a.txt", "begin")(state) and lacks_file("Documents/meeting.txt")(state)
        ),
        (
            *run_command("mkdir Logs"),
            *run_command("echo begin > Logs/a.txt"),
            *run_command("rm Documents/meeting.txt"),
        ),
        OPENED,
    ),
)
