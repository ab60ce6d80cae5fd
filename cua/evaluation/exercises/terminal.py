"""Commands, and waiting for what they print."""

from __future__ import annotations

from ..exercise import Exercise, State, has, lacks, window
from ..moves import Move, double, press, write


def entered(command: str) -> tuple[Move, ...]:
    return (write(command, "Terminal"), *press("ENTER", on="Terminal"))


def _answered(state: State) -> bool:
    return any("4 received" in line for line in window(state, "Terminal").get("output", ()))


OPENED = {"open": [{"program": "Terminal"}]}

EXERCISES = (
    Exercise(
        "terminal/mkdir",
        "open the terminal and run mkdir Backup",
        lambda state: "Backup" in state["folders"],
        (double("Terminal", "Icon"), *entered("mkdir Backup")),
    ),
    Exercise(
        "terminal/echo",
        "open the terminal and run echo hello > hello.txt",
        has("hello.txt", "hello"),
        (double("Terminal", "Icon"), *entered("echo hello > hello.txt")),
    ),
    Exercise(
        "terminal/rm",
        "With the Terminal, remove the file Documents/old_draft.txt.",
        lacks("Documents/old_draft.txt"),
        entered("rm Documents/old_draft.txt"),
        OPENED,
    ),
    Exercise(
        "terminal/ping",
        "Ping the host pc.local in the Terminal and wait until all its answers are there.",
        _answered,
        entered("ping pc.local"),
        OPENED,
    ),
    Exercise(
        "terminal/three",
        "In the Terminal, make the folder Logs, write the word begin into Logs/a.txt with echo, "
        "and remove Documents/meeting.txt.",
        lambda state: has("Logs/a.txt", "begin")(state) and lacks("Documents/meeting.txt")(state),
        (
            *entered("mkdir Logs"),
            *entered("echo begin > Logs/a.txt"),
            *entered("rm Documents/meeting.txt"),
        ),
        OPENED,
    ),
)
