"""Whole tasks on the simulated computer: pixels in, USB reports out, then its state."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from cua.models.local.local_operator import LocalOperator
from cua.types import Ask, Done
from tests.models.local.simulated_run import SimulatedRun, simulated_run

pytestmark = [pytest.mark.asyncio(loop_scope="package")]

CORNER = (0.6, 0.95)
"""On the empty taskbar: a click there takes the keyboard away from every window."""


async def dns(machine: SimulatedRun) -> dict[str, object]:
    found: dict[str, object] = (await machine.state())["network"]["Ethernet"]["dns"]
    return found


async def test_dns_in_spite_of_disturbances(local_operator: LocalOperator) -> None:
    """An update dialog comes up, the window moves away, and a person clicks in between."""
    disturbances = [
        {"on": "Network", "after": 1, "do": "update"},
        {"on": "Network", "after": 3, "do": "move", "by": [120, 60]},
    ]
    async with simulated_run(local_operator, disturbances=disturbances) as machine:
        ending = await machine.run("set dns server to 8.8.8.8 and 1.1.1.1", wrong={5: CORNER})
        assert isinstance(ending, Done), machine.replies()
        assert await dns(machine) == {
            "automatic": False,
            "preferred": "8.8.8.8",
            "alternate": "1.1.1.1",
        }
        assert "I click its “Later”" in machine.replies()


@pytest.mark.slow
async def test_a_download(local_operator: LocalOperator) -> None:
    async with simulated_run(local_operator, delay=1) as machine:
        ending = await machine.run("download the esp32 datasheet")
        assert isinstance(ending, Done), machine.replies()
        assert "Downloads/esp32_datasheet.pdf" in (await machine.state())["files"]


async def test_the_text_of_another_file_is_left_alone(local_operator: LocalOperator) -> None:
    opened = [{"program": "Notepad", "file": "Documents/notes.txt"}]
    async with simulated_run(local_operator, open=opened) as machine:
        before = (await machine.state())["files"]["Documents/notes.txt"]
        ending = await machine.run("write hello world in the notepad and save it as note.txt")
        assert isinstance(ending, Done), machine.replies()
        files = (await machine.state())["files"]
        assert (files["Documents/note.txt"], files["Documents/notes.txt"]) == (
            "hello world",
            before,
        )


async def test_a_task_that_is_run_again_uses_the_window_that_it_left_open(
    local_operator: LocalOperator,
) -> None:
    task = "write hello world in the notepad and save it"
    async with simulated_run(local_operator) as machine:
        assert isinstance(await machine.run(task), Done), machine.replies()
        ending = await machine.run(task)
        assert isinstance(ending, Ask), machine.replies()
        assert ending.question.startswith(
            "I still see “Replace file?”. I see: “Replace” and “Cancel”."
        ), ending.question
        [window] = [w for w in (await machine.state())["windows"] if "Notepad" in w["title"]]
        assert not window["minimised"]
        machine.task.inbox.append("click Cancel")
        ending = await machine.run()
        assert isinstance(ending, Done), machine.replies()
        assert ending.refused, "the dialog is gone and nothing was saved"

        await machine.run(task)
        for other in ("write good bye in the notepad and save it", "type good bye"):
            ending = await machine.run(other)
            assert isinstance(ending, Ask), machine.replies()
            assert ending.question.startswith("“Save changes?” waits for an answer, and keys may")
        files = (await machine.state())["files"]
        assert "good bye" not in str(files), "a space would have pressed a button"
        await machine.run("press space")
        assert machine.task.steps[0].parsed.label == "Save", "for the approval"


@pytest.mark.slow
async def test_instructions_one_by_one(local_operator: LocalOperator) -> None:
    task = """open "Browser", click "Daily News", scroll until "end of the page",
        click "Home" and wait for "Favourites"
        then right-click welcome.txt, press esc, check that "Start page" is shown"""
    async with simulated_run(local_operator) as machine:
        assert isinstance(await machine.run(task), Done), machine.replies()
        [window] = (await machine.state())["windows"]
        assert window["title"] == "Start page - Browser"


async def test_an_answer_replaces_a_missing_label_and_dns_goes_on_from_the_form_that_is_open(
    local_operator: LocalOperator,
) -> None:
    async with simulated_run(local_operator) as machine:
        ending = await machine.run('open "Network", click "Change DNS", click "Cancel"')
        assert isinstance(ending, Ask), machine.replies()
        assert ending.question.startswith("I can't see “Change DNS” on the screen.")
        machine.task.inbox.append("Edit DNS")
        assert isinstance(await machine.run(), Done), machine.replies()
        [window] = (await machine.state())["windows"]
        assert window["editing"] is False
        await machine.run('click "Edit DNS"')
        ending = await machine.run("set dns server to 8.8.8.8")
        assert isinstance(ending, Done), machine.replies()
        assert (await dns(machine))["preferred"] == "8.8.8.8"


async def test_a_pause_while_typing(local_operator: LocalOperator) -> None:
    text = ("the quick brown fox jumps over the lazy dog and goes on " * 3).strip()
    async with simulated_run(local_operator) as machine:
        work = asyncio.create_task(machine.run(f'open Notepad, type "{text}"'))
        while "characters were typed" not in machine.inputs.progress:
            await asyncio.sleep(0.005)
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work
        machine.task.inbox.append("save it as fox.txt")
        assert isinstance(await machine.run(), Done), machine.replies()
        state = await machine.state()
        assert state["files"]["Documents/fox.txt"] == text
        assert state["windows"][0]["text"] == text
        assert "type the rest" in machine.replies()


async def test_a_command(local_operator: LocalOperator) -> None:
    async with simulated_run(local_operator) as machine:
        ending = await machine.run("open the terminal and run mkdir Backup")
        assert isinstance(ending, Done), machine.replies()
        assert ending.answer == "I see no output."
        assert "Backup" in (await machine.state())["folders"]
        ending = await machine.run("open the terminal and run rm nothing")
        assert isinstance(ending, Ask), machine.replies()
        assert "“rm: nothing: there is no such file”" in ending.question


async def test_a_file_is_deleted(local_operator: LocalOperator) -> None:
    async with simulated_run(local_operator) as machine:
        ending = await machine.run("delete the file notes.txt")
        assert isinstance(ending, Done), machine.replies()
        assert "Documents/notes.txt" not in (await machine.state())["files"]
        ending = await machine.run("delete welcome.txt")
        assert isinstance(ending, Done), machine.replies()
        assert "Desktop/welcome.txt" not in (await machine.state())["files"]


async def test_after_another_window_was_opened_by_hand_the_text_goes_to_the_window_of_the_plan(
    local_operator: LocalOperator,
) -> None:
    async with simulated_run(local_operator) as machine:
        task = "open the notepad, type hello, press enter, type goodbye"
        ending = await machine.run(task, by_hand={4: "Terminal"})
        assert isinstance(ending, Done), machine.replies()
        windows = {each["program"]: each for each in (await machine.state())["windows"]}
        assert windows["Notepad"]["text"] == "hello\ngoodbye"
        assert (windows["Terminal"]["history"], windows["Terminal"]["input"]) == ([], "")
