"""What is read at the start and needed at the end, when nothing on the screen tells it any more.

The steps between are many, so that a model whose server takes few of them has to note it.
"""

from __future__ import annotations

from ..solution import Move, click, double, press, write
from ..task import EvalTask, all_of, has_file, window
from .network import dns
from .terminal import run_command

NOTE = "Documents/order.txt"
ORDER, CODE, SERVER = "order 73146", "door code 5802", "server 10.20.30.53"


def noted(line: str) -> dict[str, object]:
    """The Notepad shows it, and leaves room for the icons."""
    shown = {"program": "Notepad", "file": NOTE, "rect": [520, 60, 640, 360]}
    return {"files": {NOTE: f"{line}\n"}, "open": [shown]}


CLOSED = press("ALT+F4", on="Notepad")
MADE: tuple[Move, ...] = (
    double("Files", "Icon"),
    double("Documents", "Row"),
    click("New folder", "Button"),
    write("Orders", "New folder"),
    click("Create", "Button"),
    *press("ALT+F4", on="Files"),
    double("Terminal", "Icon"),
)
BETWEEN = "Then make a folder of the name Orders in Documents with Files, and close Files."

TASKS = (
    EvalTask(
        "memory/order",
        f"The Notepad shows the number of an order. Close the Notepad. {BETWEEN} At last run echo "
        "with that number, and > order_number.txt, in the Terminal.",
        all_of(
            has_file("order_number.txt", "73146"),
            lambda state: "Documents/Orders" in state["folders"],
        ),
        (*CLOSED, *MADE, *run_command("echo 73146 > order_number.txt")),
        noted(ORDER),
        facts=("73146",),
    ),
    EvalTask(
        "memory/code",
        f"The Notepad shows a door code. Close the Notepad. {BETWEEN} At last run mkdir with that "
        "code in the Terminal.",
        all_of(
            lambda state: "5802" in state["folders"],
            lambda state: not window(state, "Notepad"),
        ),
        (*CLOSED, *MADE, *run_command("mkdir 5802")),
        noted(CODE),
        facts=("5802",),
    ),
    EvalTask(
        "memory/server",
        f"The Notepad shows the address of a server. Close the Notepad. {BETWEEN} At last run ping "
        "with that address in the Terminal, and set it as the DNS server of the Ethernet.",
        dns("Ethernet", "10.20.30.53"),
        (
            *CLOSED,
            *MADE,
            *run_command("ping 10.20.30.53"),
            double("Network", "Icon"),
            click("Edit DNS", "Button"),
            click("Use the following DNS server addresses", "Check"),
            write("10.20.30.53", "Network"),
            click("Save", "Button"),
        ),
        noted(SERVER),
        facts=("10.20.30.53",),
    ),
)
