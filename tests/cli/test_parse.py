"""The debugging tool as people run it: `python cua_webapp.py parse …`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cua.dialects.registry import names

FRONT_DOOR = Path(__file__).parents[2] / "cua_webapp.py"


def parse(reply: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, str(FRONT_DOOR), "parse", *arguments]
    return subprocess.run(command, input=reply.encode(), capture_output=True, check=False)


def test_actions_as_json_lines() -> None:
    done = parse("mouse 0.123456 0.5 3\r\ntypestr  é \r\nDone", "--dialect", "kvm")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [json.loads(line) for line in done.stdout.decode().splitlines()] == [
        {
            "kind": "click",
            "at": {"x": 0.1235, "y": 0.5},
            "button": "left",
            "count": 2,
            "keys": [],
        },
        {"kind": "type", "text": " é "},
        {"kind": "done", "answer": ""},
    ]


def test_the_sent_size_counts_where_pixels_do() -> None:
    reply = "Action: click(start_box='(966,546)')"
    for arguments in (("--dialect", "ui_tars_15"), ("--model", "UI-TARS-1.5-7B")):
        done = parse(reply, *arguments, "--sent", "1932x1092")
        assert json.loads(done.stdout)["at"] == {"x": 0.5, "y": 0.5}


def test_the_teaching_sentence() -> None:
    done = parse("mouse 640 360 1", "--dialect", "kvm")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"fractions of the screen" in done.stderr


def test_the_list() -> None:
    done = parse("", "--list")
    assert done.returncode == 0
    listed = done.stdout.decode()
    for name, _, _ in names():
        assert f"\n{name} " in f"\n{listed}"
    assert "qwen-?3-?vl" in listed


@pytest.mark.parametrize(
    "arguments", [("--dialect", "klingon"), ("--sent", "0x5"), ("--sent", "x")]
)
def test_wrong_arguments(arguments: tuple[str, ...]) -> None:
    assert parse("Done", *arguments).returncode == 2


def test_bytes_that_are_no_text() -> None:
    command = [sys.executable, str(FRONT_DOOR), "parse", "--dialect", "kvm"]
    done = subprocess.run(command, input=b"\xff\xfe\nDone", capture_output=True, check=False)
    assert done.returncode == 0
