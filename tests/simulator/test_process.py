"""The process of the simulated computer: its FIFOs, its stream and its state."""

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

import pytest
from PIL import Image

from cua.simulator.usbhost import REPEAT_DELAY_S
from tests.simulator.input_devices import HEIGHT, WIDTH, InputDevices, State, active


class Kvm(InputDevices):
    """A keyboard and a pointer plugged into the process, and its two addresses."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, urls: dict[str, str]):
        self.process, self.urls = process, urls
        self._fds = [os.open(folder / f"hidg{i}", os.O_WRONLY) for i in range(3)]
        self._sent, self._device = [0, 0, 0], 0

    def unplug(self) -> None:
        for fd in self._fds:
            os.close(fd)

    def send(self, device: int, *reports: bytes) -> None:
        """Wait until another device's reports are read: FIFOs have no order among each other."""
        if device != self._device:
            self.until(lambda state: list(state["reports"].values()) == self._sent)
        self._device = device
        for report in reports:
            os.write(self._fds[device], report)
        self._sent[device] += len(reports)

    def state(self) -> State:
        with urllib.request.urlopen(self.urls["state"]) as answer:  # when all reports are handled
            state: State = json.load(answer)
        return state

    def until(self, holds: Callable[[State], object]) -> State:
        deadline = time.monotonic() + 20
        while not holds(state := self.state()):
            assert time.monotonic() < deadline, json.dumps(state, indent=1)[:4000]
            time.sleep(0.02)
        return state


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


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kvm]:
    with started(tmp_path_factory.mktemp("computer")) as kvm:
        kvm.open("Notepad")
        yield kvm


@pytest.fixture
def kvm(shared: Kvm) -> Kvm:
    """A computer with an empty Notepad in front."""
    shared.key("ctrl+a")
    shared.type("\b")
    shared.until(lambda state: active(state)["text"] == "")
    return shared


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
    assert len(still) <= 2  # with the caret and without it
    kvm.type("a")
    while viewer.frame() in still:
        pass
    viewer.close()


def test_a_viewer_that_does_not_read_delays_nothing(kvm: Kvm) -> None:
    stalled, awake = socket.socket(), Viewer(kvm.urls["stream"])
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    host, _, port = kvm.urls["stream"].split("/")[2].partition(":")
    stalled.connect((host, int(port)))
    stalled.sendall(b"GET /api/stream/mjpeg HTTP/1.1\r\n\r\n")
    for i in range(90):
        kvm.type("ab\n"[i % 3])
        awake.frame()
    assert kvm.until(lambda state: active(state)["text"] == "ab\n" * 30)
    stalled.close()
    awake.close()


def test_a_flood_of_reports_arrives_whole_and_in_order(kvm: Kvm) -> None:
    before = kvm.state()
    text = "The quick brown fox jumps over the lazy dog. 0123456789 (+-*/) \\|~`\n" * 30
    kvm.type(text)
    state = kvm.state()  # however busy it is, it has handled what was written
    assert active(state)["text"] == text
    assert state["typed"] == before["typed"] + text
    assert state["reports"]["keyboard"] == before["reports"]["keyboard"] + 2 * len(text)


def test_a_stopped_process_repeats_no_key(kvm: Kvm) -> None:
    count = kvm.state()["reports"]["keyboard"]
    kvm.process.send_signal(signal.SIGSTOP)
    kvm.send(0, bytes(8))  # so that the end of a batch of records comes between down and up
    kvm.type("ab" * 100)
    time.sleep(REPEAT_DELAY_S + 0.05)
    kvm.process.send_signal(signal.SIGCONT)
    state = kvm.state()
    assert state["reports"]["keyboard"] == count + 401
    assert active(state)["text"] == "ab" * 100


def test_a_scenario_changes_colours_and_labels_and_not_the_state(tmp_path: Path) -> None:
    look = {"colors": {"#0f1729": "#ff0000"}, "words": {"Start": " "}}
    with started(tmp_path, "--scenario", json.dumps({"look": look})) as kvm:
        [start] = [each for each in kvm.state()["taskbar"] if each[1] == "Start"]
        left, top, width, height = start[2]
        viewer = Viewer(kvm.urls["stream"])
        with Image.open(io.BytesIO(viewer.frame())) as picture:
            label = picture.crop((left + 40, top + 10, left + width, top + height - 10))
        viewer.close()
    lows, highs = zip(*label.getextrema(), strict=True)
    assert all(high - low < 32 for low, high in zip(lows, highs, strict=True)), "no letter"
    assert label.getpixel((5, 5)) == pytest.approx((255, 0, 0), abs=16)


@pytest.mark.parametrize("end", [signal.SIGTERM, None])
def test_it_ends_on_request_and_removes_its_folder(tmp_path: Path, end: int | None) -> None:
    with started(tmp_path) as kvm:
        assert all(stat.S_ISFIFO(path.stat().st_mode) for path in tmp_path.iterdir())
        assert len(list(tmp_path.iterdir())) == 3
        viewer = Viewer(kvm.urls["stream"])
        viewer.frame()
        if end:
            kvm.process.send_signal(end)
            kvm.process.wait(20)
    viewer.close()
    assert not tmp_path.exists()
