"""The programs of the simulated computer, used by keyboard and mouse alone."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from cua.simulator.pc import Computer
from cua.simulator.scenario import Scenario, read_scenario
from tests.simulator.input_devices import HEIGHT, WIDTH, InputDevices, State, active, in_front

REPORT_S, FRAME_S = 0.01, 0.05


class Kvm(InputDevices):
    """A computer in this process, whose time passes with each report and each look at it."""

    def __init__(self, scenario: Scenario | None = None) -> None:
        self.computer = Computer((WIDTH, HEIGHT), scenario or Scenario(), seed=0, now=0.0)
        self.now = 0.0

    def send(self, device: int, *reports: bytes) -> None:
        for report in reports:
            self.now += REPORT_S
            self.computer.report(device, report, self.now)

    def until(self, holds: Callable[[State], object]) -> State:
        deadline = self.now + 20
        while not holds(state := self.state()):
            assert self.now < deadline, json.dumps(state, indent=1)[:4000]
        return state

    def state(self) -> State:
        self.now += FRAME_S
        self.computer.look(self.now)
        state: State = json.loads(json.dumps(self.computer.state()))
        return state


@pytest.fixture
def kvm() -> Kvm:
    return Kvm()


def test_write_a_note_and_save_it(kvm: Kvm) -> None:
    kvm.open("Notepad")
    kvm.type("Hello, World!")
    kvm.key("ctrl+s")
    kvm.until(lambda state: state["dialogs"] == ["Save as"])
    kvm.type("hello.txt")
    kvm.click("Save")
    state = kvm.until(lambda state: not state["dialogs"])
    assert state["files"]["Documents/hello.txt"] == "Hello, World!"
    assert active(state)["title"] == "hello.txt - Notepad"
    kvm.click("File")
    kvm.click("New")
    assert kvm.until(lambda state: active(state)["title"] == "Untitled - Notepad")


def test_closing_asks_about_unsaved_text(kvm: Kvm) -> None:
    kvm.open("Notepad")
    kvm.type("x")
    kvm.click("close")
    kvm.until(lambda state: state["dialogs"] == ["Save changes?"])
    kvm.click("Cancel")
    assert kvm.until(lambda state: not state["dialogs"])["windows"]
    kvm.key("alt+f4")
    kvm.click("Don't save")
    assert kvm.until(lambda state: not state["windows"])


def test_set_the_dns_servers(kvm: Kvm) -> None:
    kvm.open("Network")
    kvm.click("Edit DNS")
    kvm.click("Use the following DNS server addresses")
    kvm.type("8.8.8.888")
    kvm.click("Alternate DNS")
    kvm.type("8.8.4.4")
    kvm.until(lambda state: active(state)["pending"]["alternate"] == "8.8.4.4")
    kvm.click("Save")
    state = kvm.until(lambda state: state["dialogs"])
    assert state["dialogs"] == ["Invalid DNS address"]
    assert state["network"]["Ethernet"]["dns"]["automatic"]
    kvm.click("OK")
    kvm.click("Preferred DNS")
    kvm.key("end")
    kvm.type("\b\b")
    kvm.click("Save")
    state = kvm.until(lambda state: "DNS server: 8.8.8.8, 8.8.4.4" in in_front(state))
    saved = {"automatic": False, "preferred": "8.8.8.8", "alternate": "8.8.4.4"}
    assert state["network"]["Ethernet"]["dns"] == saved
    assert state["network"]["Wi-Fi"]["dns"]["automatic"]


def test_drag_a_window_by_its_title(kvm: Kvm) -> None:
    x, y, w, h = kvm.open("Terminal")["rect"]
    kvm.drag([(x + 200, y + 20), (x + 150, y + 60), (x + 100, y + 110)])
    kvm.until(lambda state: active(state)["rect"] == [x - 100, y + 90, w, h])
    kvm.click("maximise")
    kvm.until(lambda state: active(state)["rect"][:3] == [0, 0, WIDTH])
    kvm.click("maximise")
    kvm.until(lambda state: active(state)["rect"] == [x - 100, y + 90, w, h])
    kvm.click("Start", button=2)
    assert not kvm.state()["menu"]
    kvm.click("minimise")
    assert kvm.until(lambda state: state["windows"][0]["minimised"])


def test_scroll_to_a_file_and_delete_it(kvm: Kvm) -> None:
    kvm.open("Files")
    kvm.click("Reports", count=2)
    last = "report_2024_12.txt"
    state = kvm.until(lambda state: active(state)["folder"] == "Reports")
    assert last not in in_front(state)
    x, y, w, h = active(state)["rect"]
    kvm.at(x + w // 2, y + h // 2)
    kvm.at(x + w // 2, y + h // 2, wheel=-30)
    kvm.click(last, button=2)
    kvm.click("Delete")
    kvm.until(lambda state: state["dialogs"] == ["Delete file?"])
    kvm.click("Cancel")
    assert f"Reports/{last}" in kvm.until(lambda state: not state["dialogs"])["files"]
    kvm.key("delete")
    kvm.until(lambda state: state["dialogs"])
    kvm.key("enter")
    assert f"Reports/{last}" not in kvm.until(lambda state: not state["dialogs"])["files"]


def test_find_a_page_and_download_from_it(kvm: Kvm) -> None:
    kvm.open("Browser")
    kvm.key("ctrl+l")
    kvm.type("esp32 antenna\n")
    kvm.click("ESP32 Datasheet")
    kvm.click("Download PDF")
    state = kvm.until(lambda state: "Downloading" in " ".join(in_front(state)))
    assert "Downloads/esp32_datasheet.pdf" not in state["files"]
    state = kvm.until(lambda state: "esp32_datasheet.pdf downloaded" in in_front(state))
    assert "Downloads/esp32_datasheet.pdf" in state["files"]
    kvm.click("Show in folder")
    state = kvm.until(lambda state: active(state)["program"] == "Files")
    assert active(state)["entries"] == ["Downloads/esp32_datasheet.pdf"]


def test_the_terminal_answers_and_remembers(kvm: Kvm) -> None:
    kvm.key("meta")
    kvm.type("term\n")
    kvm.until(lambda state: active(state).get("program") == "Terminal")
    kvm.type("echo hi there\nnonsense\n")
    kvm.key("up")
    kvm.key("up")
    state = kvm.until(lambda state: active(state)["input"] == "echo hi there")
    assert active(state)["history"] == ["echo hi there", "nonsense"]
    assert "nonsense: command not found" in active(state)["output"]
    kvm.type("!\n")
    assert kvm.until(lambda state: "hi there!" in active(state)["output"])
    kvm.type("no\b\b\b\b")
    kvm.key("ctrl+a")
    kvm.type("\bls")
    assert kvm.until(lambda state: active(state)["input"] == "ls")
    assert "hi there!" in active(kvm.state())["output"]


def test_the_terminal_deletes_folders_only_with_an_option(kvm: Kvm) -> None:
    kvm.open("Terminal")
    kvm.type("rm --force Reports\nrm -rf nothing\nrm -r Pictures\nrm nothing\n")
    state = kvm.until(lambda state: "rm: nothing: there is no such file" in active(state)["output"])
    assert "rm: Reports: it is a folder" in active(state)["output"]
    assert "-rf" not in " ".join(line for line in active(state)["output"] if "$" not in line)
    assert "Reports" in state["folders"]
    assert "Pictures" not in state["folders"]


def test_restart_into_the_setup_and_change_a_setting() -> None:
    kvm = Kvm(Scenario(post=3))
    kvm.click("Start")
    kvm.click("Restart")
    kvm.until(lambda state: state["dialogs"])  # its button has the name of the entry
    kvm.click("Restart")
    kvm.until(lambda state: state["phase"] == "boot")
    kvm.key("delete")
    kvm.until(lambda state: state["phase"] == "setup")
    for name in ("down", "down", "enter", "down", "enter"):
        kvm.key(name)
    state = kvm.until(lambda state: state["setup"]["pending"]["Secure Boot"] == "Disabled")
    assert state["bios"]["Secure Boot"] == "Enabled"
    kvm.key("f10")
    kvm.key("enter")
    state = kvm.until(lambda state: state["phase"] == "desktop")
    assert state["bios"]["Secure Boot"] == "Disabled"


def test_a_scenario_opens_disturbs_and_deceives() -> None:
    scenario = {
        "files": {"Documents/todo.txt": "Buy milk"},
        "open": [{"program": "Notepad", "file": "Documents/todo.txt", "rect": [40, 40, 640, 400]}],
        "icons": [{"label": "Networks", "icon": "network", "opens": "Terminal"}],
        "disturbances": [
            {"on": "Network", "do": "update"},
            {"on": "Network", "do": "move", "program": "Notepad", "by": [30, 20], "after": 0.3},
        ],
    }
    kvm = Kvm(read_scenario(json.dumps(scenario)))
    state = kvm.state()
    assert active(state)["text"] == "Buy milk"
    assert active(state)["rect"] == [40, 40, 640, 400]
    kvm.key("meta")
    kvm.until(lambda state: state["menu"])
    kvm.click("Network")
    state = kvm.until(lambda state: state["update"] == "offered")
    assert active(state)["title"] == "Software update"
    moved = [70, 60, 640, 400]
    kvm.until(lambda state: moved in [window["rect"] for window in state["windows"]])
    kvm.click("Later")
    kvm.until(lambda state: state["update"] == "later")
    kvm.click("Networks", count=2)
    kvm.until(lambda state: active(state).get("program") == "Terminal")
