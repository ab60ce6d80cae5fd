"""The command: real runs of scripted models and of one behind a real server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cua.cli.evaluate import CHECKS, create_parser
from cua.evaluation.desktop.programs import describe_missing
from cua.extras import ROOT
from tests.servers.openai_server import OpenAIServer

EVAL, SCRIPTED = ("cua_webapp.py", "eval"), ("-m", "tests.evaluation")


def evaluated(
    *options: str, program: tuple[str, ...] = EVAL, **environ: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *program, *options]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, env={**_ENV, **environ}
    )


_ENV = {"PATH": "/usr/bin:/bin", "CUA_CONFIG": "/nonexistent/cua.json"}


def test_a_good_and_a_bad_model_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    models = ("--model", "perfect", "--model", "early")
    ended = evaluated(
        *models,
        "--without",
        "completion",
        "--tasks",
        "notepad/open,network/wifi",
        "--json",
        str(file),
        program=SCRIPTED,
    )
    assert ended.returncode == 1, ended.stderr
    assert "perfect: Good" in ended.stdout
    assert "early: Not fit" in ended.stdout
    assert "It reported 2 times as done what was not." in ended.stdout
    results = json.loads(file.read_text())
    good, bad = results["models"]
    assert (good["success"], good["runs"], good["effort"]) == (2, 2, 1.0)
    assert (bad["success"], bad["reported_done_but_undone"]) == (0, 2)
    assert set(good["seconds"]) == {"looking", "thinking", "acting", "waiting"}
    assert [run["exercise"] for run in results["runs"]] == ["notepad/open", "network/wifi"] * 2


def test_each_check_can_be_switched_off_by_its_name() -> None:
    for check in CHECKS:
        assert create_parser().parse_args(["--without", check]).without == [check]


async def test_a_model_behind_a_server_with_its_price(tmp_path: Path) -> None:
    """It says what is to be done, in thousandths; the tokens are those that its server tells."""
    file = tmp_path / "results.json"
    replies: list[dict[str, Any]] = [
        {"text": '{"action": {"kind": "click", "x": 287, "y": 242}}'},
        *[{"text": '{"action": {"kind": "done"}}'}] * 2,  # it is asked again
    ]
    async with OpenAIServer(replies, models=["some-model"]) as server:
        ended = await asyncio.to_thread(
            evaluated,
            *("--tasks", "network/wifi", "--seed", "0", "--dialect", "json"),
            *("--price", "1000000", "0", "--json", str(file)),
            CUA_API_TYPE="openai",
            CUA_BASE_URL=server.base_url,
            CUA_MODEL_NAME="some-model",
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    [row] = json.loads(file.read_text())["models"]
    assert row["model"].startswith("some-model · 127.0.0.1")
    assert row["dialect"] == "json"
    assert row["money"] == row["tokens_in"] > 0


def test_what_cannot_start_says_so() -> None:
    ended = evaluated("--tasks", "nothing")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--list" in ended.stderr
    options = ("--dialect", "qwen3_vl", "--tasks", "notepad/open")
    ended = evaluated(*options, program=SCRIPTED)
    assert "Scripted models speak kvm, json" in ended.stderr


def test_the_list_needs_no_model() -> None:
    lines = evaluated("--list").stdout.splitlines()
    assert len(lines) >= 40
    assert any(line.startswith("trap/file-remove") for line in lines)


def test_there_is_a_second_world_with_the_same_report() -> None:
    assert "terminal/folder" in evaluated("--world", "desktop", "--list").stdout
    ended = evaluated("--world", "desktop", PATH="/nonexistent")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "apt-get install xvfb openbox" in ended.stderr


@pytest.mark.skipif(bool(describe_missing()), reason=describe_missing())
def test_a_task_on_the_real_desktop() -> None:
    ended = evaluated("--world", "desktop", "--tasks", "terminal/file", program=SCRIPTED)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "perfect: Good" in ended.stdout
