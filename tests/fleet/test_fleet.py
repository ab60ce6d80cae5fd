"""`fleet` on simulated computers in processes of their own."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cua.screen.image import jpeg_size
from tests.fleet.simulated import TASK, Fleet, simulated_fleet, wait_until
from tests.support.kvm_hardware import ROOT

LONG = (TASK.replace("»", " " + "x" * 4000 + "»"), "--gate", "never")


@pytest.fixture
async def fleet(tmp_path: Path) -> AsyncIterator[Fleet]:
    async with simulated_fleet(tmp_path, 4) as fleet:
        yield fleet


PROCEDURE = """
name: sign
parameters: {who: ""}
steps: [{do: {kind: type, text: " Signed: {who}"}}]
"""


async def test_one_task_on_all_but_not_one_that_names_what_is_not_known(fleet: Fleet) -> None:
    code, _, words = await fleet.run("run", "Say {labels.rack}")
    assert code == 2
    assert words == "pc01 has no {labels.rack}; it has name, os, labels.site.\n"
    assert not fleet.runs.exists()

    code, out, words = await fleet.run("run", TASK, "--parallel", "3")
    assert code == 0, out + words
    assert "4 done." in out
    sites = ("berlin", "paris")
    for number, name in enumerate(fleet.states, 1):
        assert fleet.state(name)["typed"] == f"I am {name} at {sites[number % 2]}."
    (run,) = fleet.runs.iterdir()
    found = json.loads((run / "summary.json").read_text())["computers"]
    assert [each["state"] for each in found] == ["done"] * 4
    page = (run / "summary.html").read_text()
    for each in found:
        assert (run / each["record"] / "events.jsonl").is_file()
        assert jpeg_size((run / each["picture"]).read_bytes()) == (1280, 720)
        assert each["picture"] in page

    asked = len(fleet.model.requests)
    (file := fleet.folder / "sign.yaml").write_text(PROCEDURE)
    values = ("--with", "who={name}", "--limit", "pc02")
    code, out, words = await fleet.run("run", "--procedure", str(file), *values)
    assert code == 0, out + words
    assert fleet.state("pc02")["typed"].endswith(" Signed: pc02")
    assert len(fleet.model.requests) == asked


async def test_a_kill_leaves_nothing_down_and_resume_does_the_rest(fleet: Fleet) -> None:
    process = fleet.start("run", *LONG, "--limit", "all:!pc04", "--parallel", "2")
    await wait_until(lambda: fleet.count_typing() == 2)
    process.send_signal(signal.SIGKILL)
    await asyncio.to_thread(process.communicate)
    await wait_until(lambda: not fleet.down(), 5)
    fleet.model.script = lambda _: {"text": "Done"}
    code, out, words = await fleet.run("resume")
    assert code == 0, out + words
    assert "3 done." in out
    told = [json.dumps(call["body"]) for call in fleet.model.requests[-3:]]
    assert sum("An earlier attempt at this task did not end" in each for each in told) == 2
    assert sum("interrupted, perhaps in the middle of: Type" in each for each in told) == 2
    assert fleet.state("pc04")["typed"] == ""
    code, out, _ = await fleet.run("resume")
    assert (code, out) == (0, "Nothing is left to do.\n")


async def test_stop_and_ctrl_c_release_everything(fleet: Fleet) -> None:
    process = fleet.start("run", *LONG, "--json", "--limit", "berlin")
    reading = asyncio.create_task(asyncio.to_thread(process.communicate))  # else the pipe is full
    await wait_until(lambda: fleet.count_typing() >= 2)
    code, out, _ = await fleet.run("resume")
    assert code == 2
    code, out, _ = await fleet.run("stop")
    assert (code, f"Process {process.pid} is told" in out) == (0, True)
    lines, _ = await reading
    assert process.returncode == 130
    assert fleet.down() == {}
    assert {json.loads(each)["computer"] for each in lines.splitlines()[:-1]} == {"pc02", "pc04"}
    code, out, _ = await fleet.run("stop")
    assert (code, out) == (1, "No run goes on.\n")


@pytest.mark.slow
async def test_the_worst_exit_code_counts_and_failures_stop_it(fleet: Fleet) -> None:
    fleet.model.script = lambda body: (
        {"text": "$ Which one?"} if "pc01" in json.dumps(body) else {"text": "Done"}
    )
    code, out, _ = await fleet.run("run", TASK, "--parallel", "1", "--stop-after", "1")
    assert code == 3
    assert "pc01: question, step 1. Which one?" in out
    assert "1 question, 3 not begun." in out
    fleet.model.script = lambda _: {"text": "Done"}
    code, out, _ = await fleet.run("run", TASK, "--limit", "@failed")
    assert code == 0
    assert "1 done." in out


@pytest.mark.slow
async def test_risky_actions_end_a_run_unless_it_does_not_ask(fleet: Fleet) -> None:
    task = "Type «rm -rf /»"
    code, out, _ = await fleet.run("run", task, "--limit", "pc01", "--gate", "ask")
    assert code == 3
    assert "Needs your yes: Type “rm -rf /”." in out
    assert fleet.state("pc01")["typed"] == ""
    code, _, _ = await fleet.run("run", task, "--limit", "pc01", "--gate", "never")
    assert code == 0
    assert fleet.state("pc01")["typed"] == "rm -rf /"


@pytest.mark.slow
async def test_list_and_shots(fleet: Fleet) -> None:
    fleet.entries.append({"name": "gone", "kvm": "vnc://127.0.0.1:9"})
    fleet.write_inventory()
    code, out, _ = await fleet.run("list")
    assert code == 1
    assert len(re.findall(r"^pc0\d +ok +1280x720 +\d+/s +\? +ready$", out, re.MULTILINE)) == 4
    assert re.search(r"^gone +The KVM at 127.0.0.1:9 cannot be reached", out, re.MULTILINE)
    folder = fleet.folder / "shots"
    code, _, _ = await fleet.run("shots", "--out", str(folder))
    assert code == 1
    assert (folder / "index.html").read_text().count("<img") == 4
    assert sorted(each.name for each in folder.glob("pc*.jpg")) == [
        f"{n}.jpg" for n in fleet.states
    ]


@pytest.mark.slow
async def test_a_terminal_that_is_closed_ends_every_agent(fleet: Fleet) -> None:
    """Its table is live until then."""
    child, terminal = pty.fork()
    if not child:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        program = [str(ROOT / "cua_webapp.py"), "fleet", "run", *LONG]
        os.environ["CUA_CONFIG"] = str(fleet.folder / "cfg.json")
        arguments = [*program, "--inventory", str(fleet.inventory)]
        os.execv(sys.executable, [sys.executable, *arguments])
    await wait_until(lambda: fleet.count_typing() >= 2)
    shown = os.read(terminal, 100_000)
    assert b"computer  state" in shown
    os.close(terminal)
    await asyncio.to_thread(os.waitpid, child, 0)
    assert fleet.down() == {}
