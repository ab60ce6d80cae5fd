"""The same with something in the way: dialogs, windows that move, slow programs, sleep."""

from __future__ import annotations

from typing import Any

from ..solution import click, double, press, write
from ..task import EvalTask, all_of, has_file
from .network import dns, edited

SAVED = (
    double("Notepad", "Icon"),
    write("buy milk", "Notepad"),
    *press("CTRL+S", on="Notepad"),
    write("list.txt", "Save as"),
    click("Save", "Button"),
)
SAVE = 'write "buy milk" in the notepad and save it as list.txt'
LIST = has_file("Documents/list.txt", "buy milk")
DNS = (double("Network", "Icon"), *edited("8.8.8.8"))
SET_DNS = "set dns server to 8.8.8.8"
NETWORKS = {"label": "Networks", "icon": "network", "opens": "Terminal"}
BATTERY = {"do": "message", "title": "Battery", "text": "The battery is low. Plug in the charger."}


def disturbed(*what: dict[str, Any]) -> dict[str, Any]:
    return {"disturbances": list(what)}


TASKS = (
    EvalTask(
        "disturbed/update",
        SAVE,
        all_of(LIST, lambda state: state["update"] in ("none", "later", "offered")),
        SAVED,
        disturbed({"on": "Notepad", "after": 0.1, "do": "update"}),
    ),
    EvalTask(
        "disturbed/message",
        SAVE,
        LIST,
        SAVED,
        disturbed({"on": "Notepad", "after": 0.1, **BATTERY}),
    ),
    EvalTask(
        "disturbed/at-once",
        SET_DNS,
        dns("Ethernet", "8.8.8.8"),
        DNS,
        disturbed({"after": 0.3, "do": "update"}),
    ),
    EvalTask(
        "disturbed/moved",
        SET_DNS,
        dns("Ethernet", "8.8.8.8"),
        DNS,
        disturbed({"on": "Network", "after": 0.8, "do": "move", "by": [120, 60]}),
    ),
    EvalTask(
        "disturbed/moved-twice",
        SET_DNS,
        dns("Ethernet", "8.8.8.8"),
        DNS,
        disturbed(
            {"on": "Network", "after": 0.7, "do": "move", "by": [-90, 50]},
            {"on": "Network", "after": 1.9, "do": "move", "by": [150, -20]},
        ),
    ),
    EvalTask(
        "disturbed/asleep",
        SAVE,
        LIST,
        SAVED,
        disturbed({"on": "Notepad", "after": 0.5, "do": "sleep"}),
    ),
    EvalTask(
        "disturbed/asleep-at-once",
        SET_DNS,
        dns("Ethernet", "8.8.8.8"),
        DNS,
        disturbed({"after": 0, "do": "sleep"}),
    ),
    EvalTask(
        "disturbed/asleep-twice",
        SET_DNS,
        dns("Ethernet", "8.8.8.8"),
        DNS,
        disturbed(
            {"on": "Network", "after": 0.2, "do": "sleep"},
            {"on": "Network", "after": 1.6, "do": "sleep"},
        ),
    ),
    EvalTask(
        "disturbed/resized",
        SET_DNS,
        dns("Ethernet", "8.8.8.8"),
        DNS,
        disturbed({"on": "Network", "after": 0.9, "do": "mode", "size": [1920, 1080]}),
    ),
    EvalTask(
        "disturbed/resized-twice",
        SAVE,
        LIST,
        SAVED,
        disturbed(
            {"on": "Notepad", "after": 0.6, "do": "mode", "size": [1024, 768]},
            {"on": "Notepad", "after": 2.4, "do": "mode", "size": [1600, 900]},
        ),
    ),
    EvalTask("disturbed/slow", SAVE, LIST, SAVED, {"delay": 1.6}),
    EvalTask(
        "disturbed/look-alike", SET_DNS, dns("Ethernet", "8.8.8.8"), DNS, {"icons": [NETWORKS]}
    ),
    EvalTask(
        "disturbed/all",
        SET_DNS,
        dns("Ethernet", "8.8.8.8"),
        DNS,
        {
            "delay": 0.8,
            "icons": [NETWORKS],
            **disturbed(
                {"on": "Network", "after": 0.8, "do": "update"},
                {"on": "Network", "after": 2.2, "do": "move", "by": [100, 40]},
            ),
        },
    ),
)
