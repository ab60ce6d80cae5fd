"""The folder of a demo, which goes when the demo ends; the model of a demo."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cua.cli.command_context import prepare_settings
from cua.cli.options import create_command_line
from cua.settings import SettingsFile
from tests.support.kvm_hardware import ROOT

DEMO = """
from cua.kvms.simulated_computer import SimulatedComputer
computer = SimulatedComputer()
print(computer.hid_prefix, flush=True)
input()
computer.stop()
"""


@contextlib.contextmanager
def demo(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """The process, and the folder that it made in `place`."""
    with subprocess.Popen(
        [sys.executable, "-c", DEMO],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(place)},
        cwd=ROOT,
        text=True,
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip()).parent
        wait_for_devices(folder, 3)
        yield process, folder


def wait_for_devices(folder: Path, count: int) -> None:
    """Until the simulated computer has made its devices, or removed them."""
    give_up = time.monotonic() + 60
    while len(list(folder.glob("hidg?"))) != count:
        assert time.monotonic() < give_up
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("options", "api_type"), [([], "local"), (["--model", "settings"], "openai")]
)
def test_the_demo_uses_the_model_of_the_settings_only_if_asked(
    options: list[str], api_type: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cfg.json"
    path.write_text('{"api_type": "openai", "max_rounds": 7}')
    monkeypatch.setenv("CUA_API_TYPE", "openai")
    arguments = ["--demo", "--config", str(path), *options]
    simulated, file = prepare_settings(create_command_line().parse_args(arguments))
    assert simulated is not None
    simulated.stop()
    assert (file.values.api_type, file.values.max_rounds) == (api_type, 7)
    file.update({"max_rounds": 8})
    assert json.loads(path.read_text())["max_rounds"] == 7, "a demo saves nothing"


def test_the_model_of_a_demo_can_be_changed_in_the_page(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "cfg.json", {"CUA_API_TYPE": "openai"})
    file.detach(api_type="local")
    file.update({"api_type": "anthropic"})
    assert file.values.api_type == "anthropic"


def test_the_folder_of_a_demo_goes_with_it_also_if_it_is_killed(tmp_path: Path) -> None:
    with demo(tmp_path) as (killed, left), demo(tmp_path) as (running, kept):
        killed.kill()
        while left.exists():
            time.sleep(0.02)
        assert kept.exists()
        running.communicate("\n")
    assert list(tmp_path.iterdir()) == []
