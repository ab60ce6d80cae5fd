"""The virtual computer as others meet it: a process, three FIFOs, a stream and the truth."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from cua.simulator.usbhost import REPEAT_DELAY_S

State = dict[str, Any]
WIDTH, HEIGHT = 1280, 720
PLAIN = "abcdefghijklmnopqrstuvwxyz1234567890\n\x1b\b\t -=[]\\\0;'`,./"
SHIFTED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()\0\0\0\0\0_+{}|\0:"~<>?'
NAMED = {"f4": 0x3D, "f10": 0x43, "delete": 0x4C, "down": 0x51, "up": 0x52}
NAMED |= {"enter": 0x28, "end": 0x4D, "meta": 0}
MODS = {"ctrl": 1, "shift": 2, "alt": 4, "meta": 8}


class Kvm:
    """A keyboard and a pointer plugged into the process, and its two addresses."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, urls: dict[str, str]):
        self.process, self.urls = process, urls
        self._fds = [os.open(folder / f"hidg{i}", os.O_WRONLY) for i in range(3)]
        self._sent, self._device = [0, 0, 0], 0

    def unplug(self) -> None:
        for fd in self._fds:
            os.close(fd)

    def send(self, device: int, *reports: bytes) -> None:
        """Waits until another device's reports are read: nothing orders one FIFO after another."""
        if device != self._device:
            self.until(lambda state: list(state["reports"].values()) == self._sent)
        self._device = device
        for report in reports:
            os.write(self._fds[device], report)
        self._sent[device] += len(reports)

    def state(self) -> State:
        with urllib.request.urlopen(self.urls["state"], timeout=10) as answer:
            state: State = json.load(answer)
        return state

    def until(self, holds: Callable[[State], object]) -> State:
        """The first state for which this holds; fails after a generous time."""
        deadline = time.monotonic() + 20
        while not holds(state := self.state()):
            assert time.monotonic() < deadline, json.dumps(state, indent=1)[:4000]
            time.sleep(0.02)
        return state

    # --- hands ------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        for char in text:
            table, mods = (PLAIN, 0) if char in PLAIN else (SHIFTED, 2)
            self.send(0, bytes([mods, 0, 4 + table.index(char), 0, 0, 0, 0, 0]), bytes(8))

    def key(self, chord: str) -> None:
        names = chord.split("+")
        usage = NAMED.get(names[-1], 4 + PLAIN.find(names[-1]))
        mods = sum(MODS.get(name, 0) for name in names)
        self.send(0, bytes([mods, 0, usage, 0, 0, 0, 0, 0]), bytes(8))

    def at(self, x: int, y: int, buttons: int = 0, wheel: int = 0) -> None:
        hid_x, hid_y = (x * 0x8000 + 0x4000) // WIDTH, (y * 0x8000 + 0x4000) // HEIGHT
        place = hid_x.to_bytes(2, "little") + hid_y.to_bytes(2, "little")
        self.send(2, bytes([buttons]) + place + bytes([wheel & 255]))

    def click(self, text: str, count: int = 1, button: int = 1) -> None:
        """On what says this, as soon as it can be seen in front."""
        state = self.until(lambda state: text in in_front(state))
        x, y, w, h = in_front(state)[text]
        for pressed in (0, *[button, 0] * count):
            self.at(x + w // 2, y + h // 2, pressed)

    def drag(self, path: list[tuple[int, int]]) -> None:
        self.at(*path[0])
        for place in path:
            self.at(*place, 1)
        self.at(*path[-1])

    def open(self, program: str) -> State:
        self.click(program, count=2)
        return active(self.until(lambda state: active(state).get("program") == program))


def active(state: State) -> State:
    return next((window for window in state.get("windows", []) if window["active"]), {})


def in_front(state: State) -> dict[str, list[int]]:
    """Where everything is that can be clicked: a menu hides the rest."""
    seen = state["menu"] or [
        *state["icons"],
        *state["taskbar"],
        *active(state).get("targets", []),
    ]
    return {text: rect for _, text, rect in seen}


@contextlib.contextmanager
def started(folder: Path, *options: str) -> Iterator[Kvm]:
    command = [sys.executable, "-m", "cua.simulator", "--dir", str(folder), *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    kvm = Kvm(process, folder, json.loads(process.stdout.readline()))
    try:
        yield kvm
    finally:
        kvm.unplug()
        process.stdin.close()
        process.wait(20)
        process.stdout.close()
    assert process.returncode == 0


@pytest.fixture
def kvm(tmp_path: Path) -> Iterator[Kvm]:
    with started(tmp_path) as kvm:
        yield kvm


# --- the wires ------------------------------------------------------------------------------------


class Viewer:
    """Reads the stream as NanoKVM-Pro frames it; anything else fails."""

    def __init__(self, url: str) -> None:
        host = url.split("/")[2]
        self._connection = http.client.HTTPConnection(host, timeout=20)
        self._connection.request("GET", url.partition(host)[2])
        self.answer = self._connection.getresponse()

    def frame(self) -> bytes:
        assert self.answer.readline() == b"--frame\r\n"
        assert self.answer.readline() == b"Content-Type: image/jpeg\r\n"
        name, _, length = self.answer.readline().partition(b": ")
        assert name == b"Content-Length"
        assert self.answer.readline() == b"\r\n"
        jpeg = self.answer.read(int(length))
        assert self.answer.read(2) == b"\r\n"
        return jpeg

    def close(self) -> None:
        self.answer.close()
        self._connection.close()


def test_the_stream_has_the_framing_of_the_device(kvm: Kvm) -> None:
    viewer = Viewer(kvm.urls["stream"])
    assert viewer.answer.status == 200
    kind = viewer.answer.headers["Content-Type"]
    assert kind == "multipart/x-mixed-replace; boundary=frame"
    with Image.open(io.BytesIO(viewer.frame())) as picture:
        assert (picture.format, picture.size) == ("JPEG", (WIDTH, HEIGHT))
    still = {viewer.frame() for _ in range(10)}
    assert len(still) == 1
    kvm.open("Notepad")
    while viewer.frame() in still:
        pass
    viewer.close()


def test_a_viewer_who_does_not_read_holds_up_nobody(kvm: Kvm) -> None:
    asleep, awake = socket.socket(), Viewer(kvm.urls["stream"])
    asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    host, _, port = kvm.urls["stream"].split("/")[2].partition(":")
    asleep.connect((host, int(port)))
    asleep.sendall(b"GET /api/stream/mjpeg HTTP/1.1\r\n\r\n")
    kvm.open("Notepad")
    for i in range(90):
        kvm.type("ab\n"[i % 3])
        awake.frame()
    assert kvm.until(lambda state: active(state)["text"] == "ab\n" * 30)
    asleep.close()
    awake.close()


def test_a_flood_of_reports_arrives_whole_and_in_order(kvm: Kvm) -> None:
    kvm.open("Notepad")
    text = "The quick brown fox jumps over the lazy dog. 0123456789 (+-*/) \\|~`\n" * 30
    kvm.type(text)
    state = kvm.until(lambda state: len(state["typed"]) >= len(text))
    assert state["typed"] == active(state)["text"] == text
    assert state["reports"]["keyboard"] == 2 * len(text)


def test_a_computer_that_was_held_up_repeats_no_key(kvm: Kvm) -> None:
    kvm.process.send_signal(signal.SIGSTOP)
    kvm.send(0, bytes(8))  # so that the end of a batch of records comes between down and up
    kvm.type("ab" * 100)
    time.sleep(REPEAT_DELAY_S + 0.05)
    kvm.process.send_signal(signal.SIGCONT)
    state = kvm.until(lambda state: state["reports"]["keyboard"] == 401)
    assert state["typed"] == "ab" * 100


def test_half_a_report_waits_for_its_other_half(kvm: Kvm) -> None:
    kvm.send(0, bytes([0, 0, 4]))
    kvm.send(0, bytes(5) + bytes(8))
    assert kvm.until(lambda state: state["typed"])["typed"] == "a"


@pytest.mark.parametrize("end", [signal.SIGTERM, None])
def test_it_ends_when_told_and_takes_its_fifos_along(tmp_path: Path, end: int | None) -> None:
    with started(tmp_path) as kvm:
        assert all(stat.S_ISFIFO(path.stat().st_mode) for path in tmp_path.iterdir())
        assert len(list(tmp_path.iterdir())) == 3
        viewer = Viewer(kvm.urls["stream"])
        viewer.frame()
        if end:
            kvm.process.send_signal(end)
            kvm.process.wait(20)
    viewer.close()
    assert list(tmp_path.iterdir()) == []
