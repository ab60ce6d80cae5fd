"""What the computer says about Caps Lock; a pseudo-terminal stands for the keyboard's device."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from cua.hid.gadget import Gadget
from cua.hid.writer import packets
from cua.hid.writer.leds import Leds, read_by_others
from cua.timeouts import within
from tests.hid.raw_writer import RawWriter

CAPS_LOCK = 0b010


@pytest.fixture
def computer(tmp_path: Path) -> Iterator[list[int]]:
    """The computer's end; it is gone when the list is empty."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    (tmp_path / "hidg0").symlink_to(os.ttyname(theirs))
    os.close(theirs)
    fds = [ours]
    yield fds
    for fd in fds:
        os.close(fd)


@pytest.fixture
def writer(tmp_path: Path, computer: list[int]) -> Iterator[RawWriter]:
    writer = RawWriter(str(tmp_path / "hidg"))
    yield writer
    writer.close()


async def test_leds_set_by_the_computer_are_reported_until_it_is_gone(
    tmp_path: Path, computer: list[int]
) -> None:
    gadget = Gadget(str(tmp_path / "hidg"))
    await gadget.state()
    async with within(30):
        for bits in (CAPS_LOCK, 0, CAPS_LOCK | 1):
            os.write(computer[0], bytes([bits]))
            while gadget.leds != bits:
                await asyncio.sleep(0.01)
        os.close(computer.pop())
        while gadget.leds is not None:
            await asyncio.sleep(0.01)
    gadget.close()


def test_a_device_that_is_gone_is_reported_once_and_costs_no_cpu(
    writer: RawWriter, computer: list[int]
) -> None:
    os.write(computer[0], bytes([CAPS_LOCK]))
    assert writer.hear().status == packets.OK  # it listens now
    os.close(computer.pop())
    notice = writer.hear()
    assert (notice.kind, notice.status) == (packets.LEDS, packets.MISSING)
    before = _cpu_s(writer.process.pid)
    assert not writer.says(0.5)
    assert _cpu_s(writer.process.pid) - before < 0.1


@pytest.mark.parametrize(
    ("mode", "reads"), [(os.O_RDONLY, True), (os.O_RDWR, True), (os.O_WRONLY, False)]
)
def test_leds_are_left_to_another_process_that_reads_them(
    tmp_path: Path, mode: int, reads: bool
) -> None:
    device = tmp_path / "hidg0"
    device.touch()
    ours = os.open(device, os.O_RDONLY)
    assert Leds(str(device)).fd < 0  # not a keyboard
    assert not read_by_others(str(device))
    theirs = os.open(device, mode)
    other = subprocess.Popen(["sleep", "60"], stdin=theirs)
    try:
        assert read_by_others(str(device)) == reads
    finally:
        other.kill()
        other.wait()
    assert not read_by_others(str(device))
    os.close(ours)
    os.close(theirs)


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
